"""The command `presort holidays`: list and change holidays, like the page Manage."""

from datetime import datetime
from functools import partial
from typing import Annotated

import typer

from presort.data import catalogue
from presort.data.records import Holiday
from presort.data.running.holidays import add_holiday, holidays, take_away_holiday
from presort.desk.console.asking import PERSON, changed, group, show
from presort.desk.console.opening import opened
from presort.desk.console.options import DAY, AsJson, Yes
from presort.desk.manage import tables

holidays_app = group("List the days without an issue; add some, or take some away.")


@holidays_app.callback()
def list_holidays(context: typer.Context, as_json: AsJson = False) -> None:
    """List the days on which no issue is expected and nobody is late."""
    if context.invoked_subcommand is None:
        show(context, tables.holiday_table, "No holidays yet.", as_json=as_json)


@holidays_app.command("add")
def new_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    last: Annotated[datetime, typer.Argument(formats=DAY, metavar="LAST")],
    name: Annotated[str, typer.Option(help="Name of the holiday.")] = "",
    yes: Yes = False,
) -> None:
    """Record that no issue is expected from one day to another, both included."""
    new = Holiday(first.date(), last.date(), name)
    with opened(context) as store:
        inside = [issue.date for issue in catalogue.issues(store) if issue.date in new]
        change = partial(add_holiday, store, new.first, new.last, name, person=PERSON)
        there = f" Issues in it: {', '.join(map(str, inside))}." if inside else ""
        changed(f"Nothing becomes late from {new.first} to {new.last}.{there}", change, yes=yes)


@holidays_app.command("remove")
def remove_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    yes: Yes = False,
) -> None:
    """Take away the holiday that begins on a day."""
    day = first.date()
    with opened(context) as store:
        old = next((one for one in holidays(store) if one.first == day), Holiday(day, day))
        says = f"{old.first} to {old.last} is no holiday any more."
        changed(says, partial(take_away_holiday, store, day, person=PERSON), yes=yes)
