"""The commands `presort holidays | rankers | imports …`: what the page Manage shows and changes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from data import catalogue
from data.records import Holiday
from data.running import service
from data.running.holidays import add_holiday, holidays, take_away_holiday
from data.store import Store
from desk.access import named
from desk.console.asking import PERSON, changed, group, print_rows, show
from desk.console.opening import opened
from desk.console.options import DAY, AsJson, Yes
from desk.console.printing import imported, out
from desk.manage import tables, words
from desk.service import rankers
from desk.service.vectors import offered, refuse_unmade
from ranker.versions import RECIPES, find_recipe

Ranker = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(RECIPES)}.")]


holidays_app = group("List the days without an issue; add some, or take some away.")
rankers_app = group("List the rankers; choose which sorts for the editors, and which run beside it.")


@holidays_app.callback()
def list_holidays(context: typer.Context, as_json: AsJson = False) -> None:
    """List the days on which no issue is expected and nobody is late."""
    if context.invoked_subcommand is None:
        show(context, tables.holiday_table, words.NO_HOLIDAY, as_json=as_json)


@holidays_app.command("add")
def new_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    last: Annotated[datetime, typer.Argument(formats=DAY, metavar="LAST")],
    name: Annotated[str, typer.Option(help="The occasion.")] = "",
    yes: Yes = False,
) -> None:
    """Record that no issue is expected from one day to another, both included."""
    new = Holiday(first.date(), last.date(), name)
    with opened(context) as store:
        inside = [issue.date for issue in catalogue.issues(store) if issue.date in new]
        change = partial(add_holiday, store, new.first, new.last, name, person=PERSON)
        changed(words.new_holiday(new, inside), change, yes=yes)


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
        changed(words.no_holiday(old), partial(take_away_holiday, store, day, person=PERSON), yes=yes)


@rankers_app.callback()
def list_rankers(context: typer.Context, as_json: AsJson = False) -> None:
    """List the rankers there are, and what each does from the next issue on."""
    if context.invoked_subcommand is not None:
        return
    with opened(context) as store:
        does = {rankers.active(store): "sorts"} | dict.fromkeys(service.shadows(store), "runs beside it")
        names = offered(store)
    rows = pd.DataFrame([(name, does.get(name, "")) for name in dict.fromkeys([*names, *does])])
    print_rows(rows.set_axis(["ranker", "does"], axis="columns"), as_json=as_json)


@rankers_app.command("use")
def use_ranker(context: typer.Context, name: Ranker, yes: Yes = False) -> None:
    """Let a ranker sort for the editors from the next issue on; what runs beside it stays."""
    (known,) = _known([name])
    with opened(context) as store:
        _set_rankers(store, known, service.shadows(store), yes=yes)


@rankers_app.command("shadow")
def shadow_rankers(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="None: nothing runs beside.")] = None,
    yes: Yes = False,
) -> None:
    """Let these rankers, and no others, run beside the active one from the next issue on."""
    beside = _known(names or ())
    with opened(context) as store:
        _set_rankers(store, rankers.active(store), beside, yes=yes)


def list_imports(context: typer.Context, as_json: AsJson = False) -> None:
    """List the files that came in, newest first: when, who, and what each changed."""
    with opened(context) as store:
        if as_json:
            print_rows(tables.import_table(store), as_json=True)
            return
        found = service.imports(store)
    for one in found:
        what = imported(Path(one.file), asdict(one.summary))
        out.print(f"{one.made_at:%Y-%m-%d %H:%M} UTC, {named(one.person)}: {what}", soft_wrap=True)
    if not found:
        out.print(words.NO_IMPORT)


def _known(names: Iterable[str]) -> list[str]:
    try:
        return [find_recipe(name).name for name in dict.fromkeys(names)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from error


def _set_rankers(store: Store, active: str, shadows: Sequence[str], *, yes: bool) -> None:
    beside = [name for name in shadows if name != active]
    refuse_unmade(store, [active, *beside])
    if (active, beside) == (rankers.active(store), list(service.shadows(store))):
        out.print(words.SAME)
        return
    says = words.new_rankers(active, beside, len(catalogue.reports(store)), service.newest_sorted(store))
    changed(says, partial(service.set_rankers, store, active, beside, person=PERSON), yes=yes)
