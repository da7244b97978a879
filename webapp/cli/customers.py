"""`customer flag` and `customer unflag`."""

import click

from webapp.cli.held import echo_held
from webapp.cli.opening import open_desk


@click.group()
def customer() -> None:
    """Flagged customers: the policy lets their actions wait for a person.

    Example:  undo-desk customer flag c-17 --reason "three refunds this week"
    """


@customer.command()
@click.argument("ref")
@click.option("--reason", default="", help="for the others; shown nowhere to the customer")
@click.option("--hold-scheduled", is_flag=True, help="also hold what is scheduled already")
def flag(ref: str, reason: str, hold_scheduled: bool) -> None:
    """Flag the customer REF; again replaces the reason.

    What is scheduled for them already still runs, unless --hold-scheduled.

    \b
    Examples:
      undo-desk customer flag c-17 --reason "three refunds this week"
      undo-desk customer flag c-17 --hold-scheduled
    """
    from webapp.services import ahead, customers
    from webapp.services.caller import Caller

    with open_desk() as desk:
        by = Caller.command().actor
        held = customers.flag(desk, ref, reason, by, hold_scheduled=hold_scheduled)
        left = 0 if hold_scheduled else ahead.for_customer(desk, ref).scheduled
    click.echo(f"Flagged {ref}.")
    echo_held(held if hold_scheduled else None, str(left or ""))


@customer.command()
@click.argument("ref")
@click.option("--reason", default="", help="repeated in the answer; a flag keeps no history")
def unflag(ref: str, reason: str) -> None:
    """Take the flag of the customer REF away.

    Example:  undo-desk customer unflag c-17
    """
    from webapp.services import customers

    with open_desk() as desk:
        customers.unflag(desk, ref)
    click.echo(f"{ref} is not flagged any more{f' ({reason})' if reason else ''}.")
