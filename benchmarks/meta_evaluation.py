"""Claim: strictness and robustness of the measures are as shown in docs/measures.md.

Run as ``python -m benchmarks.meta_evaluation WORKSPACE``. The workspace must contain at least one replay (``presort
replay``). All replays must cover the same rankers and issues, and may differ in their training dates. A system is a
ranker in a replay, or the list order. A topic is a report issue that all systems ranked. The standard measures are
computed by ir-measures.
"""

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, RR, P, Rprec, nDCG
from scipy.stats import rankdata

from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.store import Store, open_store
from presort.desk.scores import table as scores_table
from presort.metrics import MEASURES, Outcome, score
from presort.metrics.meta_evaluation import robustness, robustness_topics, strictness
from presort.metrics.run_scores import SAME

STANDARD = [AP, RR, nDCG, P @ 10, Rprec]
OURS = [name for name, measure in MEASURES.items() if measure.needs == "outcome" and name not in SAME]


def outcomes_of_systems(store: Store) -> pd.DataFrame:
    """Return a table of outcomes: a row per evaluable report issue that all systems ranked, and a column per system."""
    systems = {}
    for replay in rankings.replays(store):
        scored = scores_table.scores(store, replay=replay.id)
        for ranker, rows in scored.groupby("ranker"):
            systems[f"{ranker}, replay {replay.id}"] = rows.set_index(["report", "issue"])["outcome"]
    table = pd.DataFrame(systems).dropna()
    table = table[[0 < outcome.r < outcome.n for outcome in table.iloc[:, 0]]]
    as_received = list_order(store, table.index.tolist())
    return table.assign(**{"list order": pd.Series(as_received)})


def list_order(
    store: Store, report_issues: Sequence[tuple[str, pd.Timestamp]]
) -> dict[tuple[str, pd.Timestamp], Outcome]:
    """Return the outcomes of report issues in list order."""
    history = read_history(store, date.max)
    number_of = {pd.Timestamp(issue): number for number, issue in enumerate(history.issues)}
    outcomes = {}
    for report, issue in report_issues:
        start, end = history.starts[number_of[issue]], history.starts[number_of[issue] + 1]
        rows = history.relevant[report]
        outcomes[report, issue] = Outcome(rows[(rows >= start) & (rows < end)] - start + 1, int(end - start))
    return outcomes


def standard_scores(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """Score one system with ir-measures. Returns a row per topic and a column per measure."""
    relevant = [outcome.positions.tolist() for outcome in outcomes]
    qrels = {str(i): {str(place): 1 for place in places} for i, places in enumerate(relevant)}
    run = {
        str(i): {str(place): float(outcome.n - place) for place in range(1, outcome.n + 1)}
        for i, outcome in enumerate(outcomes)
    }
    found = ir_measures.iter_calc(STANDARD, qrels, run)
    rows = [(int(metric.query_id), str(metric.measure), metric.value) for metric in found]
    return pd.DataFrame(rows, columns=["topic", "measure", "value"]).pivot_table(
        index="topic", columns="measure", values="value"
    )


def scores_by_measure(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return each measure's scores as an array of shape (n_report_issues, n_systems); higher is better."""
    stacked = {}
    for name in OURS:
        measure = MEASURES[name]
        # Losses are replaced by ranks within each report issue, because different losses may round to the same float.
        if measure.loss:
            gaps = table.map(measure.loss)
            stacked[measure.label] = np.array([[-sorted(row).index(gap) for gap in row] for row in gaps.to_numpy()])
        else:
            sign = 1 if measure.higher_is_better else -1
            stacked[measure.label] = sign * np.array([score(table[system], [name])[name] for system in table]).T
    standard = [standard_scores(table[system].tolist()) for system in table]
    return stacked | {str(measure): np.array([scores[str(measure)] for scores in standard]).T for measure in STANDARD}


def mean_strictness(scores: dict[str, np.ndarray]) -> dict[str, float]:
    """Return each measure's strictness on a single report issue, averaged over all report issues."""
    ranks = {name: rankdata(-values, axis=1) for name, values in scores.items()}
    means = {}
    for name, ours in ranks.items():
        falls = np.max([theirs - ours for other, theirs in ranks.items() if other != name], axis=0)
        means[name] = -float(falls.max(axis=1).mean()) / ours.shape[1]
    return means


def main() -> None:
    """Print the table in Markdown."""
    store = open_store(Path(sys.argv[1]))
    try:
        table = outcomes_of_systems(store)
    finally:
        store.close()
    scores = scores_by_measure(table)
    means = mean_strictness(scores)
    print(f"{table.shape[1]} systems ({'; '.join(table.columns)}), {len(table):,} report issues\n")
    print("| measure | robustness | report issues that distinguish systems | strictness | mean over report issues |")
    print("|---|---|---|---|---|")
    for name in sorted(scores, key=lambda name: -robustness(scores, name)):
        styles = robustness_topics(scores, name).mean()
        print(
            f"| {name} | {robustness(scores, name):.3f} | {styles:.1%} | {strictness(scores, name):.3f} "
            f"| {means[name]:.3f} |"
        )


if __name__ == "__main__":
    main()
