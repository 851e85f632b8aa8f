"""The commands `presort holidays | rankers | imports …`: what the page Manage shows and changes."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from data import catalogue, service
from data.holidays import add_holiday, holidays, take_away_holiday
from data.records import Holiday
from data.store import Store, open_store
from desk import manage, rankers
from desk.cli_files import AsJson
from desk.cli_replay import DAY
from desk.printing import imported, out, table_of
from desk.words import manage as words
from ranker.versions import RECIPES, find_recipe

PERSON = "manage"  # who the log says it was, as for imports

Code = Annotated[str, typer.Argument(metavar="CODE", help="Code of the report.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Ranker = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(RECIPES)}.")]


def group(help: str) -> typer.Typer:
    """Make a group of commands that lists something where no command is given."""
    return typer.Typer(help=help, invoke_without_command=True)


holidays_app = group("List the days without an issue; add some, or take some away.")
rankers_app = group("List the rankers; choose which sorts for the editors, and which run beside it.")


def is_terminal() -> bool:
    """Tell whether somebody sits there who can be asked."""
    return sys.stdin.isatty()


def changed(says: str, change: Callable[[], None], *, yes: bool) -> None:
    """Change something and say what; at a terminal say it before, and ask."""
    if is_terminal() and not yes:
        out.print(says, soft_wrap=True)
        typer.confirm("Change it?", abort=True)
        change()
    else:
        change()
        out.print(says, soft_wrap=True)


def show(context: typer.Context, table: Callable[[Store], pd.DataFrame], nothing: str, *, as_json: bool) -> None:
    """Print a table, or that there is nothing."""
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        rows = table(store)
    if len(rows) or as_json:
        _print(rows, as_json=as_json)
    else:
        out.print(nothing)


@holidays_app.callback()
def list_holidays(context: typer.Context, as_json: AsJson = False) -> None:
    """List the days on which no issue is expected and nobody is late."""
    if context.invoked_subcommand is None:
        show(context, manage.holiday_table, words.NO_HOLIDAY, as_json=as_json)


@holidays_app.command("add")
def new_holiday(
    context: typer.Context,
    first: Annotated[datetime, typer.Argument(formats=DAY, metavar="FIRST")],
    last: Annotated[datetime, typer.Argument(formats=DAY, metavar="LAST")],
    name: Annotated[str, typer.Option(help="The occasion.")] = "",
    yes: Yes = False,
) -> None:
    """Say that no issue is expected from one day to another, both included."""
    new = Holiday(first.date(), last.date(), name)
    with contextlib.closing(open_store(context.obj.workspace)) as store:
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
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        old = next((one for one in holidays(store) if one.first == day), Holiday(day, day))
        changed(words.no_holiday(old), partial(take_away_holiday, store, day, person=PERSON), yes=yes)


@rankers_app.callback()
def list_rankers(context: typer.Context, as_json: AsJson = False) -> None:
    """List the rankers there are, and what each does from the next issue on."""
    if context.invoked_subcommand is not None:
        return
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        does = {rankers.active(store): "sorts"} | dict.fromkeys(service.shadows(store), "runs beside it")
    rows = pd.DataFrame([(name, does.get(name, "")) for name in dict.fromkeys([*RECIPES, *does])])
    _print(rows.set_axis(["ranker", "does"], axis="columns"), as_json=as_json)


@rankers_app.command("use")
def use_ranker(context: typer.Context, name: Ranker, yes: Yes = False) -> None:
    """Let a ranker sort for the editors from the next issue on; what runs beside it stays."""
    (known,) = _known([name])
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        _set_rankers(store, known, service.shadows(store), yes=yes)


@rankers_app.command("shadow")
def shadow_rankers(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="None: nothing runs beside.")] = None,
    yes: Yes = False,
) -> None:
    """Let these rankers, and no others, run beside the active one from the next issue on."""
    beside = _known(names or ())
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        _set_rankers(store, rankers.active(store), beside, yes=yes)


def list_imports(context: typer.Context, as_json: AsJson = False) -> None:
    """List the files that came in, newest first: when, who, and what each changed."""
    with contextlib.closing(open_store(context.obj.workspace)) as store:
        if as_json:
            _print(manage.import_table(store), as_json=True)
            return
        found = service.imports(store)
    for one in found:
        what = imported(Path(one.file), asdict(one.summary))
        out.print(f"{one.made_at:%Y-%m-%d %H:%M} UTC, {one.person}: {what}", soft_wrap=True)
    if not found:
        out.print(words.NO_IMPORT)


def _known(names: Iterable[str]) -> list[str]:
    try:
        return [find_recipe(name).name for name in dict.fromkeys(names)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from error


def _set_rankers(store: Store, active: str, shadows: Sequence[str], *, yes: bool) -> None:
    beside = [name for name in shadows if name != active]
    if (active, beside) == (rankers.active(store), list(service.shadows(store))):
        out.print(words.SAME)
        return
    says = words.new_rankers(active, beside, len(catalogue.reports(store)), service.newest_sorted(store))
    changed(says, partial(service.set_rankers, store, active, beside, person=PERSON), yes=yes)


def _print(rows: pd.DataFrame, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(rows.to_dict(orient="records"), default=str))
    else:
        out.print(table_of(rows.where(rows.notna(), "")))
