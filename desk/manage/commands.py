"""The commands `presort holidays …`: list, add and delete holidays."""

from datetime import datetime
from functools import partial
from typing import Annotated

import typer

from presort.data import catalogue
from presort.data.records import Holiday
from presort.data.running.holidays import add_holiday, holidays, take_away_holiday
from presort.desk.console.asking import PERSON, apply_change, group, show_table
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, Yes
from presort.desk.manage import tables

holidays_app = group("List, add or delete holidays: days on which issues don't become late.")


@holidays_app.callback()
def list_holidays(context: typer.Context, as_json: AsJson = False) -> None:
    """List the holidays."""
    if context.invoked_subcommand is None:
        show_table(context, tables.holiday_table, "No holidays yet.", as_json=as_json)


@holidays_app.command("add")
def new_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    last: Annotated[datetime, typer.Argument(formats=DAY, metavar="LAST")],
    name: Annotated[str, typer.Option(help="Name of the holiday.")] = "",
    yes: Yes = False,
) -> None:
    """Add a holiday from FIRST to LAST, inclusive."""
    new = Holiday(first.date(), last.date(), name)
    with open_workspace(context) as store:
        inside = [issue.date for issue in catalogue.issues(store) if issue.date in new]
        change = partial(add_holiday, store, new.first, new.last, name, person=PERSON)
        there = f" Issues with these dates: {', '.join(map(str, inside))}." if inside else ""
        apply_change(
            f"Holiday from {new.first} to {new.last}: issues don't become late on these days.{there}", change, yes=yes
        )


@holidays_app.command("remove")
def remove_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    yes: Yes = False,
) -> None:
    """Delete the holiday that begins on FIRST."""
    day = first.date()
    with open_workspace(context) as store:
        old = next((one for one in holidays(store) if one.first == day), Holiday(day, day))
        says = f"Holiday deleted: {old.first} to {old.last}."
        apply_change(says, partial(take_away_holiday, store, day, person=PERSON), yes=yes)
