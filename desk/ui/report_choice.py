"""Selection of the report, issue and ranking at the top of an editor's page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.data.editing import decisions, log, publications
from presort.data.editing.pending import pending_and_skipped
from presort.data.editing.read_papers import all_read_positions
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.records import ReportIssue, StoredRanking
from presort.desk.service import rankers
from presort.desk.text import escape, shorten
from presort.desk.ui import cache, empty, frame, visitor
from presort.desk.ui.choice import LONGEST_NUMBER, RANKING, choice, forget_ranking, report_choice
from presort.desk.ui.unknown import stop_at_unknown

HELD = "ranking-held"
RANKER = "sorted-by"  # query parameter; it isn't "ranker", because pages with figures use that name
KEPT_RANKER = f"kept-{RANKER}"


@dataclass(frozen=True)
class ReportChoice:
    """Chosen report and issue.

    Attributes
    ----------
    report : str
        Code of the report.
    issue : date
        Date of the issue.
    ranking : StoredRanking or None
        Ranking to show. None if the report issue has no ranking, or had none when it was first published.
    published_issue : ReportIssue or None
        The published report issue. None if the report issue is not published.
    rankers : sequence of str
        Rankers that have ranked the issue. The ranking of the first ranker in this sequence is shown by default. If the
        issue was published, this is the ranker at the first publication. Otherwise, it is the ranker in use or, if that
        ranker has not ranked the issue, any other ranker. In the editor's role, only this ranker is included. Empty if
        `ranking` is None.
    """

    report: str
    issue: date
    ranking: StoredRanking | None
    published_issue: ReportIssue | None
    rankers: Sequence[str] = ()

    @property
    def is_sorted(self) -> bool:
        """True if the list is shown in ranked order."""
        return self.ranking is not None and self.ranking.ranking.is_sorted

    @property
    def is_published(self) -> bool:
        """True if the report issue is published."""
        return self.published_issue is not None


def choose(line: DeltaGenerator | None = None) -> ReportChoice | None:
    """Draw the select boxes for report and issue, and return the choice.

    All pages share the choice and store it in the address. It defaults to the report on which the user last made a
    decision, and to its oldest pending issue or, if none is pending, the newest issue. If the address names an unknown
    report or issue, a message is shown and the page stops.

    Parameters
    ----------
    line : DeltaGenerator, optional
        Container to draw in if other widgets follow on the same line. Defaults to a new container.

    Returns
    -------
    ReportChoice or None
        None if there are no issues or no reports. In that case, a message is shown.
    """
    store = cache.store()
    issues = {issue.date: issue.n_papers for issue in reversed(catalogue.issues(store))}
    reports = catalogue.reports(store)
    if not issues or not reports:
        empty.lacks_lists()
        return None
    line = line or st.container(horizontal=True)
    boxes = line.container(horizontal=True, wrap=False, gap="xsmall", key="which-list")
    is_kept = st.session_state.get("kept-report") in {
        one.code for one in reports
    }  # an incorrect link may name an unknown report
    own = None if is_kept else log.last_report(store, visitor.person())
    report = report_choice(boxes, reports, first=own, has_label=False)
    published_issues = publications.published(store, report)
    states = _states(report, published_issues)
    open_issues = [place for place, day in enumerate(issues) if states.get(day) == "to review"]

    def issue_label(day: date) -> str:
        return f"{day} · {issues[day]} papers · {states.get(day, 'not published')}"

    stop_at_unknown(boxes, "Issue", list(issues), name="issue", named=issue_label, has_label=False)
    issue = choice(
        boxes,
        "Issue",
        list(issues),
        name="issue",
        named=issue_label,
        default=max(open_issues, default=0),  # the oldest pending issue
        on_change=forget_ranking,
        has_label=False,
    )
    published_issue = published_issues.get(issue)
    at_hand = rankings.newest_rankings(store, report, issue)
    first = rankers.review_ranking(store, report, issue, at_hand=at_hand)
    # A list that had no ranking when it was first published remains in list order, even if it was ranked later.
    names = [] if first is None else sorted(at_hand, key=lambda name: name != first.ranking.ranker)
    if frame.role() == "editor":
        names = names[:1]  # editors don't compare rankers
    # Unpublished lists can't be opened in the order of a replay, because decisions must refer to a ranking for editors.
    if (linked := _linked_ranking(report, issue, at_hand if published_issue is None else None)) is not None:
        _describe_link(linked, is_read=first is not None and linked.id == first.id)
        return ReportChoice(report, issue, linked, published_issue, names)
    ranking = _hold_ranking(at_hand[_ranker(names)]) if names else None
    return ReportChoice(report, issue, ranking, published_issue, names)


def ranking_address(report: str, issue: date, ranking_id: int) -> dict[str, str]:
    """Return the query parameters that make *Review* show a ranking.

    Examples
    --------
    >>> ranking_address("lab", date(2026, 11, 2), 53)
    {'report': 'lab', 'issue': '2026-11-02', 'ranking': '53'}
    """
    return {"report": report, "issue": str(issue), RANKING: str(ranking_id)}


def _linked_ranking(report: str, issue: date, among: Mapping[str, StoredRanking] | None) -> StoredRanking | None:
    """Return the ranking that the address names. None if it doesn't name any.

    If the report issue doesn't have this ranking, a message is shown and the page stops. If `among` is given, None is
    returned for rankings that are not in it.
    """
    text = st.query_params.get(RANKING)
    if text is None:
        return None
    try:
        number = int(text[:LONGEST_NUMBER]) if text.isdecimal() else 0
        linked = rankings.ranking_of(cache.store(), report, issue, number)
    except RefusedError:
        st.warning(escape(f"There is no ranking {shorten(text)} of {report} {issue}."), icon=":material/link_off:")
        st.button("Show the list", key="without-ranking", on_click=forget_ranking)
        st.stop()
    return linked if among is None or linked.id in [one.id for one in among.values()] else None


def _describe_link(linked: StoredRanking, *, is_read: bool) -> None:
    """Show a message and a button that opens the order in which the list was read, unless that is the linked order."""
    if is_read:
        return
    of_replay = "" if linked.ranking.replay is None else f", replay {linked.ranking.replay}"
    with st.container(horizontal=True, vertical_alignment="center"):
        text = f"Ranking {linked.id}: {linked.ranking.ranker}{of_replay}. The list was read in another order."
        st.markdown(escape(text), width="content")
        st.button("Show the order in which it was read", key="without-ranking", on_click=forget_ranking)


def choose_ranker(chosen: ReportChoice) -> None:
    """Draw a select box with the rankers that have ranked the issue. Choosing another ranker redraws the list."""
    shown = "" if chosen.ranking is None else chosen.ranking.ranking.ranker
    named = {name: f"{name}, for editors" if name == chosen.rankers[0] else name for name in chosen.rankers}
    place = list(named).index(shown) if shown in named else None
    name = st.selectbox("Ranker", list(named), place, format_func=named.__getitem__, key=f"{RANKER}-of-{shown}")
    if name is not None and name != shown:
        forget_ranking()
        st.session_state[KEPT_RANKER] = st.query_params[RANKER] = name
        st.rerun()


def _ranker(names: Sequence[str]) -> str:
    """Return the ranker that the address names or the user chose before, if it has ranked the issue.

    Defaults to the first ranker.
    """
    held = [st.query_params.get(RANKER), st.session_state.get(KEPT_RANKER), *names]
    chosen = next(name for name in names if name == next(one for one in held if one in names))
    if chosen == names[0]:  # the default isn't stored, because another ranker may be in use next week
        st.query_params.pop(RANKER, None)
        st.session_state.pop(KEPT_RANKER, None)
    else:
        st.session_state[KEPT_RANKER] = st.query_params[RANKER] = chosen
    return chosen


def release() -> None:
    """Show the newest ranking when the page is drawn next."""
    st.session_state.pop(HELD, None)


def _hold_ranking(newest: StoredRanking) -> StoredRanking:
    """Return the ranking to show. Once a list was started, its ranking is kept until the user asks for the newest.

    The newest ranking is returned if another list is chosen, or if nothing has been read or decided yet.
    """
    sorted_for = (newest.ranking.report, newest.ranking.issue, newest.ranking.ranker)
    held_for, shown = st.session_state.get(HELD, (None, newest))
    if held_for != sorted_for or shown.id == newest.id or not _has_started(newest.ranking.report, newest.ranking.issue):
        st.session_state[HELD] = (sorted_for, newest)
        return newest
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("This issue was re-ranked after you opened it.", width="content")
        st.button("Show the new order", key="show-new", icon=":material/sort:", on_click=release)
    return cast("StoredRanking", shown)


def _has_started(report: str, issue: date) -> bool:
    """Return True if any paper in a list was read or has a decision."""
    store = cache.store()
    return bool(decisions.labels(store, report, issue)) or (report, issue) in all_read_positions(store, [report], issue)


def _states(report: str, published: Iterable[date]) -> dict[date, str]:
    """Return the state of each of a report's issues.

    Issues before the report's first pending issue are left out, unless they were published or skipped.
    """
    to_review, skipped = pending_and_skipped(cache.store(), [report], today=date.today())
    return {
        **{one.issue: "to review" for one in to_review},
        **{one.issue: "skipped" for one in skipped},
        **dict.fromkeys(published, "published"),
    }
