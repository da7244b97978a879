"""`customer flag` and `customer unflag`."""

import click

from webapp.cli.opening import open_desk


@click.group()
def customer() -> None:
    """Flagged customers: the policy lets their actions wait for a person.

    Example:  undo-desk customer flag c-17 --reason "three refunds this week"
    """


@customer.command()
@click.argument("ref")
@click.option("--reason", default="", help="for the others; shown nowhere to the customer")
def flag(ref: str, reason: str) -> None:
    """Flag the customer REF; again replaces the reason. What is scheduled stays as it is.

    Example:  undo-desk customer flag c-17 --reason "three refunds this week"
    """
    from webapp.services import customers
    from webapp.services.caller import Caller

    with open_desk() as desk:
        customers.flag(desk, ref, reason, Caller.command().actor)
    click.echo(f"Flagged {ref}.")


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
