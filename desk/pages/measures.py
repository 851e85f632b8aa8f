"""Measures: what each one says, its range, whether it keeps the natural order, and an example worked out."""

import pandas as pd
import streamlit as st

from desk.words.text import plain
from metrics import MEASURES, Measure
from metrics.measure import EXAMPLE_SCORES, ORDER_IN_WORDS


def show() -> None:
    """Draw the table of measures, and each of them by itself."""
    st.title("Measures", anchor=False)
    st.write(
        "An editor reads down the list until the last relevant paper. So of two outcomes the better is the one whose "
        "last relevant paper comes earlier; on a tie, the one whose second-to-last comes earlier; and so on. This is "
        "the natural order, and a measure should respect it. Below, r is the number of relevant papers and n the "
        "number of papers in the issue. Where nothing was relevant, no measure has a value; where everything was, "
        "those that compare with a random order, or relevant papers with the others, have none. Means leave such "
        "issues out and count them."
    )
    st.table(_facts())
    st.subheader("One by one", anchor="one-by-one")
    st.write("Worked on a list of papers, best-ranked first; a filled square is a relevant paper.")
    for measure in MEASURES.values():
        with st.expander(measure.label):
            _draw(measure)


def _facts() -> pd.DataFrame:
    measures = MEASURES.values()
    facts = {
        "What it tells": [measure.meaning for measure in measures],
        "Worst to best": [measure.range + (f" ({measure.unit})" if measure.unit else "") for measure in measures],
        "Direction": ["higher is better" if measure.higher_is_better else "lower is better" for measure in measures],
        "Natural order": [ORDER_IN_WORDS[measure.natural_order] for measure in measures],
        "Across lengths": ["comparable" if measure.scales else "with care" for measure in measures],
        "Source": [measure.source for measure in measures],
    }
    return pd.DataFrame(facts, index=[measure.label for measure in measures])


def _draw(measure: Measure) -> None:
    st.write(plain(measure.meaning))
    st.latex(measure.formula)
    scores = f"\nscores {', '.join(map(str, EXAMPLE_SCORES))}" if measure.needs == "scores" else ""
    st.code(f"{measure.example}{scores}\n{measure.worked} = {measure.example_value():.4g}", language=None)
    st.write(f"When it misleads: {plain(measure.misleads)}")
