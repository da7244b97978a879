"""How commands end: the exit status, and one line on standard error that says what and why."""

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

REFUSED = 1
USAGE = 2
INTERRUPTED = 130
"""As shells write it: 128 and the number of SIGINT."""


class Refused(click.ClickException):
    """The command can't do what was asked; the message says why. Exit status 1."""


class Program(click.Group):
    """The root of the commands. Lists them in the order in which they are needed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {}).update(
            help_option_names=["-h", "--help"], max_content_width=100
        )
        super().__init__(*args, **kwargs)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for argument in args:
            if any("\ud800" <= character <= "\udfff" for character in argument):
                raise click.UsageError(f"{argument!a} is not valid UTF-8", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as problem:
            reason = refusal(problem)
            if reason is None:
                raise
            raise Refused(reason) from problem

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, **extra)
        status = 0
        try:
            result = super().main(args, prog_name, complete_var, False, **extra)
            status = result if isinstance(result, int) else 0
            sys.stdout.flush()
        except click.exceptions.NoArgsIsHelpError as problem:
            _say(f"a command is needed (see {problem.ctx.command_path} --help)")
            status = USAGE
        except click.UsageError as problem:
            _say(_usage(problem))
            status = USAGE
        except click.ClickException as problem:
            _say(problem.format_message())
            status = problem.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = INTERRUPTED
        except BrokenPipeError:
            _leave_the_pipe()
        sys.exit(status)


def refusal(problem: BaseException) -> str | None:
    """The one line for what a user, a file or a database got wrong; None: it is our fault."""
    from sqlalchemy.exc import ArgumentError, DBAPIError

    from webapp.config import ConfigError
    from webapp.connectors.sandbox.ledger import LedgerBusy
    from webapp.connectors.sandbox.sqlite import sqlite3
    from webapp.domain.errors import DeskError

    if isinstance(problem, BrokenPipeError):
        return None
    if isinstance(problem, DeskError):
        return explain(problem)
    if isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        return f"{where}{problem.strerror or problem}"
    if isinstance(problem, DBAPIError):
        return f"The database refused: {problem.orig}"
    if isinstance(problem, ConfigError | ArgumentError | LedgerBusy | sqlite3.Error):
        return str(problem)
    return None


def explain(problem: Any) -> str:
    """A refusal of the desk, fields named as the command line names them."""
    if not problem.errors:
        return str(problem.detail)
    named = [f"{error.pointer.lstrip('/')}: {error.detail}" for error in problem.errors[:5]]
    return "; ".join([*named, *(["…"] if len(problem.errors) > 5 else [])])


def warn(message: str) -> None:
    """One line on standard error that stops nothing."""
    click.echo(f"Warning: {_line(message)}", err=True)


def _say(message: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        click.echo(f"Error: {_line(message)}", err=True)


def _line(message: str) -> str:
    return " ".join(message.split())


def _usage(problem: click.UsageError) -> str:
    asked = f" (see {problem.ctx.command_path} --help)" if problem.ctx else ""
    return f"{problem.format_message()}{asked}"


def _leave_the_pipe() -> NoReturn:
    """Whoever read has heard enough. What is still buffered must not fail at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(REFUSED)
