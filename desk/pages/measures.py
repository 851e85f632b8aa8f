"""Measures: what each one says, its range, and whether it keeps the natural order."""

import pandas as pd
import streamlit as st

from metrics import MEASURES

NATURAL_ORDER = {
    "strict": "kept strictly: a better outcome always scores better",
    "weak": "kept weakly: a better outcome never scores worse, but may score the same",
    "violates": "broken: it may prefer the worse of two outcomes",
}


def show() -> None:
    """Draw the table of measures."""
    st.title("Measures", anchor=False)
    st.write(
        "An editor reads down the list until the last relevant paper. So of two outcomes the better is the one whose "
        "last relevant paper comes earlier; on a tie, the one whose second-to-last comes earlier; and so on. This is "
        "the natural order, and a measure should respect it. Below, r is the number of relevant papers and n the "
        "number of papers in the issue. Where nothing was relevant, or everything, most measures have no value: such "
        "issues are left out and counted."
    )
    st.table(_facts())


def _facts() -> pd.DataFrame:
    measures = MEASURES.values()
    facts = {
        "What it tells": [measure.meaning for measure in measures],
        "Worst to best": [measure.range + (f" ({measure.unit})" if measure.unit else "") for measure in measures],
        "Direction": ["higher is better" if measure.higher_is_better else "lower is better" for measure in measures],
        "Natural order": [NATURAL_ORDER[measure.natural_order] for measure in measures],
        "Across lengths": ["comparable" if measure.scales else "with care" for measure in measures],
        "Source": [measure.source for measure in measures],
    }
    return pd.DataFrame(facts, index=[measure.label for measure in measures])
