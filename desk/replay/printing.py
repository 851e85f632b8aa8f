"""What `presort replay` shows: rankers side by side."""

import math

import pandas as pd

from presort.desk.console.printing import out, table_of
from presort.desk.text import counted

AGAINST_FIRST = ("earlier", "same", "later")
SIDE_BY_SIDE = {
    "ranker": "ranker",
    "mean_relative_last_position": "last",
    "median_relative_last_position": "median",
    "mean_copnori_gap": "1 −\nCopnori",  # noqa: RUF001
    "mean_average_precision": "AP",
    "mean_aselt": "Aselt",
    "mean_nosel": "Nosel",
} | {name: name for name in AGAINST_FIRST}


def show_side_by_side(table: pd.DataFrame, *, n_left_out: int) -> None:
    """Print a table as `side_by_side` makes it, how to read it, and how many report issues it leaves out."""
    texts = {"mean_copnori_gap": table["mean_copnori_gap"].map(_small)}
    texts |= {name: table[name].map(_percent) for name in AGAINST_FIRST}
    heads = list(SIDE_BY_SIDE.values())
    out.print(table_of(table.assign(**texts)[list(SIDE_BY_SIDE)], heads=heads, figures=texts))
    first = table["ranker"].iloc[0]
    out.print(
        "last, median: mean and median relative last position; lower is better, as of 1 − Copnori. AP, Aselt, Nosel: "  # noqa: RUF001
        "means; higher is better."
    )
    if len(table) > 1:
        out.print(
            f"earlier, same, later: where the last relevant paper stood, held against {first}, in percent of the "
            "report issues; if level, the one before it, and so on."
        )
    for ranker, n_untrained in zip(table["ranker"], table["list_order"], strict=True):
        if n_untrained:
            out.print(f"{ranker}: {counted(n_untrained, 'report issue')} in list order, too few decisions.")
    if n_all := table["all_relevant"].iloc[0]:
        out.print(f"Everything relevant, so not in 1 − Copnori, Aselt, Nosel: {counted(n_all, 'report issue')}.")  # noqa: RUF001
    if n_left_out:
        left = counted(n_left_out, "report issue")
        out.print(f"Left out, as nothing was relevant or not every ranker has ranked them: {left}.")


def _small(value: float) -> str:
    if math.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return f"{value:.1e}" if value and text == "0.0000" else text


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"
