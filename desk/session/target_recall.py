"""How many of the relevant papers the editors of a report may miss: it is kept for the report, not for a person."""

from collections.abc import Mapping
from typing import cast, get_args

from presort.data import catalogue
from presort.data.catalogue import log_change
from presort.data.rights import Right
from presort.data.store import Connection, Store
from presort.desk.components.messages import TargetRecall

NAME = "target-recall:"  # with which the names of settings start
SHARES: Mapping[TargetRecall, float] = {"1 in 10": 0.1, "1 in 20": 0.05, "1 in 100": 0.01}  # the other is none at all
USUAL: TargetRecall = "1 in 20"  # unless the editors chose


def target_recall(store: Store, report: str) -> TargetRecall:
    """Return what the editors of a report chose."""
    with store.reading(Right.SEE, report) as connection:
        return target_recall_now(connection, report)


def target_recall_now(connection: Connection, report: str) -> TargetRecall:
    """Return what `target_recall` does, on a connection at hand."""
    kept = catalogue.setting_now(connection, f"{NAME}{report}")
    return cast("TargetRecall", kept) if kept in get_args(TargetRecall) else USUAL


def set_target_recall(store: Store, report: str, chosen: TargetRecall) -> None:
    """Keep another choice."""
    said = f"May miss of the relevant papers: {chosen}"
    with store.writing(Right.EDIT, report) as connection:
        log_change(connection, said, person=store.author(connection), report=report)
        catalogue.set_setting_now(connection, f"{NAME}{report}", chosen)
