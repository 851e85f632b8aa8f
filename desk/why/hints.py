"""Muted and boosted terms: widgets to add and remove them, and to re-rank with them."""

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st

from presort.data.editing.hints import add_hint, hints
from presort.data.editing.pending import SortedBy
from presort.data.errors import DataError
from presort.data.learning.first_publications import first_publication
from presort.data.records import HintKind, Hints, Ranking
from presort.data.rights import Right
from presort.desk.service import rankers, workflow
from presort.desk.text import escape
from presort.desk.ui import cache, field, problem, report_choice, visitor
from presort.desk.why.labels import hint_changes_text

MUTE_OR_BOOST = "Mute or boost"
VERBS: dict[HintKind, str] = {"mute": "Mute", "boost": "Boost"}
EFFECTS: dict[HintKind, str] = {
    "mute": "The term is ignored, starting with the next ranking.",
    "boost": "Papers with this term rank higher, starting with the next ranking.",
}
BEHIND: dict[SortedBy, str] = {
    SortedBy.ALL: "",
    SortedBy.ALL_BUT_OTHERS: "Newer decisions for other reports could improve this list.",
    SortedBy.LESS: "This list is outdated: there are newer decisions or papers.",
}


def labelled_terms(hints: Hints) -> list[tuple[str, str]]:
    """Return (label, term) pairs of the muted and boosted terms.

    Examples
    --------
    >>> labelled_terms(Hints(muted=("survey",), boosted=("wage",)))
    [('muted', 'survey'), ('boosted', 'wage')]
    """
    return [*(("muted", term) for term in hints.muted), *(("boosted", term) for term in hints.boosted)]


@st.fragment
@visitor.one_snapshot()
def show(report: str) -> None:
    """Draw all muted and boosted terms, each with a button to remove it, and a field for another term."""
    place = "list"
    st.markdown(
        "Muted terms are ignored. Papers with boosted terms rank higher. Changes take effect in the next ranking."
    )
    # A form sends the text together with the click. Without a form, the click may arrive before the text.
    with st.form(f"form-{place}", enter_to_submit=False, border=False):
        st.text_input("One or more words, an author, or a code", key=field.key_of(_name_of_term(place)))
        _draw_buttons(report, place, _save_typed_hint, st.form_submit_button)
    for text, term in labelled_terms(report_hints(report)):
        _draw_hint(report, text, term)


def show_terms(report: str, place: str, terms: Sequence[str]) -> None:
    """Draw terms to choose from, and buttons to mute or boost the selected term.

    `place` is the key of this box, and must be unique on the page.
    """
    chosen = st.pills(MUTE_OR_BOOST, terms, format_func=escape, key=_name_of_term(place))
    if chosen is not None and _draw_buttons(report, place, _save_field, st.button):
        st.rerun()  # reruns the whole page, because the line above the list changes too


def _draw_buttons(
    report: str, place: str, on_click: Callable[[str, HintKind, str], None], button: Callable[..., bool]
) -> bool:
    """Draw the buttons to mute and boost. Returns True if a hint was saved."""
    with st.container(horizontal=True):
        clicks = [
            button(verb, key=f"{kind}-{place}", help=EFFECTS[kind], on_click=on_click, args=(report, kind, place))
            for kind, verb in VERBS.items()
        ]
    is_kept = any(clicks) and not problem.has_error(place)
    problem.show(place)
    return is_kept


def show_next(report: str, issue: date, ranking: Ranking, place: str, *, by: SortedBy = SortedBy.ALL) -> None:
    """Describe changes since this ranking that the next ranking will use, and offer to rank the issue again.

    Draws nothing if there are no changes. `by` states which data this ranking used. A published issue keeps its order,
    so the changes take effect with the next issue.
    """
    if text := hint_changes_text(report_hints(report, ranking.hints_up_to), report_hints(report)) or BEHIND[by]:
        if first_publication(cache.store(), report, issue) is not None:
            st.caption(escape(f"{text} This issue keeps its order because it has been published."))
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escape(text), width="content")
            if st.button("Update ranking", key=f"rerank-{place}", icon=":material/sort:"):
                rerank_now(report, issue, ranking.ranker)


def rerank_now(report: str, issue: date, ranker: str) -> None:
    """Rank an issue again for a report, and redraw the page."""
    try:
        with st.spinner("Training and ranking…"):
            for _ in workflow.rank(
                cache.store().without_guard(Right.EDIT, report),
                [rankers.installed_recipe(ranker)],
                issue=issue,
                reports=[report],
            ):
                pass
    except DataError as error:  # caught here because the page's error handler doesn't cover a fragment
        st.error(escape(str(error)))
        return
    report_choice.release()
    st.rerun()


def report_hints(report: str, up_to: int | None = None) -> Hints:
    """Return a report's current hints, or those up to log entry number `up_to`."""
    return hints(cache.store().without_guard(Right.SEE, report), up_to=up_to).get(report, Hints())


def save_hint(report: str, kind: HintKind, text: str, place: str) -> None:
    """Save a hint. An error is shown at `place`."""
    problem.try_save(lambda: add_hint(cache.store(), report, kind, text, person=visitor.person()), place)


def _name_of_term(place: str) -> str:
    return f"term-{place}"


def _save_field(report: str, kind: HintKind, place: str) -> None:
    save_hint(report, kind, field.text_of(_name_of_term(place)), place)


def _save_typed_hint(report: str, kind: HintKind, place: str) -> None:
    _save_field(report, kind, place)
    if not problem.has_error(place):
        field.renew(_name_of_term(place))


def _draw_hint(report: str, hint_text: str, term: str) -> None:
    place = f"{hint_text}-{term}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"{hint_text}: {term}")
        st.button(
            "Remove", key=f"back-{place}", type="tertiary", on_click=save_hint, args=(report, "none", term, place)
        )
    problem.show(place)
