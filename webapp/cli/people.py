"""`user add` and `agent add`."""

import sys

import click

from webapp.cli.opening import open_desk
from webapp.cli.program import Refused, explain


@click.group()
def user() -> None:
    """People who sign in.

    Example:  undo-desk user add ana@example.com --role staff
    """


@user.command("add")
@click.argument("email")
@click.option(
    "--role",
    type=click.Choice(["staff", "admin"]),
    required=True,
    help="staff work on the feed; admins also change policies",
)
@click.option("--name", help="shown to the others; by default what stands before the @")
@click.option("--password-stdin", is_flag=True, help="read the password from standard input")
def add_user(email: str, role: str, name: str | None, password_stdin: bool) -> None:
    """Add a person. The password is asked for twice, or is one line on standard input.

    \b
    Examples:
      undo-desk user add ana@example.com --role admin --name "Ana Lindqvist"
      pass show desk/ana | undo-desk user add ana@example.com --role staff --password-stdin
    """
    from webapp.services.sign_in import add_person

    with open_desk() as desk:
        password = _line_of_stdin() if password_stdin else _prompted()
        add_person(desk, email=email, name=name, role=role, password=password)
    click.echo(f"Added {email} ({role}).")


def _line_of_stdin() -> str:
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        raise Refused("The password on standard input is not valid UTF-8") from None
    if not line:
        raise Refused("Standard input is empty: the password is expected there, in one line")
    return line.rstrip("\r\n")


def _prompted() -> str:
    if not sys.stdin.isatty():
        raise Refused("Standard input is no terminal to ask on: use --password-stdin")
    answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return answer


@click.group()
def agent() -> None:
    """Programs that draft actions.

    Example:  undo-desk agent add returns-agent
    """


@agent.command("add")
@click.argument("name")
@click.option(
    "--scopes",
    default="draft,read,cancel,signal",
    show_default=True,
    help="what it may do, comma-separated",
)
def add_agent(name: str, scopes: str) -> None:
    """Add an agent and print its token: once, alone on the last line.

    \b
    Example:
      TOKEN=$(undo-desk agent add returns-agent --scopes draft,read | tail -n 1)
      curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8000/api/v1/actions
    """
    from webapp.domain.errors import Invalid
    from webapp.services import agents

    with open_desk() as desk:
        try:
            token = agents.add(desk, name, scopes)
        except Invalid as problem:
            raise Refused(explain(problem)) from None
    click.echo(f"Added the agent {name} ({scopes}). Its token, which is not shown again:")
    click.echo(token)
