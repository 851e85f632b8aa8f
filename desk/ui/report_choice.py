"""Choice of report, issue and ranker at the top of an editor's page."""

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
from presort.desk.text import plain, shortened
from presort.desk.ui import cache, empty, frame, visitor
from presort.desk.ui.choice import LONGEST_NUMBER, RANKING, choice, forget_ranking, report_choice
from presort.desk.ui.unknown import stop_at_unknown

HELD = "ranking-held"
RANKER = "sorted-by"  # in the address; "ranker" is the one that figures are shown of
KEPT_RANKER = f"kept-{RANKER}"


@dataclass(frozen=True)
class Chosen:
    """Chosen report and issue, with the chosen ranking and the published report issue if there are any.

    `rankers` are the names of those that sorted it, the one that sorts for editors first; to an editor, that one alone.
    """

    report: str
    issue: date
    ranking: StoredRanking | None
    published_issue: ReportIssue | None
    rankers: Sequence[str] = ()

    @property
    def is_sorted(self) -> bool:
        """True if there is a ranking."""
        return self.ranking is not None and self.ranking.ranking.is_sorted

    @property
    def is_published(self) -> bool:
        """True if the report issue is published."""
        return self.published_issue is not None


def choose(line: DeltaGenerator | None = None) -> Chosen | None:
    """Draw both boxes and return the choice. If there is nothing to choose, show a message and return None.

    All pages that call this share the choice, and store it in the address. A report or an issue in the address that
    doesn't exist stops the page. Defaults to the report that the person decided on last, and its oldest pending issue.
    `line` is the container to draw in, if other widgets follow in it.
    """
    store = cache.store()
    issues = {issue.date: issue.n_papers for issue in reversed(catalogue.issues(store))}
    reports = catalogue.reports(store)
    if not issues or not reports:
        empty.lacks_lists()
        return None
    line = line or st.container(horizontal=True)
    boxes = line.container(horizontal=True, wrap=False, gap="xsmall", key="which-list")
    is_kept = st.session_state.get("kept-report") in {one.code for one in reports}  # it may be of a wrong link
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
        default=max(open_issues, default=0),  # the oldest
        on_change=forget_ranking,
        has_label=False,
    )
    published_issue = published_issues.get(issue)
    at_hand = rankings.newest_rankings(store, report, issue)
    first = rankers.opened(store, report, issue, at_hand=at_hand)
    # A list that was first read in list order is shown so, even if it was ranked since.
    names = [] if first is None else sorted(at_hand, key=lambda name: name != first.ranking.ranker)
    if frame.role() == "editor":
        names = names[:1]  # which ranker is better is no question of theirs
    # Until it is published, nobody decides in the order of a replay.
    if (linked := _linked_ranking(report, issue, at_hand if published_issue is None else None)) is not None:
        _describe(linked, is_read=first is not None and linked.id == first.id)
        return Chosen(report, issue, linked, published_issue, names)
    ranking = _held(at_hand[_ranker(names)]) if names else None
    return Chosen(report, issue, ranking, published_issue, names)


def ranking_address(report: str, issue: date, ranking_id: int) -> dict[str, str]:
    """Return the query of the address at which Review shows a ranking, as links take it.

    Examples
    --------
    >>> ranking_address("lab", date(2026, 11, 2), 53)
    {'report': 'lab', 'issue': '2026-11-02', 'ranking': '53'}
    """
    return {"report": report, "issue": str(issue), RANKING: str(ranking_id)}


def _linked_ranking(report: str, issue: date, among: Mapping[str, StoredRanking] | None) -> StoredRanking | None:
    """Return the ranking named in the address. If this report issue has no such ranking, the page ends.

    With `among`, any other ranking in the address is ignored.
    """
    text = st.query_params.get(RANKING)
    if text is None:
        return None
    try:
        number = int(text[:LONGEST_NUMBER]) if text.isdecimal() else 0
        linked = rankings.ranking_of(cache.store(), report, issue, number)
    except RefusedError:
        st.warning(plain(f"There is no ranking {shortened(text)} of {report} {issue}."), icon=":material/link_off:")
        st.button("Show the list", key="without-ranking", on_click=forget_ranking)
        st.stop()
    return linked if among is None or linked.id in [one.id for one in among.values()] else None


def _describe(linked: StoredRanking, *, is_read: bool) -> None:
    """Show a message if the list is shown in another order than it was read in, and offer that one."""
    if is_read:
        return
    of_replay = "" if linked.ranking.replay is None else f", replay {linked.ranking.replay}"
    with st.container(horizontal=True, vertical_alignment="center"):
        text = f"Ranking {linked.id}: {linked.ranking.ranker}{of_replay}. The list was not read in this order."
        st.markdown(plain(text), width="content")
        st.button("Show the list as it was read", key="without-ranking", on_click=forget_ranking)


def choose_ranker(chosen: Chosen) -> None:
    """Draw a box of the rankers that ranked the chosen issue. The list changes as soon as another one is chosen."""
    shown = "" if chosen.ranking is None else chosen.ranking.ranking.ranker
    named = {name: f"{name}, for editors" if name == chosen.rankers[0] else name for name in chosen.rankers}
    place = list(named).index(shown) if shown in named else None
    name = st.selectbox("Ranker", list(named), place, format_func=named.__getitem__, key=f"{RANKER}-of-{shown}")
    if name is not None and name != shown:
        forget_ranking()
        st.session_state[KEPT_RANKER] = st.query_params[RANKER] = name
        st.rerun()


def _ranker(names: Sequence[str]) -> str:
    """Return the ranker asked for by the address or chosen before, if it sorted the issue; else the first."""
    held = [st.query_params.get(RANKER), st.session_state.get(KEPT_RANKER), *names]
    chosen = next(name for name in names if name == next(one for one in held if one in names))
    if chosen == names[0]:  # another may sort for editors next week: nothing to keep
        st.query_params.pop(RANKER, None)
        st.session_state.pop(KEPT_RANKER, None)
    else:
        st.session_state[KEPT_RANKER] = st.query_params[RANKER] = chosen
    return chosen


def release() -> None:
    """Show the newest ranking when the page is next drawn."""
    st.session_state.pop(HELD, None)


def _held(newest: StoredRanking) -> StoredRanking:
    """Return the ranking shown so far while the choice stays: a list doesn't change once somebody has begun with it."""
    sorted_for = (newest.ranking.report, newest.ranking.issue, newest.ranking.ranker)
    held_for, shown = st.session_state.get(HELD, (None, newest))
    if held_for != sorted_for or shown.id == newest.id or not _is_begun(newest.ranking.report, newest.ranking.issue):
        st.session_state[HELD] = (sorted_for, newest)
        return newest
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("This issue was sorted again since you opened it.", width="content")
        st.button("Show the new order", key="show-new", icon=":material/sort:", on_click=release)
    return cast("StoredRanking", shown)


def _is_begun(report: str, issue: date) -> bool:
    """Return whether a paper of a list was decided or read."""
    store = cache.store()
    return bool(decisions.labels(store, report, issue)) or (report, issue) in all_read_positions(store, [report], issue)


def _states(report: str, published: Iterable[date]) -> dict[date, str]:
    """Return the state of each issue of a report. Issues from before the report are missing."""
    to_review, skipped = pending_and_skipped(cache.store(), [report], today=date.today())
    return {
        **{one.issue: "to review" for one in to_review},
        **{one.issue: "skipped" for one in skipped},
        **dict.fromkeys(published, "published"),
    }
