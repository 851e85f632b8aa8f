"""Tables with the scores of rankings, shared by the command line and all pages.

A report issue may have several rankings by the same ranker. Only one of them is scored, the *official* ranking, which
`presort.data.learning.official` chooses. A report issue is *evaluable* if it was read far enough to be scored.
"""

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

# Measures that are computed from outcomes alone. All others need the ranker's scores.
MEASURED = tuple(name for name, measure in MEASURES.items() if measure.needs == "outcome")
HEADLINES = ("relative_last_position", "aselt", "nosel", "copnori", "average_precision")

LEAST_LOSS = sys.float_info.min  # used instead of a loss that rounds to 0, for an outcome that isn't the best
PERCENT = 2  # added to log10 of a loss to express it in percent
LIVE, REPLAY, LATE = "live", "replay", "late"  # sources of rankings: see `scores_by_source`

Rows = NDArray[np.intp]


def official_rankings(store: Store, *, report: str | None = None, replay: int | None = None) -> list[ScoredRanking]:
    """Return the rankings that `scores` covers: the evaluable official ranking for each report, issue and ranker.

    The result is sorted by report, issue and ranker.
    """
    scored, rows = _read_official(store, report, replay)
    place = {number: place for place, number in enumerate(scored.ranking_id[rows[scored.is_evaluable[rows]]].tolist())}
    chosen = [x for x in scored_rankings(store, report) if x.ranking_id in place]
    return sorted(chosen, key=lambda x: place[x.ranking_id])


def find_not_evaluable(store: Store, *, report: str | None = None, replay: int | None = None) -> pd.DataFrame:
    """List the rankings that `scores` leaves out because their unread papers may be relevant.

    Returns
    -------
    DataFrame
        Columns ``report``, ``issue``, ``ranker``, ``n_papers`` and ``n_relevant`` (relevant papers found so far),
        sorted by the first three.
    """
    scored, rows = _read_official(store, report, replay)
    return _not_evaluable_table(scored, rows[~scored.is_evaluable[rows]])


def scores_and_not_evaluable(
    store: Store, *, report: str | None = None, replay: int | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the results of `scores` and `find_not_evaluable`, reading the rankings only once."""
    scored, rows = _read_official(store, report, replay)
    is_evaluable = scored.is_evaluable[rows]
    evaluable = rows[is_evaluable]
    return _table(scored, evaluable, _sources(store, scored, evaluable)), _not_evaluable_table(
        scored, rows[~is_evaluable]
    )


def n_not_evaluable(
    left_out: pd.DataFrame,
    rankers: Collection[str] | None = None,
    reports: Collection[str] | None = None,
    *,
    first: date | None = None,
    last: date | None = None,
) -> int:
    """Count the report issues in a result of `find_not_evaluable`. By default, nothing is filtered out."""
    issue = left_out["issue"]
    is_asked = issue.between(pd.Timestamp(first or issue.min()), pd.Timestamp(last or issue.max()))
    for name, chosen in {"ranker": rankers, "report": reports}.items():
        if chosen is not None:
            is_asked &= left_out[name].isin(chosen)
    return left_out[is_asked].groupby(["report", "issue"]).ngroups


def scores(store: Store, *, report: str | None = None, replay: int | None = None) -> pd.DataFrame:
    """Score the official ranking for each report, issue and ranker, if the report issue is evaluable.

    Parameters
    ----------
    report : str, optional
        Report code. Defaults to all reports.
    replay : int, optional
        Replay whose rankings are scored. Defaults to all rankings, from which `official_rows` selects.

    Returns
    -------
    DataFrame
        Columns ``report``, ``issue``, ``ranker``, ``ranking_id``, ``replay`` (missing for rankings computed for an
        editor), ``condition`` (a `Condition`), ``source`` (see `scores_by_source`), ``was_shown`` (True if the editor
        was shown the papers in this order), ``is_trained``, ``was_read_whole`` (True if every paper was read, in any
        order), ``n_papers``, ``n_relevant``, ``outcome``, and one column for each of `MEASURED`. Sorted by report,
        issue and ranker.
    """
    return scores_and_not_evaluable(store, report=report, replay=replay)[0]


def scores_by_source(store: Store, *, report: str | None = None) -> pd.DataFrame:
    """Score the official ranking for each report, issue, ranker and source.

    Live rankings were computed before the report issue was published, with the model used that week and with fewer
    decisions than a replay uses. For a fair comparison, use rankings from a single source: see `keep_same_conditions`.

    Returns
    -------
    DataFrame
        Columns of `scores`. ``source`` is `LIVE`, or ``replay-N`` for a replay that was trained every N issues.
        Rankings computed after publication are left out; their source in `scores` is `LATE`.
    """
    scored = outcome_columns(store, report)
    rows = np.flatnonzero(scored.is_evaluable & (scored.condition >= Condition.REPLAY))
    source = _sources(store, scored, rows)
    keys = [*(one[rows] for one in (scored.report, scored.issue, scored.ranker)), source]
    official = official_rows(keys, scored.condition[rows], scored.ranking_id[rows])
    return _table(scored, rows[official], source[official])


def comparison_scores(store: Store, table: pd.DataFrame) -> pd.DataFrame:
    """Return scores with which the rankers in a table of `scores` can be compared fairly.

    In `scores`, the active ranker has live rankings, while other rankers may have only replayed rankings of the same
    issues. Rankings can be compared only if they come from the same source. If the table has several sources, the
    result therefore contains the rankings from each of them, and `keep_same_conditions` can choose one source. A table
    with a single source is returned unchanged.
    """
    if "source" not in table or table["source"].nunique() < 2:
        return table
    keys = ["report", "issue", "ranker"]
    found = scores_by_source(store)
    is_asked = pd.MultiIndex.from_frame(found[keys]).isin(pd.MultiIndex.from_frame(table[keys]))
    return found[is_asked].reset_index(drop=True)


def n_by_source(table: pd.DataFrame, n_rankers: int) -> "pd.Series[int]":
    """For each source, count the report issues ranked by at least `n_rankers` rankers.

    The result is sorted by count, highest first. In a tie, `LIVE` comes first.
    """
    n = table.groupby(["source", "report", "issue"])["ranker"].nunique()
    counts = (n >= n_rankers).groupby("source").sum().astype(int)
    is_live = counts.index.to_series() == LIVE
    return counts.loc[pd.DataFrame({"n": counts, "live": is_live}).sort_values(["n", "live"], ascending=False).index]


def keep_same_conditions(table: pd.DataFrame, n_rankers: int) -> pd.DataFrame:
    """Keep the rankings from a single source, so that rankers can be compared fairly.

    The chosen source has the most report issues that were ranked by at least `n_rankers` rankers. Live and replayed
    rankings are never compared with each other, because a replay uses today's model and also includes decisions on
    earlier issues that were made after the live ranking was computed. Replays with different training intervals are
    compared only if the rankers have no source in common. A table without the column ``source`` is returned unchanged.
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
        Result of `scores`.
    by : sequence of str
        Columns to group by.

    Returns
    -------
    DataFrame
        One row per group: the columns of `by`; ``report_issues``, the number of report issues; ``nothing_relevant``,
        the number without relevant papers (left out of all means); ``all_relevant``, the number with only relevant
        papers (left out of the means of Aselt, Nosel and Copnori because all orders are equally good); ``list_order``,
        the number in list order because there were too few decisions to train; mean and median of the relative last
        position; and means of the other `HEADLINES`.
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


def keep_common_issues(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for report issues that every ranker in the table ranked under the same conditions."""
    n_rankers = table["ranker"].nunique()
    alike = keep_same_conditions(table, n_rankers)
    return alike[alike.groupby(["report", "issue"])["ranker"].transform("nunique") == n_rankers]


def large_reports(store: Store, min_papers: int) -> set[str]:
    """Return the codes of reports with at least `min_papers` relevant papers, counted over all issues."""
    return {code for code, n in decisions.n_relevant(store).items() if n >= min_papers}


def keep_comparable(table: pd.DataFrame, rankers: Collection[str]) -> pd.DataFrame:
    """Return the rows for report issues on which the rankers can be compared fairly.

    Parameters
    ----------
    table : DataFrame
        Result of `scores` or `comparison_scores`, limited to these rankers' rows.
    rankers : collection of str
        Rankers to compare. A report issue is kept only if all of them ranked it under the same conditions (see
        `keep_same_conditions`), with the same number of papers and of relevant papers (at least one).
    """
    # Only comparable report issues may decide which source is compared.
    table = keep_same_conditions(table[table["n_relevant"] > 0], len(rankers))
    groups = table.groupby(["report", "issue"])
    is_common = groups["ranker"].transform("nunique") == len(rankers)
    is_same = (groups[["n_papers", "n_relevant"]].transform("nunique") == 1).all(axis="columns")
    return table[is_common & is_same]


def side_by_side(table: pd.DataFrame, rankers: Sequence[str]) -> pd.DataFrame:
    """Average the scores of each ranker, and compare each ranker with the first one in natural order.

    Parameters
    ----------
    table : DataFrame
        Result of `keep_comparable` for these rankers.
    rankers : sequence of str
        Rankers, at least one, in the order in which rows are returned.

    Returns
    -------
    DataFrame
        One row per ranker: the columns of `summarise`; ``mean_copnori_gap``, the mean of 1 - Copnori, which is 0 only
        if every outcome is the best; and ``earlier``, ``same`` and ``later``, the shares of report issues in which the
        last relevant paper is earlier than with the first ranker, all relevant papers are in the same positions, or the
        last one is later. If the last relevant papers are in the same position, those before them decide, and so on.
        NaN for the first ranker.
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
    """Format each group's mean Copnori, in the order of `summarise`. Only perfect outcomes are shown as 100 %."""
    groups = table.groupby(list(by), sort=True)["outcome"]
    return [exact_text(decimal_losses("copnori", outcomes)) for _, outcomes in groups]


def values_to_plot(measure: str, table: pd.DataFrame) -> "pd.Series[float]":
    """Return a measure's values for plotting or, if it has a loss, log10 of its losses in percent.

    Without the logarithm, all good outcomes would be plotted at 1. The best outcome, whose loss is 0, becomes -inf.
    """
    if not MEASURES[measure].loss:
        return table[measure]
    return pd.Series(log_losses(measure, table["outcome"].to_list()) + PERCENT, table.index)


def exact_values(measure: str, table: pd.DataFrame) -> "pd.Series[str]":
    """Format a measure's values with `exact_text`. The measure must have a `Measure.loss`."""
    if MEASURES[measure].loss is None:
        raise ValueError(f"measure must have a loss, got {measure!r}")
    texts = [exact_text([loss]) for loss in decimal_losses(measure, table["outcome"])]
    return pd.Series(texts, table.index, dtype=object)


def _key_table(scored: OutcomeColumns, rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "report": pd.array(scored.report[rows], dtype="str"),
            "issue": pd.to_datetime(scored.issue[rows]),
            "ranker": pd.array(scored.ranker[rows], dtype="str"),
        }
    )


def _not_evaluable_table(scored: OutcomeColumns, rows: Rows) -> pd.DataFrame:
    return _key_table(scored, rows).assign(n_papers=scored.n_papers[rows], n_relevant=scored.n_relevant[rows])


def _sources(store: Store, scored: OutcomeColumns, rows: Rows) -> NDArray[np.object_]:
    """Return each ranking's source."""
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
    described = _key_table(scored, rows).assign(
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
    """Read the rankings for a report, or for all reports, and find the official rows."""
    scored = outcome_columns(store, report)
    return scored, _find_official_rows(scored, replay)


def _find_official_rows(scored: OutcomeColumns, replay: int | None) -> Rows:
    """Find the official row for each report, issue and ranker.

    If `replay` is None, all rankings are considered. The rows are sorted by report, issue and ranker.
    """
    some = np.arange(len(scored.ranking_id)) if replay is None else np.flatnonzero(scored.replay == replay)
    keys = [one[some] for one in (scored.report, scored.issue, scored.ranker)]
    return some[official_rows(keys, scored.condition[some], scored.ranking_id[some])]
