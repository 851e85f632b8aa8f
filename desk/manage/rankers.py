"""Rankers: which sorts for the editors, and which run beside it."""

from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.learning.vectors import count_vectors, sentence_model
from presort.data.running import service
from presort.desk.manage import words
from presort.desk.manage.tables import ranker_table
from presort.desk.service import rankers
from presort.desk.service.vectors import offered
from presort.desk.text import plain
from presort.desk.ui import cache, table, visitor
from presort.desk.ui.confirm import ask
from presort.desk.week.again import prepare_rankers


def show() -> None:
    """Draw the rankers in use, what they can be changed to, and what was chosen before."""
    store = cache.store()
    active, beside = rankers.active(store), service.shadows(store)
    n_reports = len(catalogue.reports(store))
    st.markdown(f"**{plain(words.rankers_in_use(active, beside, n_reports))}**")
    if known := service.ranker_choices(store):
        st.caption(plain(words.chosen_by_whom(known[-1])))
    left, right = st.columns(2)
    names = list(dict.fromkeys([*offered(store), active, *beside]))  # also one that only a newer Presort knows
    chosen = left.selectbox("Sorts for the editors", names, names.index(active), key="active-ranker")
    shadows = right.multiselect("Run beside it, and are only watched", names, beside, key="shadow-rankers")
    shadows = [name for name in shadows if name != chosen]
    if st.button(
        "Use from the next issue on",
        key="use-rankers",
        type="primary",
        disabled=(chosen, shadows) == (active, list(beside)),
    ):
        choose = partial(service.set_rankers, store, chosen, shadows, person=visitor.person())
        says = words.new_rankers(chosen, shadows, n_reports, service.newest_sorted(store))
        ask(says, partial(prepare_rankers, choose))
    st.markdown(":small[Compare shows how they do against each other.]")
    model = sentence_model(store)
    st.caption(plain(words.vectors_say(model.name if model else "", *count_vectors(store))))
    log = ranker_table(store).iloc[1:]  # the first stands above
    if len(log):
        st.header("What was chosen before", anchor=False)
        table.draw(
            log,
            {
                "made_at": "When (UTC)",
                "person": "Who",
                "active": "Sorts",
                "shadows": "Run beside it",
                "after": "For issues after",
            },
            "rankers",
        )
