"""The *Measures* and *Weights* tabs on the *Compare* page."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from presort.desk.compare import charts, tables
from presort.desk.scores.differences import Units, units_of_differences, units_of_leads
from presort.desk.scores.pairs import PAIR, PairedScores, follow_natural_order, improvements, pair_with_f
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.desk.text import count_text
from presort.desk.ui import cards, layout
from presort.desk.ui.cards import Card
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import measure_choice
from presort.metrics import FCurve
from presort.metrics.improvement import ROBUST

ROWS = 380  # height of a long table in pixels
FOREST = (
    "Mean difference divided by the root mean square (RMS) of the differences on all report issues. 0 means no "
    "difference, and 1 means the same difference on every report issue."
)
DIFFERENCE_COLUMNS: Mapping[str, tuple[str, str | None]] = {  # heading and help text of each column
    "label": (
        "Measure",
        "Natural order: share of lists on which the ranker is better minus share on which it is worse.",
    ),
    "ranker": ("Against", None),
    "difference_text": (
        "Better by",
        "Positive: the ranker is better. This also applies to measures for which lower is better.",
    ),
    "interval_text": (
        "95 % CI",
        "Confidence interval from sign flips of whole reports, not corrected for other measures and opponents.",
    ),
    "p_text": ("p", "p-value of the same sign-flip test, not corrected for other measures and opponents."),
    "mean_text": ("Mean", "Mean over lists on which the measure is defined, or median if the label says so."),
    "opponent_text": ("Mean, opponent", None),
    "wilcoxon_text": (
        "p, signed ranks",
        "Wilcoxon signed-rank test with Holm's correction over all measures and pairs of rankers.",
    ),
    "permutation_text": (
        "p, sign flips",
        "Permutation test with Holm's correction over all measures and pairs of rankers. ≤: upper bound, because no "
        "random flip reached the difference.",
    ),
    "tukey_text": (
        "p, Tukey",
        "Randomised Tukey HSD of all pairs of these rankers, for each measure separately.",
    ),
    "n_cases": ("Lists", "Report issues on which the measure is defined."),
}
ALPHA_HELP = (
    "F combines two measures. At weight 1, it depends only on the first measure. At weight 0, it depends only on the "
    "second."
)
UIR_HELP = (
    "Unanimous Improvement Ratio: share of lists on which neither measure is worse and at least one is better, minus "
    "the share on which the reverse holds. If the ratio is at least about 0.25, an improvement does not depend on the "
    "weights."
)
IMPROVEMENT_COLUMNS: Mapping[str, tuple[str, str | None]] = {
    "ranker": ("Ranker", None),
    "mean_f": ("Mean F", "Blank if one of the two measures can be negative, or if lower is better for one of them."),
    "improves": ("Robustly better than", None),
    "reference": ("Most often worse than", None),
    "reference_uir": ("UIR", UIR_HELP),
}
SWAP_COLUMNS: Mapping[str, tuple[str, str | None]] = {
    "alpha": ("Weight", "Weight of the first measure at which the two rankers swap."),
    "below": ("Ahead below", None),
    "above": ("Ahead above", None),
    "apart": (
        "Difference in F",
        "Largest difference in mean F on each side of the swap. The smaller of these two values is shown. Below 0.01, "
        "the swap hardly matters.",
    ),
}


def draw_measures(paired: PairedScores, ranker: str, opponents: Sequence[str], table: pd.DataFrame) -> None:
    """Draw the differences between a ranker and its opponents for each measure, as a forest plot and a table.

    Parameters
    ----------
    paired : PairedScores
        Comparison with at least one report issue.
    ranker : str
        Ranker to compare with its opponents.
    opponents : sequence of str
        Rankers with which `ranker` is compared, in the order of the table rows.
    table : DataFrame
        Result of `tables.difference_texts`.
    """
    order = {name: place for place, name in enumerate(opponents)}
    by_measure = table.groupby("measure", sort=False).ngroup()
    table = table.iloc[np.lexsort((table["ranker"].map(order), by_measure))].reset_index(drop=True)
    chart = charts.difference_intervals(table.dropna(subset="effect"), ranker, list(opponents))
    layout.reserve(chart.height, "forest").altair_chart(chart)
    st.caption(_tests_text(units_of_differences(paired), units_of_leads(paired), len(paired.rankers)), help=FOREST)
    hidden = ("ranker", "tukey_text") if len(opponents) == 1 else ()
    st.dataframe(
        table,
        hide_index=True,
        height=ROWS,
        column_order=[name for name in DIFFERENCE_COLUMNS if name not in hidden],
        column_config=_columns(DIFFERENCE_COLUMNS, words=("label", "ranker")),
    )
    as_file = table.drop(columns=[name for name in table.columns if str(name).endswith("_text")]).assign(against=ranker)
    offer("Download the differences as CSV", as_file, "compare-measures.csv")


def _tests_text(of: Units, natural: Units, n_rankers: int) -> str:
    """Describe the units of the significance tests and the number of ranker pairs tested.

    Examples
    --------
    >>> import numpy as np
    >>> _tests_text(Units("issue", np.arange(52), 12), Units("report", np.arange(8), 7), 3)
    'Tests over 52 issues (fewer than 12 reports); natural order over 8 reports · 3 pairs of rankers'
    """

    def units_text(units: Units) -> str:
        few = f" (fewer than {units.least} reports)" if units.kind == "issue" else ""
        return f"{count_text(units.n, units.kind)}{few}"

    itself = "" if natural.kind == of.kind else f"; natural order over {units_text(natural)}"
    short = f" · at least {of.least} needed for p < 0.05" if of.n < of.least else ""
    return f"Tests over {units_text(of)}{itself} · {count_text(math.comb(n_rankers, 2), 'pair')} of rankers{short}"


def draw_weights(
    paired: PairedScores, ranker: str, opponent: str, curve_of: Callable[[tuple[str, ...]], FCurve]
) -> None:
    """Draw the rankers' UIR for two measures, and their mean F against the weight of the first measure.

    If F is not defined for these measures, it is computed from Reliability and Sensitivity instead.

    Parameters
    ----------
    paired : PairedScores
        Comparison with at least one report issue.
    ranker, opponent : str
        The headline figure is the UIR of `ranker` over `opponent`.
    curve_of : callable
        Function that returns the result of `f_curves` for two measures.
    """
    with st.container(horizontal=True):
        one = measure_choice(st.container(width=320), PAIR[0], label="First measure", name="one")
        others = [name for name in MEASURED if name != one]
        other = measure_choice(st.container(width=320), PAIR[1], label="Second measure", name="other", options=others)
    pair = (one, other)
    table, ratios = improvements(paired, pair)
    weighed = tuple(pair_with_f(paired, pair))
    curve = curve_of(weighed)
    _draw_figures(float(ratios[opponent][ranker]), f"{ranker} over {opponent}", pair, curve, table)
    _draw_improvements(table, ratios)
    if curve.n_cases:
        _draw_f_curves(paired, curve, weighed)


def _draw_figures(uir: float, pair_of: str, pair: Sequence[str], curve: FCurve, table: pd.DataFrame) -> None:
    n_cases, n_left_out = table[["n_cases", "n_left_out"]].iloc[0]
    is_robust = "" if math.isnan(uir) else "robust" if abs(uir) >= ROBUST else "not robust"
    swaps = "Number of weights at which two rankers swap places when sorted by mean F."
    lists = f"Lists left out because they have no value: {n_left_out:,}."
    cards.draw(
        [
            Card(f"UIR, {pair_of}", "not defined" if math.isnan(uir) else f"{uir:+.2f}", UIR_HELP, is_robust),
            Card("Swaps", f"{len(curve.swaps):,}", swaps),
            Card("Lists", f"{n_cases:,}", lists),
        ],
        "weights",
    )
    if follow_natural_order(pair):
        st.info("Both measures follow the natural order, so the UIR adds nothing. Choose another measure.")


def _draw_improvements(table: pd.DataFrame, ratios: pd.DataFrame) -> None:
    pairs = tables.ordered_pairs(ratios)
    if pairs.empty:
        st.info("No report issue has values for both measures.")
        return
    st.altair_chart(charts.improvement_bars(pairs, ROBUST))
    has_f = table["mean_f"].notna().any()
    st.dataframe(
        tables.improvement_texts(table),
        hide_index=True,
        column_order=[name for name in IMPROVEMENT_COLUMNS if name != "mean_f" or has_f],
        column_config=_columns(IMPROVEMENT_COLUMNS, words=("ranker", "reference"))
        | {"improves": st.column_config.ListColumn(IMPROVEMENT_COLUMNS["improves"][0])},
    )
    as_text = table.assign(improves=table["improves"].map("; ".join)).join(ratios.add_prefix("uir_over_"))
    offer("Download the ratios as CSV", as_text.reset_index(names="ranker"), "compare-uir.csv")


def _draw_f_curves(paired: PairedScores, curve: FCurve, weighed: Sequence[str]) -> None:
    """Plot mean F against the weight of two measures.

    `weighed` contains the names of the two measures. They may differ from the selected measures, for which F may not be
    defined.
    """
    first, second = (MEASURES[name] for name in weighed)
    st.altair_chart(charts.f_curve_lines(curve, list(paired.rankers), [first, second]))
    st.caption(f"F of {first.label} and {second.label} · {count_text(curve.n_cases, 'list')}", help=ALPHA_HELP)
    swaps = tables.swap_table(curve, paired.rankers)
    if len(swaps):
        shown = swaps.assign(alpha=swaps["alpha"].map("{:.2f}".format), apart=swaps["apart"].map("{:.4f}".format))
        st.dataframe(shown, hide_index=True, column_config=_columns(SWAP_COLUMNS, words=("below", "above")))
    table = pd.DataFrame(curve.mean_f.T, columns=list(paired.rankers))
    table.insert(0, f"weight_of_{first.name}", curve.alphas)
    offer("Download the curves as CSV", table, "compare-f.csv")


def _columns(heads: Mapping[str, tuple[str, str | None]], *, words: Sequence[str]) -> dict[str, Any]:
    """Return the column configuration for a table of formatted values.

    Columns in `words` are left-aligned, and all other columns are right-aligned. The first column is pinned.
    """
    first = next(iter(heads))
    return {
        name: st.column_config.Column(
            head, help=help, alignment="left" if name in words else "right", pinned=name == first or None
        )
        for name, (head, help) in heads.items()
    }
