"""Measures: what each one says, whether it keeps the natural order and other constraints, and an example worked out."""

from dataclasses import asdict
from typing import Any

import pandas as pd
import streamlit as st

from presort.desk.measures import labels, tables
from presort.desk.scores.registry import MEASURES
from presort.desk.text import plain
from presort.desk.ui import cache, empty, visitor
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import draw_measure_problems, draw_not_evaluable, source_choice
from presort.metrics import Finding, Measure
from presort.metrics.measure import EXAMPLE_SCORES, ORDER_IN_WORDS


@visitor.one_snapshot()
def show() -> None:
    """Draw the table of measures, the constraints that each meets, and a section per measure."""
    st.title("Measures", anchor=False)
    st.write(
        "An editor reads down the list until the last relevant paper. So of two outcomes the better is the one whose "
        "last relevant paper comes earlier; on a tie, the one whose second-to-last comes earlier; and so on. This is "
        "the natural order, and a measure should respect it. Below, r is the number of relevant papers and n the "
        "number of papers in the issue. Where nothing was relevant, no measure has a value; where everything was, "
        "those that compare with a random order, or relevant papers with the others, have none. Means leave such "
        "issues out and count them."
    )
    with st.container(key="facts"):
        st.table(_facts(), hide_index=True)  # whose head would be empty
    below = st.container()  # of what may fail further down
    st.header("Constraints", anchor="constraints")
    _draw_constraints()
    st.header("On this service's own rankings", anchor="own-data")
    _draw_own_data()
    st.header("One by one", anchor="one-by-one")
    st.write("Worked on a list of papers, best-ranked first; a filled square is a relevant paper.")
    _draw_each()
    with below:
        draw_measure_problems()


@st.fragment
def _draw_each() -> None:
    for name, measure in MEASURES.items():
        box = st.expander(measure.label, key=f"measure-{name}", on_change="rerun")
        if box.open:  # formulas and examples of all of them take a browser a second
            with box:
                _draw(measure)


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


@st.cache_data(show_spinner="Trying the constraints …")
def _constraints() -> dict[str, dict[str, Finding]]:
    return tables.constraints()


@st.fragment
def _draw_constraints() -> None:
    findings = _constraints()
    st.markdown(
        "Constraints on measures of lists of limited length (Amigó, Gonzalo, Verdejo, SIGIR 2013), tested on generated "
        "lists. *Kept*: no counterexample found. *Broken*: a counterexample exists. Differences below 1e-12 of the "
        "value are ignored. An issue is listed as a whole, so the natural order matters most to its editor. The "
        "constraints show how a measure treats the top of the list, and how it compares with well-known measures."
    )
    st.markdown("\n".join(f"- *{name}*: {meaning}" for name, meaning in labels.MEANINGS.items()))
    rows = [
        {"Measure": label} | {name: "kept" if one.holds else "✗ broken" for name, one in found.items()}
        for label, found in findings.items()
    ]
    columns = {"Measure": st.column_config.TextColumn(width=290)}  # what Streamlit takes for it cuts the longest
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=38 + 35 * len(rows), column_config=columns)
    st.caption(
        "Relevant papers that a list does not return count right below it; in measures of the first 30, and in "
        "well-known measures, they are missing. *Uncut*: of all papers returned. Copnori and 2-Ponori are exact: 1 is "
        "subtracted. If lower is better, values have a minus sign."
    )
    label = choice(
        st.container(width=420), "Show what a measure keeps and breaks", list(findings), name="constraints-of"
    )
    findings_text = {name: labels.finding_says(name, finding) for name, finding in findings[label].items()}
    st.markdown("\n".join(f"- *{name}*: {plain(text)}" for name, text in findings_text.items()))
    cases = [
        {"measure": label, "constraint": name} | asdict(finding)
        for label, found in findings.items()
        for name, finding in found.items()
    ]
    _offer("constraints", "Constraints and cases as CSV", pd.DataFrame(cases))


@st.fragment
@visitor.one_snapshot()
def _draw_own_data() -> None:
    state = cache.state()
    st.markdown(
        "*Strictness* is from -1 to 0: near 0 if what the measure puts first, no other measure puts last. It is the "
        "worst case over all report issues. *Robustness* is up to 1: how alike the report issues are in the order they "
        "give to the rankers (mean Spearman correlation); 0 is chance. Higher is better in both. Measures that keep "
        "the natural order strictly are taken by it exactly, so they share their figures."
    )
    if empty.lacks_figures():
        return
    left, right = st.columns([1, 2])
    replay = source_choice(left, help=None)
    found = sorted(cache.all_scores(replay)["ranker"].unique())
    draw_not_evaluable(replay)
    if not found:
        st.info("There are no figures of these rankings; choose others.")
        return
    rankers = choices(right, "Rankers", found, name="rankers", default=found)
    table, n_report_issues = _judged(state, replay, tuple(rankers))
    if reason := labels.too_little(len(found), len(rankers), n_report_issues):
        st.info(reason)
        return
    n_at_floor = int((table["strictness"] <= 1 / len(rankers) - 1 + 1e-9).sum())
    st.caption(labels.judged_by(len(rankers), n_report_issues, n_at_floor))
    labelled = table.assign(measure=[MEASURES[name].label for name in table["measure"]])
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(label, format="%.3f") if name in ("strictness", "robustness") else label
        for name, label in labels.COLUMNS.items()
    }
    st.dataframe(labelled, hide_index=True, height=38 + 35 * len(labelled), column_config=columns)
    if blank := labelled["measure"][labelled[["strictness", "robustness"]].isna().any(axis="columns")].to_list():
        st.caption(f"Not defined on enough report issues to say: {', '.join(blank)}.")
    _offer("strictness-robustness", "Strictness and robustness as CSV", table)


@cache.of_state
def _judged(state: cache.State, replay: int | None, rankers: tuple[str, ...]) -> tuple[pd.DataFrame, int]:
    """Evaluate the measures on these rankers, and count the report issues. Empty table if there are too few."""
    if len(rankers) < 2:
        return pd.DataFrame(), 0
    scores = tables.scores_by_measure(cache.for_comparison(replay), rankers)
    n_report_issues = len(next(iter(scores.values())))
    return tables.meta_evaluation(scores) if n_report_issues > 1 else pd.DataFrame(), n_report_issues


def _offer(name: str, label: str, table: pd.DataFrame) -> None:
    offer(label, table, f"measures-{name}.csv", type="tertiary")


def _draw(measure: Measure) -> None:
    st.write(plain(measure.meaning))
    facts = [
        f"{labels.RANGE}: {labels.range_of(measure)}",
        labels.direction(measure),
        f"{labels.ACROSS_LENGTHS.lower()}: {labels.across_lengths(measure)}",
        measure.source,
    ]
    st.caption(plain(" · ".join(facts)))
    st.latex(measure.formula)
    scores = f"\nscores {', '.join(map(str, EXAMPLE_SCORES))}" if measure.needs == "scores" else ""
    st.code(f"{measure.example}{scores}\n{measure.worked} = {measure.example_value():.4g}", language=None)
    st.write(f"When it misleads: {plain(measure.misleads)}")
