"""Some reports' pending issues, most urgent first. Each has one line with a link that opens the list."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import streamlit as st

from presort.data.editing.pending import LATE, VERY_LATE, SortedBy, late_issues, lateness
from presort.data.editing.read_papers import NOTHING, all_read_positions
from presort.data.editing.skipping import skippings
from presort.data.records import PendingIssue, Positions
from presort.desk import pages
from presort.desk.service import pending, rankers
from presort.desk.session.progress import current_order
from presort.desk.text import age_text, count_text, escape
from presort.desk.ui import cache, problem, reranking
from presort.desk.week import log, skipping

PROBLEM = "pending"  # name of the place on the page where errors are shown
SHOWN_AT_ONCE = 40
OPENED = "n-pending"
NOT_RANKED, OUTDATED = "Not ranked", "Ranking outdated"
COLOURS = {
    "Very late": "red",
    "Late": "orange",
    "In progress": "blue",
    "Reopened": "violet",
    "New": "green",
}  # badge colours
LATE_HELP = (
    f"Late: {LATE} days after the issue date, not counting holidays. Very late: {VERY_LATE} days. Publish a very late "
    "issue, even without papers, or skip it."
)


def show(names: Mapping[str, str], issues: Sequence[PendingIssue], skipped: Sequence[PendingIssue]) -> None:
    """Draw some reports' pending and skipped issues, and queue `pending.issues_to_rank` for ranking.

    `names` contains the reports' names by code.
    """
    by_rankers = rankers.known_rankers_of(cache.store(), issues)
    reranking.rank_new(pending.issues_to_rank(cache.store(), issues, by_rankers))
    reranking.show()
    problem.show(PROBLEM)
    skipping.show(PROBLEM)
    if issues:
        _draw_lines(names, sort_by_urgency(issues), by_rankers)
    else:
        st.success("No pending issues: all are published or skipped.", icon=":material/check:")
    _draw_skipped_issues(names, skipped)


def sort_by_urgency(issues: Iterable[PendingIssue]) -> list[PendingIssue]:
    """Sort pending issues by urgency: late issues before all others, and older issues first within each group."""
    return sorted(issues, key=lambda issue: (lateness(issue) is None, issue.issue, issue.report))


def headline(issues: Sequence[PendingIssue]) -> str:
    """Format the numbers of pending and late issues, and the age of the oldest issue. Empty if none is pending.

    Examples
    --------
    >>> from datetime import date
    >>> new = PendingIssue("lab", date(2026, 11, 16), 300, 0, is_started=False, days_old=5)
    >>> headline([new, PendingIssue("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)])
    '**2** pending · **1** late · oldest **2 weeks old**'
    """
    if not issues:
        return ""
    n_late = len(late_issues(issues))
    oldest = max(issue.days_old for issue in issues)
    return f"**{len(issues):,}** pending · **{n_late:,}** late · oldest **{age_text(oldest)}**"


def _draw_lines(names: Mapping[str, str], issues: Sequence[PendingIssue], by_rankers: pending.ByRankers) -> None:
    read = all_read_positions(cache.store(), names, min(issue.issue for issue in issues))
    n_shown = st.session_state.setdefault(OPENED, SHOWN_AT_ONCE)
    with st.container(key="pending-issues", gap=None):
        for issue in issues[:n_shown]:
            positions = read.get((issue.report, issue.issue), NOTHING)
            ranked_by = list(by_rankers[issue.report, issue.issue].values())
            _draw_line(issue, line(issue, names[issue.report], len(positions), ranked_by), _place(issue, positions))
    if len(issues) > n_shown and st.button(f"Show {len(issues) - n_shown:,} more", key="more-pending"):
        st.session_state[OPENED] = len(issues)
        st.rerun()


def line(issue: PendingIssue, name: str, n_read: int, ranked_by: Sequence[SortedBy]) -> str:
    """Format a pending issue as Markdown: report, date, badges and figures.

    `n_read` is the number of papers read. `ranked_by` contains one entry for each ranker that has ranked
    the issue.
    """
    chips = [(state(issue, n_read), COLOURS[state(issue, n_read)])]
    if not ranked_by or SortedBy.LESS in ranked_by:
        chips.append((OUTDATED if ranked_by else NOT_RANKED, "gray"))
    badges = " ".join(f":{colour}-badge[{label}]" for label, colour in chips)
    figures = [count_text(issue.n_papers, "paper")]
    if n_read := max(n_read, issue.n_decided):
        figures += [f"{n_read:,} read", f"{issue.n_relevant:,} relevant"]
    return (
        f"**{escape(name)}** · *{issue.issue}* {badges}  \n:small[{' · '.join([*figures, age_text(issue.days_old)])}]"
    )


def state(issue: PendingIssue, n_read: int) -> str:
    """Return the label of an issue's most urgent state.

    Examples
    --------
    >>> from datetime import date
    >>> issue = PendingIssue("lab", date(2026, 11, 9), 612, 0, is_started=False, days_old=9)
    >>> state(issue, 0), state(issue, 84)
    ('New', 'In progress')
    """
    if late := lateness(issue):
        return late.capitalize()
    if issue.n_decided or n_read:
        return "In progress"
    return "Reopened" if issue.is_started else "New"


def _place(one: PendingIssue, read: Positions) -> int:
    """Return the position of the first unread paper in *Review*'s order, or the last position if none is unread."""
    if not len(read):
        return 1
    order = current_order(cache.store(), rankers.review_ranking(cache.store(), one.report, one.issue), one.n_papers)
    return min(int(np.append(np.isin(order, read), False).argmin()) + 1, one.n_papers)


def _draw_line(issue: PendingIssue, text: str, place: int) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"due-{issue.report}-{issue.issue}"
    ):
        st.markdown(text, width="stretch")
        st.page_link(
            pages.link("review"),
            label=f"Continue at paper {place:,}" if place > 1 else "Start",
            icon=":material/arrow_forward:",
            query_params={"report": issue.report, "issue": str(issue.issue)},
        )
        key, args = f"skip-{issue.report}-{issue.issue}", (issue.report, issue.issue, PROBLEM)
        st.button(
            skipping.SKIP, key=key, type="tertiary", on_click=skipping.skip_now, args=args, help=skipping.SKIP_HELP
        )


def _draw_skipped_issues(names: Mapping[str, str], skipped: Sequence[PendingIssue]) -> None:
    """List the skipped issues, each with an undo button."""
    if not skipped:
        return
    with st.expander(f"Skipped: {len(skipped):,}", icon=":material/skip_next:", key="skipped"):
        for one in skipped:
            name = f"{one.report}-{one.issue}"
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"skipped-{name}"):
                last = skippings(cache.store(), one.report, one.issue)[-1]
                with st.container(gap=None, width="stretch"):
                    st.page_link(
                        pages.link("review"),
                        label=escape(f"{names[one.report]} · {one.issue} · {count_text(one.n_papers, 'paper')}"),
                        query_params={"report": one.report, "issue": str(one.issue)},
                    )
                    st.caption(escape(log.skip_entry(last)))
                args = (one.report, one.issue, PROBLEM)
                st.button("Undo", key=f"take-up-{name}", type="tertiary", on_click=skipping.undo_skip_now, args=args)
