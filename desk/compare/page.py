"""Compare: which ranker is better, how sure that is, and by which measure."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.data.running import service
from presort.desk import pages
from presort.desk.compare import charts, figures, lists, tables, words
from presort.desk.compare.words import FEWEST, PairResult
from presort.desk.manage import words as manage_words
from presort.desk.scores import pairs
from presort.desk.scores.differences import differences, leads
from presort.desk.scores.pairs import Paired
from presort.desk.scores.table import same_conditions
from presort.desk.service import rankers
from presort.desk.text import plain, report_named
from presort.desk.ui import cache, confirm, empty, landing, visitor
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.reranking import prepare_rankers
from presort.desk.ui.score_choice import active_among, draw_measure_problems, draw_not_evaluable, source_choice
from presort.metrics import FCurve
from presort.ranker.versions import RECIPES

# On a phone, where the columns stand below each other, the verdict comes before the boxes.
STYLE = """
<style>
.st-key-compare [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { flex-wrap: wrap-reverse; }
/* All that is chosen is seen; Streamlit would scroll it sideways in one line. */
.st-key-compare [role="group"]:has(> [data-testid="stMultiSelectTagsContainer"]) { height: auto; max-height: none; }
.st-key-compare [data-testid="stMultiSelectTagsContainer"] {
    height: auto; min-width: 0; overflow: visible; mask-image: none; }
.st-key-compare [data-testid="stMultiSelectTagsContainer"],
.st-key-compare [data-testid="stMultiSelectTagsContainer"] > span { flex-wrap: wrap; }
@media (min-width: 641px) {
    .st-key-compare [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { flex-wrap: nowrap; }
    .st-key-compare [data-testid="stColumn"]:first-child { min-width: 14rem; }
}
</style>
"""


class Selection(NamedTuple):
    """What is compared, and on which report issues; no report stands for all of them."""

    replay: int | None
    rankers: tuple[str, ...]
    first: date
    last: date
    reports: tuple[str, ...]


@visitor.one_snapshot()
def show() -> None:
    """Draw the choices on the left, and on the right what they make of the rankers."""
    st.html(STYLE)
    st.title("Compare", anchor=False)
    confirm.say()
    if empty.lacks_figures():
        return
    with st.container(key="compare"):
        left, right = st.columns([1, 4], gap="medium")
    selection = _ask(left, right)
    if selection is None:
        return
    against = choice(left, "Compared with", selection.rankers, name="against", default=active_among(selection.rankers))
    state = cache.state()  # one for all below: what goes out meanwhile is in none of it
    paired = _paired(state, selection)
    with right:
        if paired.cases.empty:
            st.info(words.no_case(paired.left_out.not_by_all, paired.left_out.nothing_relevant))
            _draw_not_evaluable(selection)
            return
    counts, found = pairs.win_tie_loss(paired, against), _leads(state, selection, against)
    best = int((counts["better"] - counts["worse"]).argmax())
    others = list(counts["ranker"])
    candidate = (
        choice(left, "Ranker looked at", others, name="candidate", default=best) if len(others) > 1 else others[0]
    )
    pair_results = tables.pair_results(counts, found, against)
    with right:
        _draw_verdict(paired, pair_results, pair_results[candidate])
        _draw_not_evaluable(selection)
        st.header("How sure?", anchor="how-sure")
        measured = partial(_differences, state, selection, against)
        figures.draw_chance(paired, found, measured, pair_results[candidate], against)
        figures.draw_two_measures(paired, pair_results[candidate].ahead, partial(_f_curve, state, selection))
        lists.draw(paired, selection.replay, candidate, against)
        draw_measure_problems()
    landing.land()


def _draw_too_few(names: Sequence[str]) -> None:
    if not names:
        st.info("There are no figures of these rankings; choose others.")
        return
    message = (
        f"Only {plain(names[0])} has sorted issues that went out. Let another run beside it: both are compared then."
    )
    empty.draw(message, empty.TO_RANKERS)


def _ask(left: DeltaGenerator, right: DeltaGenerator) -> Selection | None:
    """Draw the boxes; None, and a word, where there is nothing to compare."""
    store = cache.store()
    replay = source_choice(left)
    table = cache.all_scores(replay)
    names = sorted(table["ranker"].unique())
    if len(names) < 2:
        with right:
            _draw_too_few(names)
        return None
    alike = sorted(same_conditions(cache.for_comparison(replay), FEWEST)["ranker"].unique())
    chosen = choices(left, "Rankers", names, name="rankers", default=alike if len(alike) >= FEWEST else names)
    days = sorted(day.date() for day in table["issue"].unique())
    first = choice(left, "From issue", days, name="first")
    last = choice(left, "To issue", [day for day in reversed(days) if day >= first], name="last")
    titles = {report.code: report.name for report in catalogue.reports(store, retired=True)}
    reports = choices(
        left,
        "Reports",
        sorted(table["report"].unique()),
        name="reports",
        named=lambda code: report_named(code, titles.get(code, code)),
        placeholder="All of them",
    )
    if len(chosen) < 2:
        right.info("Choose two rankers or more.")
        return None
    return Selection(replay, tuple(chosen), first, last, tuple(reports))


def _draw_verdict(paired: Paired, pair_results: Mapping[str, PairResult], chosen: PairResult) -> None:
    active = rankers.active(cache.store())
    st.header(plain(words.verdict(chosen, active)), anchor=False)
    if partly := words.partly_read(int((~paired.cases["was_read_whole"]).sum()), len(paired.cases)):
        st.caption(partly)
    st.altair_chart(charts.win_tie_loss_bars(tables.shares(pair_results.values()), chosen.against))
    left_out = words.left_out(len(paired.cases), paired.left_out.not_by_all, paired.left_out.nothing_relevant)
    if basis := words.basis(paired.n_by_source, len(paired.cases)):
        st.caption(basis)
    if many := words.many_says(len(paired.rankers)):
        st.caption(many)
    st.caption(
        "In colour: a clear winner; in the middle, palest: the same in both. A ranker is earlier whose last relevant "
        f"paper stands nearer the top; where both stand at the same place, the one before decides, and so on. "
        f"{left_out}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if (better := words.to_use(chosen, active)) and better in RECIPES:
            _offer_use(better)
        newest = service.newest_sorted(cache.store())
        is_new = newest is not None and rankers.active(cache.store(), newest) != active
        st.caption(plain(words.sorts(active, is_new=is_new)), width="content")
        st.page_link(
            pages.link("manage"),
            label="All rankers in use",
            icon=":material/manage_accounts:",
            query_params={"part": "rankers"},
            width="content",
        )


def _draw_not_evaluable(selection: Selection) -> None:
    issues = cache.all_scores(selection.replay)["issue"]  # before and after them, too, some may have been left out
    first = selection.first if pd.Timestamp(selection.first) > issues.min() else None
    last = selection.last if pd.Timestamp(selection.last) < issues.max() else None
    draw_not_evaluable(selection.replay, selection.rankers, selection.reports or None, first=first, last=last)


def _offer_use(winner: str) -> None:
    store = cache.store()
    label = plain(f"Use {winner} from the next issue")
    if st.button(label, key="use-ranker", type="primary", icon=":material/published_with_changes:"):
        shadows = [name for name in service.shadows(store) if name != winner]
        n_reports = len(catalogue.reports(store))
        says = manage_words.new_rankers(winner, shadows, n_reports, service.newest_sorted(store))
        choose = partial(service.set_active_ranker, store, winner, person=visitor.person())
        confirm.ask(says, partial(prepare_rankers, choose))


@cache.of_state
def _paired(state: cache.State, selection: Selection) -> Paired:
    table = cache.for_comparison(selection.replay)
    is_asked = table["issue"].between(pd.Timestamp(selection.first), pd.Timestamp(selection.last))
    if selection.reports:
        is_asked &= table["report"].isin(selection.reports)
    return pairs.pair_up(table[is_asked], selection.rankers)


@cache.of_state
def _differences(state: cache.State, selection: Selection, against: str) -> pd.DataFrame:
    return differences(_paired(state, selection), against)


@cache.of_state
def _leads(state: cache.State, selection: Selection, against: str) -> pd.DataFrame:
    return leads(_paired(state, selection), against)


@cache.of_state
def _f_curve(state: cache.State, selection: Selection, weighed: tuple[str, ...]) -> FCurve:
    return pairs.f_curves(_paired(state, selection), weighed)
