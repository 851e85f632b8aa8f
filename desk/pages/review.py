"""Review: the sorted issue of one report, decided paper by paper."""

from functools import partial

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue
from data.records import Hints, Paper
from desk import access, cache, workflow
from desk.boxes import (
    again_box,
    begin_box,
    copies_box,
    criteria_box,
    export_box,
    hint_box,
    issued_box,
    list_box,
    plain_list,
    reopen_box,
)
from desk.boxes.choosing import Chosen, choose
from desk.exporting import Shown
from desk.preferences import preferences
from desk.reading import Sheet
from desk.receiving import Receiver
from desk.words import review as words
from desk.words.text import plain


def show() -> None:
    """Draw the list of an issue for a report, and what can be done with it."""
    st.title(words.TITLE, anchor=False)
    if chosen := choose():
        again_box.show(chosen.report)
        _draw(chosen)


def _draw(chosen: Chosen) -> None:
    report, ranking = chosen.report, chosen.ranking
    heeded = Hints() if ranking is None else hint_box.of(report, ranking.ranking.hints_up_to)
    is_young = begin_box.report_is_young(report, ranking, heeded)
    begin_box.show(report, chosen.issue, ranking, is_young=is_young, is_issued=chosen.is_issued)
    papers = catalogue.papers(cache.store(), chosen.issue)
    if chosen.gone_out:
        issued_box.show(chosen, chosen.gone_out, papers)
        reopen_box.show(chosen)
    preferred = preferences(cache.store(), access.current_person())
    order = _choose_order(chosen) if preferred.is_plain else words.PRESORT
    sheet = _sheet(chosen, papers, order)
    receiver = _receiver(sheet)
    with st.container(horizontal=True, key="around-the-list"):
        criteria_box.show(report)
        if chosen.is_sorted and not chosen.is_issued:
            hint_box.show(report)
        export_box.show(sheet, partial(_shown, receiver))
        if not chosen.is_issued:
            st.page_link(_finish(), label=words.FINISH, icon=":material/arrow_forward:")
    if ranking is not None and chosen.is_sorted and not chosen.is_issued and not is_young:
        hint_box.show_next(report, chosen.issue, ranking.ranking, "list")
    if preferred.is_plain:
        plain_list.show(receiver, heeded)
    else:
        with st.container(gap="xxsmall"):
            st.caption(plain(words.source(len(sheet.papers), sheet.shown.ranking if sheet.shown else None, heeded)))
            list_box.show(receiver, preferred)
    copies_box.show(chosen)


def _finish() -> StreamlitPage:
    from desk.pages import finish  # which links back to here

    return st.Page(finish.show, url_path="finish")


def _choose_order(chosen: Chosen) -> str:
    return st.segmented_control(
        words.ORDER,
        [words.PRESORT, words.RECEIVED] if chosen.is_sorted else [words.RECEIVED],
        default=words.PRESORT if chosen.is_sorted else words.RECEIVED,
        required=True,
        key=f"order-{chosen.report}-{chosen.issue}-{chosen.is_sorted}",
        label_visibility="collapsed",
    )


def _sheet(chosen: Chosen, papers: list[Paper], order: str) -> Sheet:
    report, issue = chosen.report, chosen.issue
    shown = chosen.ranking if order == words.PRESORT and chosen.is_sorted else None
    light = None if shown is None or chosen.is_issued else cache.light(report, shown.ranking.ranker, issue)
    return Sheet(report, issue, papers, shown, workflow.shown_order(shown, len(papers)), light, chosen.is_issued)


def _receiver(sheet: Sheet) -> Receiver:
    """Give who serves a list; what it shows is remembered while the page is drawn anew."""
    key = f"receiver-{sheet.report}-{sheet.issue}"
    before: Receiver | None = st.session_state.get(key)
    looked = None if before is None else before.looked
    receiver = Receiver(cache.store(), sheet, access.current_person(), partial(list_box.ask, sheet), looked)
    st.session_state[key] = receiver
    return receiver


def _shown(receiver: Receiver) -> Shown:
    looked = receiver.looked
    if looked is None:
        return Shown(receiver.sheet.order_name)
    return Shown(looked.order, looked.filter, looked.query)
