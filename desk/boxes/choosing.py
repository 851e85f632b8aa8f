"""The line at the top of an editor's page: which report, which issue, sorted by which ranker."""

from collections.abc import Container
from dataclasses import dataclass
from datetime import date
from typing import cast

import streamlit as st

from data import catalogue, rankings, reviews
from data.records import ReportIssue, StoredRanking
from desk import cache, rankers
from desk.choice import choice, report_choice
from desk.words import choosing as words

HELD = "ranking-held"


@dataclass(frozen=True)
class Chosen:
    """An issue for a report.

    Attributes
    ----------
    report, issue
        What was chosen.
    ranking : StoredRanking or None
        The one chosen, of those at hand; None where there is none.
    gone_out : ReportIssue or None
        What went out, if the report issue did.
    """

    report: str
    issue: date
    ranking: StoredRanking | None
    gone_out: ReportIssue | None

    @property
    def is_sorted(self) -> bool:
        """Whether there is another order than the one received."""
        return self.ranking is not None and len(self.ranking.ranking.scores) > 0

    @property
    def is_issued(self) -> bool:
        """Whether the report issue has gone out."""
        return self.gone_out is not None


def choose() -> Chosen | None:
    """Draw the three boxes and give what is chosen; say what is missing, and give None, where there is nothing yet.

    Pages that call this share the choice, and so does the address.
    """
    store = cache.store()
    issues = {issue.date: issue.n_papers for issue in reversed(catalogue.issues(store))}
    reports = catalogue.reports(store)
    if not issues or not reports:
        st.info(words.NO_REPORT if issues else words.NO_ISSUE)
        return None
    left, middle, right = st.columns([3, 3, 2])
    report = report_choice(left, reports)
    issued = reviews.issued(store, report)
    newest_issued = max(issued, default=date.min)
    issue = choice(
        middle,
        words.ISSUE,
        list(issues),
        name="issue",
        named=lambda day: words.issue_named(day, issues[day], _standing(day, issued, newest_issued)),
    )
    at_hand = rankings.newest_rankings(store, report, issue)
    gone_out = issued.get(issue)
    first = rankers.active(store, issue)
    if gone_out and gone_out.ranking_id is not None:
        shown = rankings.ranking(store, gone_out.ranking_id)  # as the editor saw it, whatever was made since
        first = shown.ranking.ranker
        at_hand[first] = shown
    names = sorted(at_hand, key=lambda name: name != first)
    ranker = choice(right, words.RANKER, names, name="ranker") if names else ""
    return Chosen(report, issue, _held(at_hand[ranker]) if ranker else None, gone_out)


def release() -> None:
    """Let the newest ranking be shown when the page is next drawn."""
    st.session_state.pop(HELD, None)


def _held(newest: StoredRanking) -> StoredRanking:
    """Give the ranking shown so far, as long as the choice stays: a list never changes under its reader's eyes."""
    sorted_for = (newest.ranking.report, newest.ranking.issue, newest.ranking.ranker)
    held_for, shown = st.session_state.get(HELD, (None, newest))
    if held_for != sorted_for or shown.id == newest.id:
        st.session_state[HELD] = (sorted_for, newest)
        return newest
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.SORTED_AGAIN, width="content")
        st.button(words.SHOW_NEW, key="show-new", icon=":material/sort:", on_click=release)
    return cast("StoredRanking", shown)


def _standing(day: date, issued: Container[date], newest_issued: date) -> str:
    if day in issued:
        return words.ISSUED
    return words.TO_REVIEW if day > newest_issued else words.NOTHING_ISSUED
