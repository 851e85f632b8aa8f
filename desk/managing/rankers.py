"""Rankers: which sorts for the editors, and which run beside it."""

from functools import partial

import streamlit as st

from data import catalogue, service
from desk import access, cache, manage, rankers
from desk.managing import tables
from desk.managing.asking import ask
from desk.words import manage as words
from desk.words.text import plain
from ranker.versions import RECIPES


def show() -> None:
    """Draw the rankers in use, what they can be changed to, and what was chosen before."""
    store = cache.store()
    active, beside = rankers.active(store), service.shadows(store)
    n_reports = len(catalogue.reports(store))
    st.markdown(f"**{plain(words.rankers_in_use(active, beside, n_reports))}**")
    left, right = st.columns(2)
    names = list(dict.fromkeys([*RECIPES, active, *beside]))  # also one that only a newer Presort knows
    chosen = left.selectbox(words.ACTIVE, names, names.index(active), key="active-ranker")
    shadows = right.multiselect(words.SHADOWS, names, beside, key="shadow-rankers")
    shadows = [name for name in shadows if name != chosen]
    if st.button(words.USE, key="use-rankers", type="primary", disabled=(chosen, shadows) == (active, list(beside))):
        change = partial(service.set_rankers, store, chosen, shadows, person=access.current_person())
        ask(words.new_rankers(chosen, shadows, n_reports, service.newest_sorted(store)), change)
    st.markdown(f":small[{words.RANKERS_HINT}]")
    log = manage.ranker_table(store)
    if len(log):
        st.header(words.CHOICES, anchor=False)
        tables.draw(log, words.RANKER_COLUMNS, "rankers")
