"""All reports at a glance: their figures over a year, shifts, and the summary, cached by the state of the outcomes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import pandas as pd

from presort.data.editing.work import last_in_list
from presort.data.running import service
from presort.desk.scores.alarms import (
    FEWEST_OLD,
    NEW,
    OLD,
    Early,
    Known,
    Worse,
    depth,
    known,
    part_read,
    stops_early,
    windows,
    worse_by_depth,
)
from presort.desk.scores.effort import effort, work_done
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.sorters import rows_of
from presort.desk.scores.table import drawn
from presort.desk.summary import figures, text
from presort.desk.summary.text import Sentence
from presort.desk.text import exact_text
from presort.desk.ui import cache
from presort.metrics.loss import median_loss

SHOWN = NEW + OLD  # issues: a year of weeks
LAST = "relative_last_position"


@dataclass(frozen=True)
class Selection:
    """What is looked at: rankings of which source (None: for editors), by whom, by what measure; and who may be late.

    By whom is a ranker's name, or `presort.desk.scores.sorters.SORTED`.

    What a retired report had sent out stays in all figures; alarms are about the active ones alone.
    """

    replay: int | None
    ranker: str
    active: tuple[str, ...]
    measure: str


@dataclass(frozen=True, eq=False)
class Glance:
    """All reports as they were sorted, over a year.

    Tables are those of `overview`, of `series` (of the relative last position, and of the measure chosen) and of
    `effort`. The figures average so many issues, the newest and those before. What is known is of how many reports
    these shifts could have been found.
    """

    overview: pd.DataFrame
    last: pd.DataFrame
    chosen: pd.DataFrame
    effort: pd.DataFrame
    worse: list[Worse]
    early: list[Early]
    known_worse: Known
    known_early: Known
    n_new: int
    n_old: int


def glance(selection: Selection) -> Glance:
    """Return all reports as they were sorted; not to be changed."""
    return _glance(cache.state(), _n_choices(), selection)


def sentences(selection: Selection) -> list[Sentence]:
    """Return what the summary says of the same issues; nothing where nothing relevant was ranked."""
    return _sentences(cache.state(), _n_choices(), selection.replay, selection.ranker)


def _n_choices() -> int:
    """Return how often a ranker was chosen: each choice may change which ranking of a report issue is meant."""
    return len(service.ranker_choices(cache.store()))


@cache.of_state
def _glance(state: cache.State, n_choices: int, selection: Selection) -> Glance:
    table = newest_year(rows_of(cache.store(), cache.all_scores(selection.replay), selection.ranker))
    first = table["issue"].min().date()
    return compute_glance(table, selection.measure, _received(state, first), _work(state, first), selection.active)


@cache.of_state
def _sentences(state: cache.State, n_choices: int, replay: int | None, ranker: str) -> list[Sentence]:
    scored = cache.all_scores(replay)
    mine = newest_year(rows_of(cache.store(), scored, ranker))
    first = mine["issue"].min()
    compared = cache.for_comparison(replay)
    material = figures.material(compared[compared["issue"] >= first], mine)
    if material.mine.empty:
        return []
    of_reports = text.with_names(cache.store(), figures.reading_by_report(material.mine))
    saved = effort(material.mine, _received(state, first.date()), _work(state, first.date()))
    all_sentences = text.sentences(material, of_reports, saved)
    return (
        [*all_sentences, text.source(cache.store(), material.mine, replay)]
        if material.mine["replay"].notna().any()
        else all_sentences
    )


@cache.of_state
def _received(state: cache.State, since: date) -> dict[tuple[str, date], int]:
    return last_in_list(cache.store(), since)


@cache.of_state
def _work(state: cache.State, since: date) -> pd.DataFrame:
    store, begin = cache.store(), since.replace(month=since.month - (since.month - 1) % 3, day=1)
    # By quarters: as the newest year moves on, most reports are not read again.
    (work,) = cache.by_report(
        state, ("work", begin), lambda report: (work_done(store, begin, [report] if report else []),)
    )
    return work[work["issue"] >= pd.Timestamp(since)]


def compute_glance(
    table: pd.DataFrame,
    measure: str,
    in_list: Mapping[tuple[str, date], int],
    work: pd.DataFrame,
    active: Collection[str],
) -> Glance:
    """Look at all reports of a table that `newest_year` gives, by what `last_in_list` and `work_done` give of them.

    Those that are not active, being retired, are in the figures, but nobody is alarmed about them.
    """
    saved = effort(table, in_list, work)
    alive, alive_work = (each[each["report"].isin(active)] for each in (table, work))
    reports, tested = sorted(alive["report"].unique()), depth(alive)
    return Glance(
        overview(table, saved, measure),
        series(table, LAST),
        series(table, measure),
        saved,
        worse_by_depth(tested),
        stops_early(alive_work),
        known(tested, reports),
        known(part_read(alive_work), reports),
        *map(len, windows(table)),
    )


def newest_year(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the newest `SHOWN` issues of a table of scores, one ranking a report issue."""
    newest = sorted(table["issue"].unique())[-SHOWN:]
    return table[table["issue"].isin(newest)]


def series(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return what is drawn of a measure: a row a report, a column an issue, oldest first.

    It is NaN where the measure is undefined or there is no ranking.
    """
    return table.assign(drawn=drawn(measure, table)).pivot_table(
        index="report", columns="issue", values="drawn", dropna=False, aggfunc="first"
    )


def overview(table: pd.DataFrame, saved: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Summarise each report: the newest issues against those before, and what was saved.

    By ``report``: ``issues`` ranked; medians of relative last position, ``last_before`` and ``last_now``, and of the
    measure, ``before`` and ``now``; those before are missing of fewer than `FEWEST_OLD` issues, and the measure's are
    texts where it comes nearer to its best than a float can tell; ``papers`` and ``minutes`` saved in lists so read,
    and in others ``would_papers`` and ``would_minutes``.
    """
    new, old = windows(table)
    groups = {"before": table[table["issue"].isin(old)], "now": table[table["issue"].isin(new)]}
    reports = table.groupby("report").size()
    columns: dict[str, pd.Series] = {"issues": reports}
    columns |= {f"last_{name}": rows.groupby("report")[LAST].median() for name, rows in groups.items()}
    columns |= {name: _middle(measure, rows) for name, rows in groups.items()}
    n_before = groups["before"].groupby("report")[LAST].count().reindex(reports.index, fill_value=0)
    columns |= {
        name: columns[name].reindex(reports.index)[n_before >= FEWEST_OLD] for name in ("last_before", "before")
    }
    was_read = saved["was_read"].astype(bool)
    for prefix, part in {"": saved[was_read], "would_": saved[~was_read]}.items():
        columns |= {f"{prefix}{name}": part.groupby("report")[name].sum() for name in ("papers", "minutes")}
    return pd.DataFrame(columns, index=reports.index).reset_index()


def _middle(measure: str, rows: pd.DataFrame) -> "pd.Series":
    if MEASURES[measure].loss is None:
        return rows.groupby("report")[measure].median()
    medians = {report: median_loss(measure, outcomes) for report, outcomes in rows.groupby("report")["outcome"]}
    defined = {report: exact_text([loss]) for report, loss in medians.items() if not loss.is_nan()}
    return pd.Series(defined, dtype=object)
