"""The *Measures* page: each measure's meaning, constraints, quality on the service's data, and a worked example."""

from dataclasses import asdict
from typing import Any

import pandas as pd
import streamlit as st

from presort.desk.measures import labels, tables
from presort.desk.scores.registry import MEASURES
from presort.desk.text import escape
from presort.desk.ui import cache, empty, visitor
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import draw_measure_problems, draw_not_evaluable, source_choice
from presort.desk.ui.state_cache import State, cache_by_state
from presort.metrics import Finding, Measure
from presort.metrics.measure import EXAMPLE_SCORES, ORDER_IN_WORDS


@visitor.one_snapshot()
def show() -> None:
    """Draw the table of measures, the constraints they satisfy, their quality, and a section for each measure."""
    st.title("Measures", anchor=False)
    st.write(
        "An editor reads down the list to the last relevant paper. Of two outcomes, the better one is the one whose "
        "last relevant paper comes earlier. If both have it in the same position, the second-to-last relevant paper "
        "decides, and so on. This is the natural order, and a measure should follow it. Below, r is the number of "
        "relevant papers, and n the number of papers in the issue. If no paper is relevant, measures have no value. If "
        "all papers are relevant, measures that compare the list with a random order, or relevant papers with other "
        "papers, have no value either. Means exclude these issues, and the page shows how many were excluded."
    )
    with st.container(key="facts"):
        st.table(_facts(), hide_index=True)
    below = st.container()  # for errors of plugin measures, some raised only while the rest of the page is drawn
    st.header("Constraints", anchor="constraints")
    _draw_constraints()
    st.header("On this service's rankings", anchor="own-data")
    _draw_own_data()
    st.header("Worked examples", anchor="one-by-one")
    st.write("Each example is a list of papers, best-ranked first. Filled squares are relevant papers.")
    _draw_measures()
    with below:
        draw_measure_problems()


@st.fragment
def _draw_measures() -> None:
    for name, measure in MEASURES.items():
        box = st.expander(measure.label, key=f"measure-{name}", on_change="rerun")
        if box.open:  # drawing the formulas of all measures takes a second in the browser
            with box:
                _draw_measure(measure)


def _facts() -> pd.DataFrame:
    measures = MEASURES.values()
    facts = {
        "Measure": [measure.label for measure in measures],
        "Meaning": [measure.meaning for measure in measures],
        labels.RANGE: [labels.range_of(measure) for measure in measures],
        "Direction": [labels.direction(measure) for measure in measures],
        "Natural order": [ORDER_IN_WORDS[measure.natural_order] for measure in measures],
        labels.ACROSS_LENGTHS: [labels.across_lengths(measure) for measure in measures],
        "Source": [measure.source for measure in measures],
    }
    return pd.DataFrame(facts)


@st.cache_data(show_spinner="Testing the constraints…")
def _constraints() -> dict[str, dict[str, Finding]]:
    return tables.constraints()


@st.fragment
def _draw_constraints() -> None:
    findings = _constraints()
    st.markdown(
        "Constraints on measures of truncated lists (Amigó, Gonzalo, Verdejo, SIGIR 2013), tested on generated lists. "
        "*Satisfied* means that no counterexample was found. *Violated* means that a counterexample exists. "
        "Differences below 1e-12 times the largest value in a case are ignored. For editors, the natural order matters "
        "most, because they always get the complete list. The constraints show how a measure treats the top of the "
        "list, and how it compares with well-known measures."
    )
    st.markdown("\n".join(f"- *{name}*: {meaning}" for name, meaning in labels.MEANINGS.items()))
    rows = [
        {"Measure": label} | {name: "satisfied" if one.holds else "✗ violated" for name, one in found.items()}
        for label, found in findings.items()
    ]
    columns = {"Measure": st.column_config.TextColumn(width=290)}  # Streamlit's default width truncates long labels
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=38 + 35 * len(rows), column_config=columns)
    st.caption(
        "Relevant papers that are missing from a list are placed directly below it. Measures of the first 30 papers "
        "and well-known measures treat them as not found. *Whole list* means all returned papers. For Copnori and "
        "2-Ponori, the value minus 1 is tested, because the value itself would be rounded to 1. For measures where "
        "lower is better, the negated value is tested."
    )
    label = choice(st.container(width=420), "Show constraints of a measure", list(findings), name="constraints-of")
    findings_text = {name: labels.finding_text(name, finding) for name, finding in findings[label].items()}
    st.markdown("\n".join(f"- *{name}*: {escape(text)}" for name, text in findings_text.items()))
    cases = [
        {"measure": label, "constraint": name} | asdict(finding)
        for label, found in findings.items()
        for name, finding in found.items()
    ]
    _offer_download("constraints", "Constraints and cases as CSV", pd.DataFrame(cases))


@st.fragment
@visitor.one_snapshot()
def _draw_own_data() -> None:
    state = cache.state()
    st.markdown(
        "*Strictness* (-1 to 0) shows how much lower another measure may rank a ranker than this measure does, in "
        "the worst case over all report issues. It is 0 if no other measure ever ranks a ranker lower, and lowest "
        "if another measure ranks this measure's best ranker last. *Robustness* (at most 1) shows whether a measure "
        "ranks the rankers in the same order on different report issues. It is the mean Spearman correlation "
        "between these orders, which is 0 if they are random. Higher is better for both. Measures that follow the "
        "natural order strictly have the same figures, because they order outcomes identically."
    )
    if empty.lacks_figures():
        return
    left, right = st.columns([1, 2])
    replay = source_choice(left, help=None)
    found = sorted(cache.all_scores(replay)["ranker"].unique())
    draw_not_evaluable(replay)
    if not found:
        st.info("No figures for these rankings. Choose other rankings.")
        return
    rankers = choices(right, "Rankers", found, name="rankers", default=found)
    table, n_report_issues = _evaluate_measures(state, replay, tuple(rankers))
    if reason := labels.missing_data_text(len(found), len(rankers), n_report_issues):
        st.info(reason)
        return
    n_at_floor = int((table["strictness"] <= 1 / len(rankers) - 1 + 1e-9).sum())
    st.caption(labels.basis_text(len(rankers), n_report_issues, n_at_floor))
    labelled = table.assign(measure=[MEASURES[name].label for name in table["measure"]])
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(label, format="%.3f") if name in ("strictness", "robustness") else label
        for name, label in labels.COLUMNS.items()
    }
    st.dataframe(labelled, hide_index=True, height=38 + 35 * len(labelled), column_config=columns)
    if blank := labelled["measure"][labelled[["strictness", "robustness"]].isna().any(axis="columns")].to_list():
        st.caption(f"No figure, because the measure is defined on too few report issues: {', '.join(blank)}.")
    _offer_download("strictness-robustness", "Strictness and robustness as CSV", table)


@cache_by_state
def _evaluate_measures(state: State, replay: int | None, rankers: tuple[str, ...]) -> tuple[pd.DataFrame, int]:
    """Evaluate the measures on the lists of the given rankers. Return the result and the number of report issues.

    The table is empty if there are too few rankers or report issues.
    """
    if len(rankers) < 2:
        return pd.DataFrame(), 0
    scores = tables.scores_by_measure(cache.comparison_scores(replay), rankers)
    n_report_issues = len(next(iter(scores.values())))
    return tables.meta_evaluation(scores) if n_report_issues > 1 else pd.DataFrame(), n_report_issues


def _offer_download(name: str, label: str, table: pd.DataFrame) -> None:
    offer(label, table, f"measures-{name}.csv", type="tertiary")


def _draw_measure(measure: Measure) -> None:
    st.write(escape(measure.meaning))
    facts = [
        f"{labels.RANGE}: {labels.range_of(measure)}",
        labels.direction(measure),
        f"{labels.ACROSS_LENGTHS.lower()}: {labels.across_lengths(measure)}",
        measure.source,
    ]
    st.caption(escape(" · ".join(facts)))
    st.latex(measure.formula)
    scores = f"\nscores {', '.join(map(str, EXAMPLE_SCORES))}" if measure.needs == "scores" else ""
    st.code(f"{measure.example}{scores}\n{measure.worked} = {measure.example_value():.4g}", language=None)
    st.write(f"When it misleads: {escape(measure.misleads)}")
