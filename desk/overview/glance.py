"""What Overview shows of all reports, computed once for each state of the outcomes."""

from dataclasses import dataclass
from datetime import date

import pandas as pd

from presort.data.editing.work import last_in_list
from presort.data.running import service
from presort.desk.overview import tables
from presort.desk.overview.tables import Glance
from presort.desk.scores.effort import effort, work_done
from presort.desk.scores.sorters import rows_of
from presort.desk.summary import figures, text
from presort.desk.summary.text import Sentence
from presort.desk.ui import cache


@dataclass(frozen=True)
class Asked:
    """What is looked at: rankings of which source (None: for editors), by whom, by what measure; and who may be late.

    By whom is a ranker's name, or `presort.desk.scores.sorters.SORTED`.

    What a retired report had sent out stays in all figures; alarms are about the active ones alone.
    """

    replay: int | None
    ranker: str
    active: tuple[str, ...]
    measure: str


def glance(asked: Asked) -> Glance:
    """Return all reports as they were sorted; not to be changed."""
    return _glance(cache.state(), _n_choices(), asked)


def sentences(asked: Asked) -> list[Sentence]:
    """Return what the summary says of the same issues; nothing where nothing relevant was ranked."""
    return _sentences(cache.state(), _n_choices(), asked.replay, asked.ranker)


def _n_choices() -> int:
    """Return how often a ranker was chosen: each choice may change which ranking of a report issue is meant."""
    return len(service.ranker_choices(cache.store()))


@cache.of_state
def _glance(state: cache.State, n_choices: int, asked: Asked) -> Glance:
    table = tables.newest_year(rows_of(cache.store(), cache.all_scores(asked.replay), asked.ranker))
    first = table["issue"].min().date()
    return tables.glance(table, asked.measure, _received(state, first), _work(state, first), asked.active)


@cache.of_state
def _sentences(state: cache.State, n_choices: int, replay: int | None, ranker: str) -> list[Sentence]:
    scored = cache.all_scores(replay)
    mine = tables.newest_year(rows_of(cache.store(), scored, ranker))
    first = mine["issue"].min()
    compared = cache.for_comparison(replay)
    material = figures.material(compared[compared["issue"] >= first], mine)
    if material.mine.empty:
        return []
    of_reports = text.named(cache.store(), figures.reading_by_report(material.mine))
    saved = effort(material.mine, _received(state, first.date()), _work(state, first.date()))
    told = text.sentences(material, of_reports, saved)
    return [*told, text.source(cache.store(), material.mine, replay)] if material.mine["replay"].notna().any() else told


@cache.of_state
def _received(state: cache.State, since: date) -> dict[tuple[str, date], int]:
    return last_in_list(cache.store(), since)


@cache.of_state
def _work(state: cache.State, since: date) -> pd.DataFrame:
    store, begin = cache.store(), since.replace(month=since.month - (since.month - 1) % 3, day=1)
    # By quarters: as the newest year moves on, most reports are not read again.
    (work,) = cache.by_report(("work", begin), lambda report: (work_done(store, begin, [report] if report else []),))
    return work[work["issue"] >= pd.Timestamp(since)]
