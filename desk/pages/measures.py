"""Measures: what each one says, whether it keeps the natural order and other constraints, and an example worked out."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from data import rankings
from desk import cache
from desk import measures as tables
from desk.boxes.table_file import offer
from desk.choice import choice, choices
from desk.words import measures as words
from desk.words.replays import source_named
from desk.words.text import plain
from metrics import MEASURES, Finding, Measure
from metrics.measure import EXAMPLE_SCORES, ORDER_IN_WORDS

# A narrow window shows the name, the meaning and the natural order; the rest stands with each measure below.
STYLE = """
<style>
@media (max-width: 900px) {
    .st-key-facts :is(th, td):is(:nth-child(3), :nth-child(4), :nth-child(n + 6)) { display: none; }
}
</style>
"""


def show() -> None:
    """Draw the table of measures, what each of them keeps and breaks, and each of them by itself."""
    st.title(words.TITLE, anchor=False)
    st.write(words.INTRO)
    st.html(STYLE)
    with st.container(key="facts"):
        st.table(_facts())
    st.subheader(words.CONSTRAINTS, anchor="constraints")
    _draw_constraints()
    st.subheader(words.OWN_DATA, anchor="own-data")
    _draw_own_data()
    st.subheader(words.ONE_BY_ONE, anchor="one-by-one")
    st.write(words.WORKED)
    for measure in MEASURES.values():
        with st.expander(measure.label):
            _draw(measure)


def _facts() -> pd.DataFrame:
    measures = MEASURES.values()
    facts = {
        words.MEANING: [measure.meaning for measure in measures],
        words.RANGE: [words.range_of(measure) for measure in measures],
        words.DIRECTION: [words.direction(measure) for measure in measures],
        words.NATURAL_ORDER: [ORDER_IN_WORDS[measure.natural_order] for measure in measures],
        words.ACROSS_LENGTHS: [words.across_lengths(measure) for measure in measures],
        words.SOURCE: [measure.source for measure in measures],
    }
    return pd.DataFrame(facts, index=[measure.label for measure in measures])


@st.cache_data(show_spinner=words.TRYING)
def _constraints() -> dict[str, dict[str, Finding]]:
    return tables.constraints()


@st.fragment
def _draw_constraints() -> None:
    findings = _constraints()
    st.markdown(words.CONSTRAINTS_INTRO)
    st.markdown("\n".join(f"- *{name}*: {meaning}" for name, meaning in words.MEANINGS.items()))
    rows = [
        {words.MEASURE: label} | {name: words.KEPT if one.holds else words.BROKEN for name, one in found.items()}
        for label, found in findings.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=38 + 35 * len(rows))
    st.caption(words.CONVENTION)
    label = choice(st.container(width=420), words.SHOW_CASES, list(findings), name="constraints-of")
    said = {name: words.finding_says(name, finding) for name, finding in findings[label].items()}
    st.markdown("\n".join(f"- *{name}*: {plain(text)}" for name, text in said.items()))
    cases = [
        {"measure": label, "constraint": name} | asdict(finding)
        for label, found in findings.items()
        for name, finding in found.items()
    ]
    _offer("constraints", words.CONSTRAINTS_CSV, pd.DataFrame(cases))


@st.fragment
def _draw_own_data() -> None:
    store = cache.store()
    state = rankings.outcomes_state(store)
    st.markdown(words.OWN_INTRO)
    if not state[0]:
        st.info(words.NOTHING_SCORED)
        return
    left, right = st.columns([1, 2])
    replays = {replay.id: replay for replay in rankings.replays(store)}
    source = choice(
        left, words.RANKINGS, [0, *replays], name="replay", named=lambda number: source_named(replays.get(number))
    )
    found = sorted(cache.all_scores(source or None)["ranker"].unique())
    if not found:
        st.info(words.NOTHING_SCORED)
        return
    rankers = choices(right, words.RANKERS, found, name="rankers", default=found)
    table, n_report_issues = _judged(store.path, state, source or None, tuple(rankers))
    if said := words.too_little(len(found), len(rankers), n_report_issues):
        st.info(said)
        return
    n_at_floor = int((table["strictness"] <= 1 / len(rankers) - 1 + 1e-9).sum())
    st.caption(words.judged_by(len(rankers), n_report_issues, n_at_floor))
    labels = table.assign(measure=[MEASURES[name].label for name in table["measure"]])
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(label, format="%.3f") if name in ("strictness", "robustness") else label
        for name, label in words.COLUMNS.items()
    }
    st.dataframe(labels, hide_index=True, height=38 + 35 * len(labels), column_config=columns)
    if blank := labels["measure"][labels[["strictness", "robustness"]].isna().any(axis="columns")].to_list():
        st.caption(words.undefined(blank))
    _offer("strictness-robustness", words.OWN_CSV, table)


@st.cache_data(show_spinner=False, ttl=cache.KEPT, max_entries=50)
def _judged(
    path: Path, state: tuple[int, str], replay: int | None, rankers: tuple[str, ...]
) -> tuple[pd.DataFrame, int]:
    """Judge the measures by these rankers, on how many report issues; no table where there is too little."""
    if len(rankers) < 2:
        return pd.DataFrame(), 0
    scores = tables.scores_by_measure(cache.all_scores(replay), rankers)
    n_report_issues = next(iter(scores.values())).shape[1]
    return tables.meta_evaluation(scores) if n_report_issues > 1 else pd.DataFrame(), n_report_issues


def _offer(name: str, label: str, table: pd.DataFrame) -> None:
    offer(label, table, f"measures-{name}.csv", type="tertiary")


def _draw(measure: Measure) -> None:
    st.write(plain(measure.meaning))
    st.caption(plain(words.facts(measure)))
    st.latex(measure.formula)
    scores = f"\nscores {', '.join(map(str, EXAMPLE_SCORES))}" if measure.needs == "scores" else ""
    st.code(f"{measure.example}{scores}\n{measure.worked} = {measure.example_value():.4g}", language=None)
    st.write(f"When it misleads: {plain(measure.misleads)}")
