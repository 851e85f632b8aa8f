"""Compare: which ranker is better, how sure that is, and by which measure."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data import catalogue, rankings, service
from desk import access, cache, compare, compare_tables, rankers
from desk.charts import compare as charts
from desk.choice import choice, choices
from desk.compare import Paired
from desk.differences import differences, leads
from desk.managing import asking
from desk.pages import compare_figures as figures
from desk.words import compare as words
from desk.words import manage as manage_words
from desk.words import natural_order as order_words
from desk.words.compare import Standing
from desk.words.replays import source_named
from desk.words.text import plain
from ranker.versions import RECIPES


class Asked(NamedTuple):
    """What is compared, and on which report issues; no report stands for all of them."""

    replay: int | None
    rankers: tuple[str, ...]
    first: date
    last: date
    reports: tuple[str, ...]


def show() -> None:
    """Draw the choices on the left, and on the right what they make of the rankers."""
    figures.follow_link_to_review()
    st.title(words.TITLE, anchor=False)
    asking.say()
    left, right = st.columns([1, 3], gap="medium")
    asked = _ask(left, right)
    if asked is None:
        return
    against = choice(left, words.AGAINST, asked.rankers, name="against", default=_active_among(asked.rankers))
    paired = _paired(*_state(), asked)
    if paired.cases.empty:
        right.info(words.no_case(paired.left_out.not_by_all, paired.left_out.nothing_relevant))
        return
    counts = compare.win_tie_loss(paired, against)
    best = int((counts["better"] - counts["worse"]).argmax())
    others = list(counts["ranker"])
    candidate = choice(left, words.CANDIDATE, others, name="candidate", default=best) if len(others) > 1 else others[0]
    with right:
        verdict, by_measure = st.container(), st.container()
        figures.draw_scatter(paired, asked.replay, candidate, against)
        pair, ratios = figures.draw_improvements(paired)
        figures.draw_f_curves(paired, pair)
    found = leads(paired, against)
    with verdict:
        uir = float(ratios[against][candidate])
        standing = compare_tables.standing(counts, found, candidate, against, uir=uir, measures=pair)
        _draw_verdict(paired, counts, standing)
    with by_measure:  # last, as it takes longest: all else stands by then
        found = pd.concat([found, _differences(*_state(), asked, against)], ignore_index=True)
        figures.draw_differences(paired, found, against)


def _ask(left: DeltaGenerator, right: DeltaGenerator) -> Asked | None:
    """Draw the boxes; None, and a word, where there is nothing to compare."""
    store = cache.store()
    replays = {replay.id: replay for replay in rankings.replays(store)}
    source = choice(
        left,
        words.SOURCE,
        [0, *replays],
        name="replay",
        named=lambda number: source_named(replays.get(number)),
        help=words.SOURCE_HELP,
    )
    table = cache.all_scores(source or None)
    names = sorted(table["ranker"].unique())
    if len(names) < 2:
        right.info(words.only_one(plain(names[0])) if names else words.NOTHING)
        return None
    chosen = choices(left, words.RANKERS, names, name="rankers", default=names)
    days = sorted(day.date() for day in table["issue"].unique())
    first = choice(left, words.FIRST, days, name="first")
    last = choice(left, words.LAST, [day for day in reversed(days) if day >= first], name="last")
    titles = {report.code: report.name for report in catalogue.reports(store, retired=True)}
    reports = choices(
        left,
        words.REPORTS,
        sorted(table["report"].unique()),
        name="reports",
        named=lambda code: order_words.report_named(code, titles.get(code, code)),
        placeholder=words.ALL_REPORTS,
    )
    if len(chosen) < 2:
        right.info(words.CHOOSE_TWO)
        return None
    return Asked(source or None, tuple(chosen), first, last, tuple(reports))


def _active_among(names: Sequence[str]) -> int:
    active = rankers.active(cache.store())
    return names.index(active) if active in names else 0


def _draw_verdict(paired: Paired, counts: pd.DataFrame, standing: Standing) -> None:
    st.markdown(f"**{plain(words.verdict(standing))}**")
    st.altair_chart(charts.win_tie_loss_bars(counts, standing.against))
    left_out = words.left_out(len(paired.cases), paired.left_out.not_by_all, paired.left_out.nothing_relevant)
    st.caption(f"{left_out} {words.NATURAL_CAPTION}")
    _offer_use(paired.rankers, standing.ranker if standing.better > standing.worse else standing.against)


def _offer_use(names: Sequence[str], better: str) -> None:
    """Offer to let another ranker sort for the editors; the better one first."""
    store = cache.store()
    known = sorted((name for name in names if name in RECIPES), key=lambda name: name != better)
    active = rankers.active(store)
    if not known:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(words.TO_USE, known, key=f"use-{'-'.join(known)}", width=260)
        if st.button(words.USE, key="use-ranker", disabled=chosen == active, icon=":material/published_with_changes:"):
            shadows = [name for name in service.shadows(store) if name != chosen]
            n_reports = len(catalogue.reports(store))
            says = manage_words.new_rankers(chosen, shadows, n_reports, service.newest_sorted(store))
            asking.ask(says, partial(service.set_active_ranker, store, chosen, person=access.current_person()))
        st.caption(plain(words.in_use(active)))


def _state() -> tuple[Path, tuple[int, str]]:
    store = cache.store()
    return store.path, rankings.outcomes_state(store)


@st.cache_resource(show_spinner=False, ttl=cache.KEPT, max_entries=4)  # shared, not copied, as what follows
def _table(path: Path, state: tuple[int, str], replay: int | None) -> pd.DataFrame:
    return compare.with_distances(cache.all_scores(replay))


@st.cache_resource(show_spinner=False, ttl=cache.KEPT, max_entries=8)
def _paired(path: Path, state: tuple[int, str], asked: Asked) -> Paired:
    table = _table(path, state, asked.replay)
    is_asked = table["issue"].between(pd.Timestamp(asked.first), pd.Timestamp(asked.last))
    if asked.reports:
        is_asked &= table["report"].isin(asked.reports)
    return compare.pair_up(table[is_asked], asked.rankers)


@st.cache_resource(show_spinner=False, ttl=cache.KEPT, max_entries=20)
def _differences(path: Path, state: tuple[int, str], asked: Asked, against: str) -> pd.DataFrame:
    return differences(_paired(path, state, asked), against)
