"""The commands `presort rankers …`: choose the active ranker and its shadows."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import pandas as pd
import typer

from presort.data.running import service
from presort.data.store import Store
from presort.desk.console.asking import PERSON, apply_change, group, show_table
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Yes
from presort.desk.console.printing import out
from presort.desk.service import rankers
from presort.desk.service.vectors import available_rankers, check_available
from presort.ranker.versions import RECIPES, find_recipe

Ranker = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(RECIPES)}.")]
rankers_app = group("List the rankers, or choose the active ranker and its shadows, which rank for comparison only.")


@rankers_app.callback()
def list_rankers(context: typer.Context, as_json: AsJson = False) -> None:
    """List all rankers. The active ranker and the shadows for the next issue are marked."""
    if context.invoked_subcommand is None:
        show_table(context, _ranker_table, "", as_json=as_json)


def _ranker_table(store: Store) -> pd.DataFrame:
    does = {rankers.active_ranker(store): "active"} | dict.fromkeys(service.shadows(store), "shadow")
    rows = [(name, does.get(name, "")) for name in dict.fromkeys([*available_rankers(store), *does])]
    return pd.DataFrame(rows, columns=["ranker", "does"])


@rankers_app.command("use")
def use_ranker(context: typer.Context, name: Ranker, yes: Yes = False) -> None:
    """Set the active ranker, starting with the next issue. The shadows don't change."""
    (known,) = _validate_names([name])
    with open_workspace(context) as store:
        _set_rankers(store, known, service.shadows(store), yes=yes)


@rankers_app.command("shadow")
def shadow_rankers(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Omit the names to run no shadows.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Set the shadows, starting with the next issue. Replaces the previous shadows."""
    shadows = _validate_names(names or ())
    with open_workspace(context) as store:
        _set_rankers(store, rankers.active_ranker(store), shadows, yes=yes)


def _validate_names(names: Iterable[str]) -> list[str]:
    try:
        return [find_recipe(name).name for name in dict.fromkeys(names)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from error


def _set_rankers(store: Store, active: str, shadows: Sequence[str], *, yes: bool) -> None:
    others = [name for name in shadows if name != active]
    check_available(store, [active, *others])
    if (active, others) == (rankers.active_ranker(store), list(service.shadows(store))):
        out.print("No change.")
        return
    says = rankers.describe_choice(store, active, others)
    apply_change(says, partial(service.set_rankers, store, active, others, person=PERSON), yes=yes)
