"""Table of the scores of rankings, shared by the command line and all pages."""

import sys
from collections.abc import Collection, Sequence
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.data.editing import decisions
from presort.data.learning.official import official_rows
from presort.data.learning.outcomes import outcome_columns, scored_rankings
from presort.data.learning.rankings import replays
from presort.data.records import Condition, OutcomeColumns, ScoredRanking
from presort.data.store import Store
from presort.desk.scores.registry import MEASURES, score
from presort.desk.text import exact_text
from presort.metrics import Outcome, compare_natural
from presort.metrics.loss import decimal_losses, log_losses, losses

MEASURED = tuple(name for name, measure in MEASURES.items() if measure.needs == "outcome")  # others need scores
HEADLINES = ("relative_last_position", "aselt", "nosel", "copnori", "average_precision")

LEAST_LOSS = sys.float_info.min  # of an outcome that is not the best, though the nearest float may be 0
PERCENT = 2  # powers of ten
LIVE, REPLAY, LATE = "live", "replay", "late"  # sources of rankings

Rows = NDArray[np.intp]


def official(store: Store, *, report: str | None = None, replay: int | None = None) -> list[ScoredRanking]:
    """Return the official ranking of each report, issue and ranker, in that order; `scores` says which it is."""
    scored, rows = _read_official(store, report, replay)
    place = {number: place for place, number in enumerate(scored.ranking_id[rows[scored.is_evaluable[rows]]].tolist())}
    chosen = [x for x in scored_rankings(store, report) if x.ranking_id in place]
    return sorted(chosen, key=lambda x: place[x.ranking_id])


def not_evaluable(store: Store, *, report: str | None = None, replay: int | None = None) -> pd.DataFrame:
    """List the report issues that `scores` leaves out because unread papers may be relevant.

    Returns
    -------
    DataFrame
        Columns ``report``, ``issue`` and ``ranker``, by which they are sorted, ``n_papers``, and ``n_relevant``, the
        relevant papers found so far.
    """
    scored, rows = _read_official(store, report, replay)
    return _not_scored(scored, rows[~scored.is_evaluable[rows]])


def scores_and_not_evaluable(
    store: Store, *, report: str | None = None, replay: int | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return `scores` and `not_evaluable` of a report or of all, reading the rankings only once."""
    scored, rows = _read_official(store, report, replay)
    is_evaluable = scored.is_evaluable[rows]
    evaluable = rows[is_evaluable]
    return _table(scored, evaluable, _sources(store, scored, evaluable)), _not_scored(scored, rows[~is_evaluable])


def n_not_evaluable(
    left_out: pd.DataFrame,
    rankers: Collection[str] | None = None,
    reports: Collection[str] | None = None,
    *,
    first: date | None = None,
    last: date | None = None,
) -> int:
    """Count the report issues in a result of `not_evaluable`, by default of all rankers, reports and dates."""
    issue = left_out["issue"]
    is_asked = issue.between(pd.Timestamp(first or issue.min()), pd.Timestamp(last or issue.max()))
    for name, chosen in {"ranker": rankers, "report": reports}.items():
        if chosen is not None:
            is_asked &= left_out[name].isin(chosen)
    return left_out[is_asked].groupby(["report", "issue"]).ngroups


def scores(store: Store, *, report: str | None = None, replay: int | None = None) -> pd.DataFrame:
    """Score one ranking for each report, issue and ranker, if the report issue is evaluable.

    Parameters
    ----------
    report : str, optional
        Defaults to all reports.
    replay : int, optional
        Only the rankings of that replay. Defaults to all rankings, of which `official_rows` chooses.

    Returns
    -------
    DataFrame
        Columns ``report``, ``issue``, ``ranker``, ``ranking_id``, ``replay`` (missing for rankings made for an
        editor), ``condition`` (a `Condition`), ``source`` (see `scores_by_source`), ``was_shown`` (whether the editor
        had the papers in this order), ``is_trained``, ``was_read_whole`` (whether nothing of the list was left unread,
        in whichever order it was read), ``n_papers``, ``n_relevant``, ``outcome``, and one for each of `MEASURED`; by
        report, issue and ranker.
    """
    return scores_and_not_evaluable(store, report=report, replay=replay)[0]


def scores_by_source(store: Store, *, report: str | None = None) -> pd.DataFrame:
    """Score the official ranking of each report, issue, ranker and source.

    Live rankings were made before the report issue was published, by the model of that week and from fewer decisions
    than those of a replay. So rankers are compared fairly only within one source: see `same_conditions`.

    Returns
    -------
    DataFrame
        As `scores`. ``source`` is `LIVE`, or ``replay-N`` for a replay that was trained every N issues. Rankings made
        after the publication have neither source and are left out; `scores` gives them `LATE`.
    """
    scored = outcome_columns(store, report)
    rows = np.flatnonzero(scored.is_evaluable & (scored.condition >= Condition.REPLAY))
    source = _sources(store, scored, rows)
    keys = [*(one[rows] for one in (scored.report, scored.issue, scored.ranker)), source]
    official = official_rows(keys, scored.condition[rows], scored.ranking_id[rows])
    return _table(scored, rows[official], source[official])


def for_comparison(store: Store, table: pd.DataFrame) -> pd.DataFrame:
    """Add the rankings of other sources to a table of `scores`, if it has several sources, to compare its rankers.

    A ranker that is in use has live rankings in `scores`, and another one only replayed rankings of the same issues:
    they are comparable by the replayed rankings of both.
    """
    if "source" not in table or table["source"].nunique() < 2:
        return table
    keys = ["report", "issue", "ranker"]
    found = scores_by_source(store)
    is_asked = pd.MultiIndex.from_frame(found[keys]).isin(pd.MultiIndex.from_frame(table[keys]))
    return found[is_asked].reset_index(drop=True)


def n_by_source(table: pd.DataFrame, n_rankers: int) -> "pd.Series[int]":
    """Count the report issues that at least so many rankers ranked from the same source, by source.

    The source of most report issues is first, and `LIVE` before others of as many.
    """
    n = table.groupby(["source", "report", "issue"])["ranker"].nunique()
    counts = (n >= n_rankers).groupby("source").sum().astype(int)
    is_live = counts.index.to_series() == LIVE
    return counts.loc[pd.DataFrame({"n": counts, "live": is_live}).sort_values(["n", "live"], ascending=False).index]


def same_conditions(table: pd.DataFrame, n_rankers: int) -> pd.DataFrame:
    """Keep the rankings of one source: that in which at least so many rankers ranked the most report issues.

    Live and replayed rankings are never compared. A replay trains on all decisions on earlier issues, also on those
    made later, and with today's model. Replays that were trained at different intervals are compared only if the
    rankers have no source in common. A table without the column ``source`` has a single one.
    """
    if "source" not in table or table.empty:
        return table
    counts = n_by_source(table, n_rankers)
    if counts.iloc[0]:
        return table.loc[table["source"] == str(counts.index[0])]
    is_replayed = table["source"].str.startswith(REPLAY)
    return table.loc[is_replayed].drop_duplicates(["report", "issue", "ranker"], keep="last")


def summarise(table: pd.DataFrame, *, by: Sequence[str] = ("ranker",)) -> pd.DataFrame:
    """Average the scores of each group.

    Parameters
    ----------
    table : DataFrame
        As `scores` gives it.
    by : sequence of str
        Columns that make a group.

    Returns
    -------
    DataFrame
        A row a group: its columns; ``report_issues`` and, among them, ``nothing_relevant`` (left out of every
        average), ``all_relevant`` (no order is better or worse, so left out of those of Aselt, Nosel and Copnori) and
        ``list_order`` (too few decisions to train); mean and median of relative last position and the means of the
        other `HEADLINES`.
    """
    kinds = {
        "nothing_relevant": table["n_relevant"] == 0,
        "all_relevant": table["n_relevant"] == table["n_papers"],
        "list_order": ~table["is_trained"].astype(bool),
    }
    groups = table.assign(**kinds).groupby(list(by), sort=True)
    columns = {"report_issues": groups.size()} | {name: groups[name].sum() for name in kinds}
    columns |= {f"mean_{name}": groups[name].mean() for name in HEADLINES}
    columns |= {"median_relative_last_position": groups["relative_last_position"].median()}
    return pd.DataFrame(columns).reset_index()


def on_common_issues(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the report issues that all rankers of the table ranked under the same conditions, to compare their means."""
    n_rankers = table["ranker"].nunique()
    alike = same_conditions(table, n_rankers)
    return alike[alike.groupby(["report", "issue"])["ranker"].transform("nunique") == n_rankers]


def large_reports(store: Store, min_papers: int) -> set[str]:
    """Return the codes of the reports with so many relevant papers in all issues."""
    return {code for code, n in decisions.n_relevant(store).items() if n >= min_papers}


def comparable(table: pd.DataFrame, rankers: Collection[str]) -> pd.DataFrame:
    """Keep the report issues on which rankers can be compared fairly.

    Parameters
    ----------
    table : DataFrame
        As `scores` or `for_comparison` gives it, of these rankers.
    rankers : collection of str
        All of them must have ranked a report issue under the `same_conditions`: the same papers with the same ones
        relevant, at least one.
    """
    table = same_conditions(table, len(rankers))
    groups = table.groupby(["report", "issue"])
    is_common = groups["ranker"].transform("nunique") == len(rankers)
    is_same = (groups[["n_papers", "n_relevant"]].transform("nunique") == 1).all(axis="columns")
    return table[is_common & is_same & (table["n_relevant"] > 0)]


def side_by_side(table: pd.DataFrame, rankers: Sequence[str]) -> pd.DataFrame:
    """Average the scores of each ranker, and compare it with the first one in natural order.

    Parameters
    ----------
    table : DataFrame
        As `comparable` gives it, of these rankers.
    rankers : sequence of str
        In the order of the rows, at least one.

    Returns
    -------
    DataFrame
        One row per ranker: the columns of `summarise`; ``mean_copnori_gap``, the mean of 1 - Copnori, above 0 unless
        every outcome is the best; ``earlier``, ``same`` and ``later``, the shares of report issues in which the last
        relevant paper is earlier than with the first ranker, all are at the same places, or the last one is later. If
        the last one is at the same place, the one before it counts, and so on. NaN for the first ranker.
    """
    ranked = summarise(table).set_index("ranker").loc[list(rankers)]
    copnori_losses = pd.Series(losses("copnori", table["outcome"], least=LEAST_LOSS), table.index)
    ranked["mean_copnori_gap"] = copnori_losses.groupby(table["ranker"]).mean()
    outcomes = {name: rows.set_index(["report", "issue"])["outcome"] for name, rows in table.groupby("ranker")}
    signs = pd.DataFrame({name: outcomes[name].combine(outcomes[rankers[0]], compare_natural) for name in rankers[1:]})
    for name, sign in {"earlier": -1, "same": 0, "later": 1}.items():
        ranked[name] = (signs == sign).mean().reindex(ranked.index).astype(float)
    return ranked.reset_index()


def mean_copnori(table: pd.DataFrame, by: Sequence[str]) -> list[str]:
    """Write the mean Copnori of each group, in the order of `summarise`; only the best outcomes read as 100 %."""
    groups = table.groupby(list(by), sort=True)["outcome"]
    return [exact_text(decimal_losses("copnori", outcomes)) for _, outcomes in groups]


def drawn(measure: str, table: pd.DataFrame) -> "pd.Series[float]":
    """Return the plotted values of a measure: its value, or the logarithm of its loss in percent.

    Good outcomes would all be drawn at 1 otherwise. The best outcome, whose loss is 0, is -inf.
    """
    if not MEASURES[measure].loss:
        return table[measure]
    return pd.Series(log_losses(measure, table["outcome"].to_list()) + PERCENT, table.index)


def exact_values(measure: str, table: pd.DataFrame) -> "pd.Series[str]":
    """Write the values of a measure that has a `Measure.loss`, as `exact_text` does."""
    if MEASURES[measure].loss is None:
        raise ValueError(f"measure must have an exact distance from its best value, got {measure!r}")
    texts = [exact_text([loss]) for loss in decimal_losses(measure, table["outcome"])]
    return pd.Series(texts, table.index, dtype=object)


def _described(scored: OutcomeColumns, rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "report": pd.array(scored.report[rows], dtype="str"),
            "issue": pd.to_datetime(scored.issue[rows]),
            "ranker": pd.array(scored.ranker[rows], dtype="str"),
        }
    )


def _not_scored(scored: OutcomeColumns, rows: Rows) -> pd.DataFrame:
    return _described(scored, rows).assign(n_papers=scored.n_papers[rows], n_relevant=scored.n_relevant[rows])


def _sources(store: Store, scored: OutcomeColumns, rows: Rows) -> NDArray[np.object_]:
    """Name the source of each ranking."""
    trained_every = {old.id: f"{REPLAY}-{old.retrain_every}" for old in replays(store)}
    sources = np.full(len(rows), LATE, dtype=object)
    sources[scored.condition[rows] >= Condition.LIVE] = LIVE
    for number in np.unique(scored.replay[rows]).tolist():
        if number:
            sources[scored.replay[rows] == number] = trained_every.get(number, REPLAY)
    return sources


def _table(scored: OutcomeColumns, rows: Rows, source: NDArray[np.object_]) -> pd.DataFrame:
    outcomes = np.empty(len(scored.ranking_id), dtype=object)
    outcomes[:] = Outcome.split(scored.places, scored.n_relevant, scored.n_papers)
    outcomes = outcomes[rows]
    described = _described(scored, rows).assign(
        ranking_id=scored.ranking_id[rows],
        replay=pd.arrays.IntegerArray(scored.replay[rows], mask=scored.replay[rows] == 0),
        condition=scored.condition[rows],
        source=pd.array(source, dtype="str"),
        was_shown=scored.condition[rows] == Condition.SHOWN,
        is_trained=scored.is_trained[rows],
        was_read_whole=scored.was_read_whole[rows],
        n_papers=scored.n_papers[rows],
        n_relevant=scored.n_relevant[rows],
        outcome=pd.Series(outcomes, dtype=object),
    )
    return pd.concat([described, score(outcomes, MEASURED)], axis="columns")


def _read_official(store: Store, report: str | None, replay: int | None) -> tuple[OutcomeColumns, Rows]:
    """Read the rankings of a report or of all, and which rows of them are official."""
    scored = outcome_columns(store, report)
    return scored, _official(scored, replay)


def _official(scored: OutcomeColumns, replay: int | None) -> Rows:
    """Find the official row of each report, issue and ranker, sorted by these: of all rankings, or of a replay."""
    some = np.arange(len(scored.ranking_id)) if replay is None else np.flatnonzero(scored.replay == replay)
    keys = [one[some] for one in (scored.report, scored.issue, scored.ranker)]
    return some[official_rows(keys, scored.condition[some], scored.ranking_id[some])]
