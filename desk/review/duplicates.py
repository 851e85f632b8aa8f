"""Duplicates in an issue, each with the existing paper, its issue, and a button to list the duplicate anyway."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import streamlit as st

from presort.data.duplicates.listings import Duplicate, duplicates, separate
from presort.data.editing import decisions, publications
from presort.data.errors import DataError
from presort.data.records import Label
from presort.data.text.words import plain_words
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, visitor
from presort.desk.ui.report_choice import ReportChoice

LABEL_TEXTS: dict[Label, str] = {"yes": "relevant", "no": "not relevant", "maybe": "maybe"}
AT_ONCE = 20  # number of duplicates shown at first, because each takes a long time to draw

Labels = Mapping[date, Mapping[str, Label]]


def describe_duplicate(copy: Duplicate) -> str:
    """Describe the existing paper that a duplicate was matched with.

    Examples
    --------
    >>> from presort.data.records import Paper
    >>> known = Paper("p1", "Minimum wages", series="Papers of X")
    >>> describe_duplicate(Duplicate(Paper("q1", "Minimum Wages"), known, "doi", 1.0, ()))
    'also published as Papers of X'
    >>> describe_duplicate(Duplicate(Paper("q1", "Minimun wages", series="Papers of X"), known, "doi", 0.9, ()))
    'also published as p1, “Minimum wages”'
    """
    paper, known = copy.paper, copy.known
    name = known.series if known.series not in ("", paper.series) else known.paper_id
    is_called_so = plain_words(known.title) == plain_words(paper.title)
    return f"also published as {name}" if is_called_so else f"also published as {name}, “{known.title}”"


def describe_earlier_listing(listed: date, issue: date, label: Label | None, published: Collection[date]) -> str:
    """Describe where the existing paper is listed, and the decision on it.

    Parameters
    ----------
    listed : date
        Issue that lists the existing paper. It may be the open issue.
    issue : date
        Open issue.
    label : str or None
        Current label of the existing paper. None if there is no decision on it.
    published : collection of date
        Issues that the report has published. In these issues, papers without a decision are treated as not relevant.

    Examples
    --------
    >>> describe_earlier_listing(date(2026, 11, 9), date(2026, 11, 16), None, [date(2026, 11, 9)])
    'seen in issue 2026-11-09: not relevant'
    """
    if listed == issue:
        return "listed in this issue"
    passed_over = LABEL_TEXTS["no"] if listed in published else "not decided yet"
    return f"seen in issue {listed}: {LABEL_TEXTS.get(label, passed_over) if label else passed_over}"


@st.fragment
@visitor.one_snapshot()
def show(chosen: ReportChoice) -> None:
    """Draw the duplicates found in the issue. Draws nothing if there are none."""
    found = duplicates(cache.store(), chosen.issue)
    if not found:
        return
    with st.expander(
        f"{count_text(len(found), 'paper')} you have seen before",
        icon=":material/content_copy:",
        key=f"duplicates-{chosen.issue}",
    ):
        key = f"n-duplicates-{chosen.issue}"
        n_shown = st.session_state.get(key, AT_ONCE)
        published_dates = publications.published(cache.store(), chosen.report)
        labels = _labels(chosen.report, found[:n_shown])
        for copy in found[:n_shown]:
            _draw(copy, chosen, labels, published_dates)
        if len(found) > n_shown:
            st.button("Show more", key=f"more-{key}", on_click=_show_more, args=(key, n_shown))


def _show_more(key: str, n_shown: int) -> None:
    st.session_state[key] = n_shown + AT_ONCE


def _labels(report: str, shown: Sequence[Duplicate]) -> Labels:
    """Return the current labels by paper id, for each issue that lists an existing paper."""
    days = {day for copy in shown for day in copy.issues}
    return {day: decisions.labels(cache.store(), report, day) for day in days}


def _draw(copy: Duplicate, chosen: ReportChoice, labels: Labels, published: Collection[date]) -> None:
    paper_id = copy.paper.paper_id
    on_it = {day: labels[day].get(copy.known.paper_id) for day in copy.issues}
    listed = next((day for day, label in on_it.items() if label == "yes"), copy.issues[0])
    left, right = st.columns([3, 1], vertical_alignment="center", gap="medium")
    with left.container(gap=None):
        st.text(copy.paper.title)
        where = describe_earlier_listing(listed, chosen.issue, on_it[listed], published)
        still = "; merged, but still in this list" if copy.is_listed else ""
        st.caption(escape(f"{describe_duplicate(copy)}, {where}{still}"))
    label = "Not a duplicate" if copy.is_listed else "Not a duplicate: add to list"
    if not chosen.is_published and right.button(label, key=f"separate-{paper_id}", type="tertiary"):
        _separate(paper_id)


def _separate(paper_id: str) -> None:
    try:
        separate(cache.store(), paper_id, person=visitor.person())
    except DataError as error:  # shown here, because the page's error handler doesn't catch errors raised in fragments
        st.error(escape(str(error)))
    else:
        st.toast("Paper added to the list.")
        st.rerun()  # reruns the whole page, because the list changes too
