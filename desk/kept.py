"""What the workspace keeps of a review beside decisions: the level, the papers drawn, and where one has read to."""

import json
from collections.abc import Mapping, Sequence
from datetime import date

from data import catalogue
from data.desk_work import settings_from
from data.store import Store
from desk.components.messages import Order
from desk.reading import LEVEL, LEVELS, Draw, Sheet, draws_from, draws_text

LEVEL_OF, DRAWN, READ_TO = "level:", "drawn:", "read-to:"  # with which the names of settings start


def level(store: Store, sheet: Sheet) -> int:
    """Give the chance, in percent, that suffices the editors of a report."""
    kept = catalogue.setting(store, _level(sheet))
    return int(kept) if kept else LEVEL


def set_level(store: Store, sheet: Sheet, percent: int) -> None:
    """Keep another level, one of `LEVELS`."""
    if percent not in LEVELS:
        raise ValueError(f"percent must be one of {LEVELS}, got {percent}")
    catalogue.set_setting(store, _level(sheet), str(percent))


def draws(store: Store, sheet: Sheet) -> list[Draw]:
    """Give what was drawn from an issue for a report, in the order in which it was."""
    return draws_from(catalogue.setting(store, _draws(sheet)))


def set_draws(store: Store, sheet: Sheet, drawn: Sequence[Draw]) -> None:
    """Keep all that was drawn."""
    catalogue.set_setting(store, _draws(sheet), draws_text(drawn))


def read_to(store: Store, sheet: Sheet) -> Mapping[Order, str]:
    """Give the id of the paper to which somebody said to have read, in the sheet's ranking and as received."""
    kept = json.loads(catalogue.setting(store, _read_to(sheet)) or "{}")
    names: dict[Order, str] = {"presort": _ranking(sheet), "received": "received"}
    return {order: kept[name] for order, name in names.items() if name in kept}


def set_read_to(store: Store, sheet: Sheet, order: Order, paper_id: str) -> None:
    """Keep the paper to which somebody has read."""
    kept = json.loads(catalogue.setting(store, _read_to(sheet)) or "{}")
    kept["received" if order == "received" else _ranking(sheet)] = paper_id
    catalogue.set_setting(store, _read_to(sheet), json.dumps(kept))


def all_levels(store: Store) -> dict[str, int]:
    """Give what `level` gives, by report, where its editors chose one."""
    return {report: int(kept) for report, kept in settings_from(store, LEVEL_OF).items()}


def all_draws(store: Store) -> dict[tuple[str, date], list[Draw]]:
    """Give what `draws` gives, by report and issue, where any were drawn."""
    return {_of(name): draws_from(kept) for name, kept in settings_from(store, DRAWN).items()}


def all_read_to(store: Store) -> dict[tuple[str, date], dict[str, str]]:
    """Give, by report and issue, the ids of papers that `read_to` tells, by the number of the ranking, as text."""
    return {_of(name): json.loads(kept) for name, kept in settings_from(store, READ_TO).items()}


def _of(name: str) -> tuple[str, date]:
    report, _, issue = name.rpartition(":")
    return report, date.fromisoformat(issue)


def _level(sheet: Sheet) -> str:
    return f"{LEVEL_OF}{sheet.report}"


def _draws(sheet: Sheet) -> str:
    return f"{DRAWN}{sheet.report}:{sheet.issue}"


def _read_to(sheet: Sheet) -> str:
    return f"{READ_TO}{sheet.report}:{sheet.issue}"


def _ranking(sheet: Sheet) -> str:
    return str(sheet.shown.id) if sheet.shown else ""
