"""Active ranker and shadows: the current choice, a form to change it, and the history of choices."""

from functools import partial

import streamlit as st

from presort.data.learning.vectors import count_vectors, sentence_model
from presort.data.running import service
from presort.desk.access import person_name
from presort.desk.manage.tables import ranker_table
from presort.desk.service import rankers
from presort.desk.service.vectors import available_rankers
from presort.desk.text import escape
from presort.desk.ui import cache, cards, confirm, empty, table, visitor
from presort.desk.ui.cards import Card
from presort.desk.ui.reranking import prepare_rankers

COLUMNS = {
    "active": "In use",
    "after": "For issues after",
    "made_at": "Chosen (UTC)",
    "person": "By",
    "shadows": "Shadows",
}
SHADOWS_HELP = (
    "Shadows also rank every issue, but only for evaluation. Editors don't see their rankings. *Compare* shows the "
    "results."
)


def show() -> None:
    """Draw the rankers in use, the form to change them, and the history."""
    store = cache.store()
    active, shadows = rankers.active_ranker(store), list(service.shadows(store))
    _draw_in_use(active, shadows)
    _draw_choice(active, shadows)
    history = ranker_table(store)
    if len(history):
        st.header("History", anchor=False)
        table.draw(table.search(history, "rankers"), COLUMNS, "rankers")
    model = sentence_model(store)
    n_made, n_papers = count_vectors(store)
    if model:
        st.caption(escape(f"Sentence vectors from {model.name}: {n_made:,} of {n_papers:,} papers"))
    else:
        st.caption("Rankers that use sentence vectors require a sentence model.")


def _draw_in_use(active: str, shadows: list[str]) -> None:
    known = service.ranker_choices(cache.store())
    newest = known[-1] if known else None
    after = None if newest is None else newest.after
    by, day = ("default", "") if newest is None else (person_name(newest.person), f"{newest.made_at:%Y-%m-%d}")
    cards.draw(
        [
            Card("In use", active, "Active ranker: editors see its rankings."),
            Card(
                "Since",
                str(after or "the beginning"),
                "The active ranker ranks all issues after this date.",
                "issues after this date" if after else "",
            ),
            Card("By", by, "User who chose the active ranker and the shadows, and the date (UTC).", day),
            Card("Shadows", ", ".join(shadows) or "none", SHADOWS_HELP),
        ],
        "rankers",
    )


def _draw_choice(active: str, shadows: list[str]) -> None:
    store = cache.store()
    # The active ranker and the shadows are the fields' current values, so they are offered even if unavailable.
    names = list(dict.fromkeys([*available_rankers(store), active, *shadows]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Ranker", names, names.index(active), key="active-ranker", width=240)
        selected = st.multiselect("Shadows", names, shadows, key="shadow-rankers", help=SHADOWS_HELP)
        new_shadows = [name for name in selected if name != chosen]
        is_same = (chosen, new_shadows) == (active, shadows)
        label = "Use from the next issue"
        st.button(label, key="use-rankers", type="primary", disabled=is_same, on_click=_use, args=(chosen, new_shadows))
        empty.draw_links([empty.TO_COMPARE])


def _use(active: str, shadows: list[str]) -> None:
    store, person = cache.store(), visitor.person()
    done = rankers.describe_choice(store, active, shadows)
    old = (rankers.active_ranker(store), list(service.shadows(store)))
    use, undo = (
        partial(prepare_rankers, partial(service.set_rankers, store, *one, person=person))
        for one in ((active, shadows), old)
    )
    confirm.make(done, use, undo)
