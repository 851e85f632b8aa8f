"""Rank pending issues in the background, and show the progress to the visitor.

Nobody has to ask for a ranking: a page that shows a list without one queues it, and is drawn again once it is ready.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

import streamlit as st

from presort.data.editing.pending import pending as pending_issues
from presort.data.errors import DataError
from presort.data.records import Pending
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.service import pending, rankers
from presort.desk.text import counted, plain
from presort.desk.ui import cache, visitor

LOOKED_AFTER = 0.5  # seconds
NAME = "sorted-again"
NEW, QUEUED = "", "ranked-in-background"  # key of the job for issues without a ranking; the issues it was queued for


class Ended(Protocol):
    """Handle of a job: whether it has ended, and how."""

    def done(self) -> bool:
        """Return whether it has ended."""

    def exception(self) -> BaseException | None:
        """Return the error, once it has ended: a `DataError` outside the program, another for a bug."""


@dataclass(frozen=True, eq=False)
class Reranking:
    """Pending issues that are ranked again.

    Attributes
    ----------
    n_issues : int
    after : date or None
        The older issue that was published before. None if the issues had no ranking.
    ended : Ended
        Done once they are ranked, or have failed to be.
    began : float
        Time when it was queued, by the monotonic clock.
    """

    n_issues: int
    after: date | None
    ended: Ended
    began: float


def rerank_newer(report: str, issue: date) -> None:
    """Queue the newer pending issues of a report for re-ranking after this one was published.

    Then queues the training of models for the next weeks, and refreshes the scores, which have one more.
    """
    cache.refresh()
    jobs = queue()
    if newer := pending.outdated_after(cache.store(), report, issue):
        _jobs()[report] = Reranking(len(newer), issue, jobs.add([report]), time.monotonic())
    jobs.learn_ahead()


def rank_new(issues: Sequence[Pending]) -> None:
    """Queue the ranking of these pending issues, as `pending.to_rank` returns them.

    Each is queued once a session: one whose ranking failed is not tried again with every draw of the page. A report
    whose issues are being ranked is left out.
    """
    queued: set[tuple[str, date]] = st.session_state.setdefault(QUEUED, set())
    ranked_now = {report for report, job in _jobs().items() if not job.ended.done()}
    new = [one for one in issues if (one.report, one.issue) not in queued and one.report not in ranked_now]
    if new:
        queued.update((one.report, one.issue) for one in new)
        _jobs()[NEW] = Reranking(len(new), None, queue().rank_new(), time.monotonic())


def rank_unranked(reports: Sequence[str]) -> None:
    """Queue the ranking of the pending issues of some reports that need it."""
    issues = pending_issues(cache.store(), reports, today=date.today())
    rank_new(pending.to_rank(cache.store(), issues, rankers.known_rankers_of(cache.store(), issues)))


def rank_report(report: str) -> None:
    """Queue the pending issues of a report for ranking because its examples changed."""
    n_issues = len(pending_issues(cache.store(), [report], today=date.today()))
    _jobs()[report] = Reranking(n_issues, None, queue().add([report]), time.monotonic())


def _try_again() -> None:
    st.session_state.pop(QUEUED, None)


def prepare_rankers(choose: Callable[[], object]) -> None:
    """Choose rankers for the next issue, and queue the training that they need by then."""
    choose()
    queue().rank_past(rankers.active(visitor.whole_store()))
    queue().learn_ahead()


def queue() -> BackgroundJobs:
    """Return the queue of this workspace."""
    return _queue(cache.store().folder)


def show(report: str | None = None, *, redraws: bool = False) -> None:
    """Show the state of the rankings that this visitor's pages queued, for one report or for all.

    A `DataError` is shown as one line; a bug is raised. If it `redraws`, the page is drawn again once they are ready.
    Don't redraw a page with a list that somebody may be reading: its order would change.
    """
    for name, job in list(_jobs().items()):
        if report in (None, name) or name == NEW:
            if job.ended.done():
                _show_end(_jobs().pop(name))  # once
            else:
                _watch(job, redraws=redraws)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Reranking, *, redraws: bool) -> None:
    if not job.ended.done():
        st.info(in_progress(job.n_issues, job.after, time.monotonic() - job.began), icon=":material/autorenew:")
    elif redraws:
        st.rerun()
    else:
        _show_end(job)


def _show_end(job: Reranking) -> None:
    error = job.ended.exception()
    if isinstance(error, DataError):
        st.error(plain(str(error)))
        if job.after is None:
            st.button("Try again", key="rank-again", icon=":material/refresh:", on_click=_try_again)
    elif error is not None:
        raise error
    elif job.after is not None:
        st.success(f"{counted(job.n_issues, 'newer list')} re-ranked with your decisions.", icon=":material/check:")


def _jobs() -> dict[str, Reranking]:
    jobs: dict[str, Reranking] = st.session_state.setdefault(NAME, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _queue(workspace: Path) -> BackgroundJobs:
    return BackgroundJobs(workspace)


def in_progress(n_lists: int, after: date | None, seconds: float) -> str:
    """Describe a ranking in progress; `after` is the issue that was published before it, or None.

    Examples
    --------
    >>> in_progress(2, None, 6.2), in_progress(1, date(2026, 11, 2), 0)
    ('Ranking 2 lists: 6 s', 'Re-ranking 1 newer list with your decisions: 0 s')
    """
    if after is None:
        return f"Ranking {counted(n_lists, 'list')}: {seconds:.0f} s"
    return f"Re-ranking {counted(n_lists, 'newer list')} with your decisions: {seconds:.0f} s"
