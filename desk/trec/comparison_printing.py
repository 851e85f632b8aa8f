"""Terminal output of `presort compare`."""

import math
from collections.abc import Mapping

import pandas as pd
from rich.table import Table

from presort.desk.console.printing import out, print_table, table_of
from presort.desk.scores.correlations import PAIRS, correlations
from presort.desk.text import count_text
from presort.desk.trec.printing import DECIMALS, FEW, abbreviate_names
from presort.metrics import SystemsTopics
from presort.metrics.comparison import Comparison
from presort.metrics.improvement import ROBUST
from presort.metrics.paired_tests import MOST_SYSTEMS

CHANCE = 0.05  # significance level
SMALLEST_P = 0.0001  # smallest p-value that can be shown with four decimals
MOST_ROWS = 20
LEAST_CORRELATED = 3  # minimum number of systems for correlations
EXTREMES = (  # lists of topics: title, column, function that maps its values to sort keys, True to sort ascending
    ("Easiest topics", "mean", None, False),
    ("Hardest topics", "mean", None, True),
    ("Most discriminating topics", "hub", abs, False),
    ("Least discriminating topics", "hub", abs, True),
)


def show_comparison(comparison: Comparison) -> None:
    """Print the improvement ratios, the paired tests, and the graph of systems and topics."""
    measures = list(comparison.scores)
    n_topics, n_systems = comparison.scores[measures[0]].shape
    out.print(f"{count_text(n_systems, 'system')} on {count_text(n_topics, 'topic')} by {', '.join(measures)}.")
    if comparison.left_out:
        left = f"{count_text(len(comparison.left_out), 'topic')} ({abbreviate_names(comparison.left_out)})"
        out.print(f"Left out because of missing scores: {left}.")
    if comparison.by_distance:
        names = ", ".join(comparison.by_distance)
        out.print(
            f"Shown as log2 of the distance from the best order, because values of good orders round to 1: {names}."
        )
    if turned := [*comparison.turned, *comparison.by_distance]:
        out.print(f"Negated so that higher is better, therefore not included in F: {', '.join(turned)}.")
    _show_improvements(comparison)
    for measure, tests in comparison.tests.items():
        _show_tests(measure, tests, comparison.at_once.get(measure), n_systems)
    _show_graph(comparison)


def _figures(table: pd.DataFrame) -> Table:
    return table_of(table, heads=table.columns.to_list(), decimals=DECIMALS)


def _show_improvements(comparison: Comparison) -> None:
    table, measures = comparison.improvements, list(comparison.scores)
    has_reference = table["reference"].notna()
    shown = table[measures].assign(
        F=table["mean_f"],
        improves=table["improves"].map(len),
        reference=table["reference"].where(has_reference, "-"),
        UIR=table["reference_uir"].map("{:.2f}".format).where(has_reference, "-"),
    )
    if len(measures) == 1 or shown["F"].isna().all():
        shown = shown.drop(
            columns="F"
        )  # for a single measure, F is the measure itself; for negated measures, F is undefined
    out.print("\nUnanimous improvement")
    _show_first_rows(shown.reset_index())
    out.print(
        "UIR: share of topics on which no measure is worse and at least one is better, minus the share with the "
        f"opposite result. improves: number of other systems on which this system improves with UIR >= "
        f"{ROBUST}. reference: the system that improves most on this system."
    )


def _show_tests(measure: str, tests: pd.DataFrame, at_once: pd.DataFrame | None, n_systems: int) -> None:
    n_pairs = count_text(math.comb(n_systems, 2), "pair")
    out.print(f"\nPaired tests by {measure}: p-values with Holm's correction for {n_pairs}")
    p_values = {"Wilcoxon": tests["wilcoxon_holm"], "permutation": tests["permutation_holm"]}
    made = {name: values for name, values in p_values.items() if values.notna().all()}
    shown = made if at_once is None else made | {"Tukey": at_once["p"].head(len(tests))}  # same pairs in its first rows
    texts = {name: values.map(_p_text) for name, values in shown.items()}
    if "permutation" in texts:
        bound = texts["permutation"].where(texts["permutation"].str.startswith("<"), "≤" + texts["permutation"])
        texts["permutation"] = bound.where(tests["permutation_at_floor"], texts["permutation"])
    _show_first_rows(tests[["system", "other", "difference"]].assign(**texts))
    if n_systems > MOST_SYSTEMS:
        out.print(
            f"More than {MOST_SYSTEMS} systems: tests compare only the best with each of the others. They are "
            f"corrected for all {n_pairs}, because the best system was chosen on the same topics."
        )
    if "permutation" in texts and texts["permutation"].str.startswith("≤").any():
        out.print("≤: upper bound, because no random sign flip reached the difference.")
    if "permutation" not in made:
        out.print("No permutation test: with this correction, a small p-value would need too many sign flips.")
    if at_once is not None:
        out.print(_tukey_text(at_once["p"], shown))


def _tukey_text(p_values: "pd.Series[float]", shown: Mapping[str, "pd.Series[float]"]) -> str:
    n_tested, n_found = len(shown["Tukey"]), {name: int((values < CHANCE).sum()) for name, values in shown.items()}
    by_test = ", ".join(f"{name} {n:,}" for name, n in n_found.items())
    return (
        "Tukey: randomised HSD, which tests all pairs at once and needs no correction. Significant "
        f"(p < {CHANCE}): {(p_values < CHANCE).sum():,} of {count_text(len(p_values), 'pair')}. Significant among the "
        f"{count_text(n_tested, 'pair')} in this table: {by_test}."
    )


def _show_graph(comparison: Comparison) -> None:
    systems, topics = comparison.graph.systems, comparison.graph.topics
    out.print(f"\nSystems and topics by {next(iter(comparison.scores))}")
    best_first = systems.sort_values("mean", ascending=False, kind="stable")
    _show_first_rows(best_first[["mean", "authority", "hub"]].rename_axis("system").reset_index())
    out.print(
        "authority: high for systems that are good on topics with a high hub value. hub of a system: high if it orders "
        "topics from easy to hard as most systems do, negative if it orders them in reverse. hub of a topic: high if "
        "it orders systems as most topics do."
    )
    for what, column, key, ascending in EXTREMES:
        ordered = topics[column].dropna().sort_values(ascending=ascending, kind="stable", key=key).head(FEW)
        named = ", ".join(f"{name} ({value:z.3f})" for name, value in ordered.items())
        out.print(f"{what}: {named or 'not defined'}")
    _show_correlations(comparison.graph)


def _show_correlations(graph: SystemsTopics) -> None:
    """Print the correlations that the *Systems and topics* page shows, or a note if there are too few systems."""
    n_systems, n_topics = count_text(len(graph.systems), "system"), count_text(len(graph.topics), "topic")
    out.print(f"\nCorrelations (Pearson) over {n_systems} and {n_topics}")
    if len(graph.systems) < LEAST_CORRELATED:
        out.print(f"Needs at least {LEAST_CORRELATED} systems: with two systems, a correlation is always 1 or -1.")
        return
    table = correlations(graph)
    shown = {"of": PAIRS.values()} | {side: table[side].map(_correlation_text) for side in ("systems", "topics")}
    print_table(_figures(pd.DataFrame(shown)))


def _correlation_text(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:z.2f}"


def _p_text(p: float) -> str:
    return f"{p:.4f}" if p >= SMALLEST_P else f"<{SMALLEST_P}"


def _show_first_rows(table: pd.DataFrame) -> None:
    print_table(_figures(table.head(MOST_ROWS)))
    if len(table) > MOST_ROWS:
        out.print(f"... and {len(table) - MOST_ROWS:,} more rows. --json prints all.")
