"""The *Compare* page: the ranker that needs the least reading, the papers and time it saves, and significance tests."""

import math
from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.learning.stop_audits import read_stop_audits, stop_audits_state
from presort.data.running import service
from presort.desk import pages
from presort.desk.compare import charts, figures, lists, tables
from presort.desk.compare.verdict import verdict
from presort.desk.scores import pairs, papers_saved
from presort.desk.scores.curves import recall_curves
from presort.desk.scores.differences import differences, leads, units_of_leads
from presort.desk.scores.effort import minutes_per_paper, pace, work_done
from presort.desk.scores.pairs import PairedScores
from presort.desk.scores.papers_saved import PairResult
from presort.desk.scores.stop_audit import stop_points
from presort.desk.scores.table import keep_same_conditions, n_not_evaluable
from presort.desk.service import rankers
from presort.desk.text import count_text, escape, report_label
from presort.desk.ui import cache, confirm, empty, layout, visitor
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.download import offer
from presort.desk.ui.layout import Layout
from presort.desk.ui.reranking import prepare_rankers
from presort.desk.ui.score_choice import draw_measure_problems, source_choice
from presort.desk.ui.state_cache import State, cache_by_state
from presort.desk.ui.table import height as table_height
from presort.metrics import FCurve
from presort.ranker.versions import RECIPES

TABS = ("Measures", "Reports", "Lists", "Recall curve", "Weights")
# Widths of the filters in pixels. With gaps and a scroll bar, they fit on one row in a 1280-pixel window.
WIDTHS = {"baseline": 140, "candidates": 286, "reports": 104, "first": 120, "last": 120, "rankings": 260}
EARLIER = (
    "Share of lists on which the last relevant paper is ranked earlier. If both rankers put it in the same position, "
    "the relevant paper before it decides, and so on."
)
PAPERS = (
    "Mean number of papers per list that the editor doesn't have to read because the last relevant paper is ranked "
    "earlier."
)
TIME = "Time to read the papers saved, at each report's pace, or at 14.5 minutes per list if the pace is unknown."
P = "p-value of the papers saved{}. Significant below 0.05."
CORRECTION = (
    "p is corrected for {} of rankers, but the 95 % CI is not. The interval can exclude 0 although p is above 0.05."
)
PARTLY = (
    "Lists that were not read to the end favour the ranker whose order the editor read. In simulations, its lead was 2 "
    "to 4 points too large if 5 % of the lists had an unread relevant paper, and 3 to 8 points if 10 % had one."
)


class Selection(NamedTuple):
    """Rankers, dates and reports to compare. Empty `reports` selects all reports."""

    replay: int | None
    rankers: tuple[str, ...]
    first: date
    last: date
    reports: tuple[str, ...]


@visitor.one_snapshot()
def show() -> None:
    """Draw the filters, the verdict, a table with one row per opponent, and the tabs."""
    places = layout.draw("Compare")
    with places.answer:
        confirm.say()
        if empty.lacks_figures():
            return
    active = rankers.active_ranker(cache.store())
    selection = _ask_selection(places, active)
    if selection is None:
        return
    state = cache.state()  # read only once, so that all parts of the page use the same data
    paired = _pair_scores(state, selection)
    with places.basis:
        _draw_basis(paired, selection)
    with places.answer:
        if paired.cases.empty:
            st.info("These rankers have no report issues in common. Choose other rankers, dates or reports.")
            return
        found = _pair_results(state, selection, active)
        opponent = _draw_answer(paired, found, active)
    _draw_tabs(state, selection, paired, found, opponent)
    draw_measure_problems()


def _ask_selection(places: Layout, active: str) -> Selection | None:
    """Draw the filters. If there is nothing to compare, draw a message and return None."""
    boxes = {name: places.filters.container(width=width) for name, width in WIDTHS.items()}
    replay = source_choice(boxes["rankings"])
    table = cache.all_scores(replay)
    names = sorted(table["ranker"].unique())
    if len(names) < 2:
        with places.answer:
            _draw_too_few(names)
        return None
    usual = names.index(active) if active in names else 0
    baseline = choice(boxes["baseline"], "Baseline", names, name="baseline", default=usual, on_change=_swap_baseline)
    alike = set(keep_same_conditions(cache.comparison_scores(replay), 2)["ranker"])
    others = [name for name in names if name != baseline]
    fair = [name for name in others if name in alike] if baseline in alike else others
    candidates = choices(boxes["candidates"], "Candidates", others, name="candidates", default=fair or others)
    titles = {report.code: report.name for report in catalogue.reports(cache.store(), retired=True)}
    reports = choices(
        boxes["reports"],
        "Reports",
        sorted(table["report"].unique()),
        name="reports",
        named=lambda code: report_label(code, titles.get(code, code)),
        placeholder="All",
    )
    days = sorted(day.date() for day in table["issue"].unique())
    first = choice(boxes["first"], "From", days, name="first")
    last = choice(boxes["last"], "To", [day for day in reversed(days) if day >= first], name="last")
    if not candidates:
        places.answer.info("Choose candidates to compare with the baseline.")
        return None
    return Selection(replay, (baseline, *candidates), first, last, tuple(reports))


def _swap_baseline() -> None:
    """If a candidate becomes the baseline, make the former baseline a candidate."""
    new, old = st.session_state["baseline"], st.session_state["kept-baseline"]
    st.session_state["candidates"] = [old if name == new else name for name in st.session_state["candidates"]]


def _draw_too_few(names: Sequence[str]) -> None:
    if not names:
        st.info("No figures for these rankings. Choose other rankings.")
        return
    message = (
        f"Only {escape(names[0])} ranked published issues. To compare two rankers, run another as a shadow ranker."
    )
    empty.draw(message, empty.TO_RANKERS)


def _draw_basis(paired: PairedScores, selection: Selection) -> None:
    source, *others = paired.n_by_source.items() or [("", 0)]
    n_partly = int((~paired.cases["was_read_whole"]).sum())
    n_early = _n_not_evaluable(selection)
    left_out = {
        "not ranked by all of these rankers, or ranked with different papers": paired.left_out.not_by_all,
        "without a relevant paper": paired.left_out.nothing_relevant,
        "not read far enough to be scored": n_early,
        **{f"from another source: {source_label(name)}": n for name, n in others},
    }
    n_left_out = sum(left_out.values())
    reasons = [f"- {n:,} {why}" for why, n in left_out.items() if n]
    helps = ["Left out:\n" + "\n".join(reasons)] if reasons else []
    st.caption(
        layout.basis_text(
            paired.cases,
            source_label(source[0]) if source[1] else "replays trained at different intervals" if source[0] else "",
            f"{n_left_out:,} left out" if n_left_out else "",
            f"{n_partly:,} not read to the end" if n_partly else "",
        ),
        help="\n\n".join([*helps, *([PARTLY] if n_partly else [])]) or None,
    )


def source_label(source: str) -> str:
    """Return the label for a source of rankings.

    Examples
    --------
    >>> source_label("live"), source_label("replay-13")
    ('live', 'replay, trained every 13 issues')
    """
    kind, _, trained_every = source.partition("-")
    if trained_every:
        return f"{kind}, trained every {count_text(int(trained_every), 'issue')}"
    return "ranked after publication" if kind == "late" else kind


def _n_not_evaluable(selection: Selection) -> int:
    # If the selection begins at the first scored issue or ends at the last scored issue, leave that end open. Otherwise
    # unscored issues before or after the scored ones wouldn't be counted.
    issues = cache.all_scores(selection.replay)["issue"]
    return n_not_evaluable(
        cache.not_evaluable_rankings(selection.replay),
        selection.rankers,
        selection.reports or None,
        first=selection.first if pd.Timestamp(selection.first) > issues.min() else None,
        last=selection.last if pd.Timestamp(selection.last) < issues.max() else None,
    )


def _draw_answer(paired: PairedScores, found: Sequence[PairResult], active: str) -> str:
    """Draw the verdict, the table, the bar chart and the buttons. Return the opponent whose row is selected."""
    st.header(escape(verdict(found, active)), anchor=False)
    if len(found) > 1:
        st.caption(CORRECTION.format(_n_pairs(found)))
    opponent = _draw_pairs(paired, found)
    bars = charts.win_tie_loss_bars(found)
    layout.reserve(bars.height, "bars").altair_chart(bars)
    with st.container(horizontal=True, vertical_alignment="center"):
        _offer_use(found[0].ranker, active, is_better=active in {one.opponent for one in found})
        offer("Download the table as CSV", tables.pair_table(found), "compare.csv")
        st.page_link(
            pages.link("manage"),
            label="All rankers in use",
            icon=":material/manage_accounts:",
            query_params={"part": "rankers"},
            width="content",
        )
    return opponent


def _draw_pairs(paired: PairedScores, found: Sequence[PairResult]) -> str:
    table = tables.pair_table(found)
    names: list[str] = table["opponent"].to_list()
    linked = st.query_params.get("opponent", "")
    first = names.index(linked) if linked in names else 0
    height = table_height(len(table))
    shown = table.assign(
        papers=table["papers"].round(1) + 0.0, seconds=table["seconds"].round() + 0.0
    )  # + 0.0 turns -0 into 0
    event = layout.reserve(height, "pairs").dataframe(
        shown,
        key=f"pairs-{'-'.join([found[0].ranker, *names])}",  # a new key resets the selected row
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
        hide_index=True,
        height=height,
        column_order=["opponent", "earlier", "same", "later", "papers", "seconds", "interval", "p_text"],
        column_config=_pair_columns(paired, found),
    )
    chosen = event["selection"]["rows"]
    opponent = names[chosen[0] if chosen else first]
    st.query_params["opponent"] = opponent
    return opponent


def _n_pairs(found: Sequence[PairResult]) -> str:
    return count_text(math.comb(len(found) + 1, 2), "pair")


def _pair_columns(paired: PairedScores, found: Sequence[PairResult]) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    of = units_of_leads(paired)
    corrected = f", corrected for {_n_pairs(found)} of rankers" if len(found) > 1 else ""
    these = ". Valid only for these reports, because they are too few to generalise" if of.kind == "issue" else ""
    interval = f"95 % confidence interval of the papers saved, computed over {count_text(of.n, of.kind)}{these}."
    return {
        "opponent": st.column_config.Column(f"{found[0].ranker} against", pinned=True),
        "earlier": number("Earlier", format="%.0f %%", help=EARLIER),
        "same": number(
            "Same",
            format="%.0f %%",
            help="Share of lists on which both rankers put all relevant papers in the same positions.",
        ),
        "later": number(
            "Later",
            format="%.0f %%",
            help="Share of lists on which the opponent ranks the last relevant paper earlier.",
        ),
        "papers": number("Papers saved per list", format="%.1f", help=PAPERS),
        "seconds": number("Time per list, s", format="%.0f", help=TIME),
        "interval": text("95 % CI, papers", alignment="right", help=interval),
        "p_text": text("p, corrected" if corrected else "p", alignment="right", help=P.format(corrected)),
    }


def _offer_use(ranker: str, active: str, *, is_better: bool) -> None:
    """Draw the button that makes this ranker the active ranker."""
    why = f"{escape(ranker)} is in use." if ranker == active else None
    if why is None and ranker not in RECIPES:
        why = f"{escape(ranker)} is not installed here."
    label = escape(f"Use {ranker} from the next issue")
    if st.button(
        label,
        key="use-ranker",
        type="primary" if is_better else "secondary",
        icon=":material/published_with_changes:",
        disabled=why is not None,
        help=why,
    ):
        store = cache.store()
        shadows = [name for name in service.shadows(store) if name != ranker]
        says = rankers.describe_choice(store, ranker, shadows)
        choose = partial(service.set_active_ranker, store, ranker, person=visitor.person())
        confirm.ask(says, partial(prepare_rankers, choose))


def _draw_tabs(
    state: State, selection: Selection, paired: PairedScores, pair_results: Sequence[PairResult], opponent: str
) -> None:
    ranker = pair_results[0].ranker
    measures, reports, of_lists, recall, weights = st.tabs(TABS, key="tab", bind="query-params")
    if measures.open:
        with measures:
            table = _difference_table(state, selection, ranker)
            figures.draw_measures(paired, ranker, [one.opponent for one in pair_results], table)
    if reports.open:
        with reports:
            lists.draw_reports(paired, selection.replay, ranker, opponent)
    if of_lists.open:
        with of_lists:
            lists.draw_lists(paired, selection.replay, ranker, opponent)
    if recall.open:
        with recall:
            _draw_recall(state, selection, paired)
    if weights.open:
        with weights:
            figures.draw_weights(paired, ranker, opponent, partial(_f_curve, state, selection))


def _draw_recall(state: State, selection: Selection, paired: PairedScores) -> None:
    """Draw mean recall against the number of papers read, with the stop points."""
    curves = recall_curves(paired.outcomes)
    stops = _stop_points(state, selection, stop_audits_state(cache.store()))
    chart = charts.recall_lines(curves, stops, list(paired.rankers))
    layout.reserve(chart.height, "recall").altair_chart(chart)
    n_lists = int(stops["n_lists"].max()) if len(stops) else 0
    st.caption(
        f"Points: stop point at a target recall of 95 %, mean over {count_text(n_lists, 'list')}"
        if n_lists
        else "No stop points yet",
        help="Based on lists that were read to the end, because only these show how many relevant papers are below "
        "the stop point.",
    )
    table = curves.pivot_table("recall", "papers", "ranker").reset_index()
    offer("Download the recall curves as CSV", table, "compare-recall.csv")


@cache_by_state
def _pair_scores(state: State, selection: Selection) -> PairedScores:
    table = cache.comparison_scores(selection.replay)
    is_asked = table["issue"].between(pd.Timestamp(selection.first), pd.Timestamp(selection.last))
    if selection.reports:
        is_asked &= table["report"].isin(selection.reports)
    return pairs.pair_up(table[is_asked], selection.rankers)


@cache_by_state
def _pair_results(state: State, selection: Selection, active: str) -> list[PairResult]:
    paired = _pair_scores(state, selection)
    work = work_done(cache.store(), selection.first, selection.reports or tuple(paired.cases["report"].unique()))
    minutes = minutes_per_paper(paired.cases, pace(work))
    reference = active if active in paired.rankers else selection.rankers[0]
    return papers_saved.compare_recommended(paired, reference, minutes)


@cache_by_state
def _difference_table(state: State, selection: Selection, ranker: str) -> pd.DataFrame:
    paired = _pair_scores(state, selection)
    found = pd.concat([leads(paired, ranker), differences(paired, ranker)], ignore_index=True)
    return tables.difference_texts(found, paired, ranker)


@cache_by_state
def _f_curve(state: State, selection: Selection, weighed: tuple[str, ...]) -> FCurve:
    return pairs.f_curves(_pair_scores(state, selection), weighed)


@cache_by_state
def _stop_points(state: State, selection: Selection, audits_state: tuple[int, int]) -> pd.DataFrame:
    paired = _pair_scores(state, selection)
    compared = lists.rankings(paired, selection.replay)
    return stop_points(read_stop_audits(cache.store()), compared[compared["was_read_whole"]])
