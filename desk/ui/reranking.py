"""Rank pending issues in the background, and show the progress.

Editors don't have to request rankings. A page that shows an unranked list queues its ranking, and is redrawn when the
ranking is ready.
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
from presort.data.records import PendingIssue
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.service import pending, rankers
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, visitor

LOOKED_AFTER = 0.5  # seconds between checks of the progress
NAME = "sorted-again"  # session key for the jobs by report
NEW = ""  # key of the job queued by `rank_new`
QUEUED = "ranked-in-background"  # session key for the (report, issue) pairs that `rank_new` has queued


class JobStatus(Protocol):
    """Interface of a job handle: whether the job has ended, and the error with which it failed."""

    def done(self) -> bool:
        """Return True if the job has ended."""

    def exception(self) -> BaseException | None:
        """Return an ended job's error, or None. A `DataError` is an expected failure, and any other type is a bug."""


@dataclass(frozen=True, eq=False)
class Reranking:
    """Background ranking of pending issues.

    Attributes
    ----------
    n_issues : int
        Number of issues.
    after : date or None
        Older issue whose publication triggered the re-ranking. None if the job has another cause.
    ended : JobStatus
        Handle of the job.
    began : float
        Monotonic time in seconds when the job was queued.
    """

    n_issues: int
    after: date | None
    ended: JobStatus
    began: float


def rerank_newer(report: str, issue: date) -> None:
    """Queue a re-ranking after a report has published an issue, if newer pending issues have outdated rankings.

    This also recomputes the scores, and queues the training of models for the next few weeks.
    """
    cache.refresh()
    jobs = queue()
    if newer := pending.outdated_issues_after(cache.store(), report, issue):
        _jobs()[report] = Reranking(len(newer), issue, jobs.add([report]), time.monotonic())
    jobs.learn_ahead()


def rank_new(issues: Sequence[PendingIssue]) -> None:
    """Queue the ranking of pending issues returned by `pending.issues_to_rank`.

    Each issue is queued once per session, so that a failed ranking is not retried on every draw of the page. Reports
    whose issues are being ranked are left out.
    """
    queued: set[tuple[str, date]] = st.session_state.setdefault(QUEUED, set())
    ranked_now = {report for report, job in _jobs().items() if not job.ended.done()}
    new = [one for one in issues if (one.report, one.issue) not in queued and one.report not in ranked_now]
    if new:
        queued.update((one.report, one.issue) for one in new)
        _jobs()[NEW] = Reranking(len(new), None, queue().rank_new(), time.monotonic())


def rank_unranked(reports: Sequence[str]) -> None:
    """Queue the ranking of some reports' pending issues, as selected by `pending.issues_to_rank`."""
    issues = pending_issues(cache.store(), reports, today=date.today())
    rank_new(pending.issues_to_rank(cache.store(), issues, rankers.known_rankers_of(cache.store(), issues)))


def rank_report(report: str) -> None:
    """Queue a report's pending issues for ranking after its examples have changed."""
    n_issues = len(pending_issues(cache.store(), [report], today=date.today()))
    _jobs()[report] = Reranking(n_issues, None, queue().add([report]), time.monotonic())


def _try_again() -> None:
    st.session_state.pop(QUEUED, None)


def prepare_rankers(choose: Callable[[], object]) -> None:
    """Call `choose`, which changes the rankers in use, and queue the work that they need before the next issue.

    This work consists of training models, and of ranking past lists with the active ranker for its stop advice.
    """
    choose()
    queue().rank_past(rankers.active_ranker(visitor.whole_store()))
    queue().learn_ahead()


def queue() -> BackgroundJobs:
    """Return the background jobs of this workspace."""
    return _queue(cache.store().folder)


def show(report: str | None = None) -> None:
    """Show the progress and results of rankings that were queued in this session.

    The page is redrawn when a job has ended. A list that was started keeps its order. A `DataError` is shown as one
    line. Other exceptions are bugs and are raised.

    Parameters
    ----------
    report : str, optional
        Report whose rankings are shown, in addition to the job queued by `rank_new`. Defaults to all reports.
    """
    for name, job in list(_jobs().items()):
        if report in (None, name) or name == NEW:
            if job.ended.done():
                _show_end(name, _jobs().pop(name))  # removed, so that it is shown only once
            else:
                _watch(job)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Reranking) -> None:
    if job.ended.done():
        st.rerun()  # the whole page, because only that stops the fragment's timer
    st.info(describe_progress(job.n_issues, job.after, time.monotonic() - job.began), icon=":material/autorenew:")


def _show_end(name: str, job: Reranking) -> None:
    error = job.ended.exception()
    if isinstance(error, DataError):
        st.error(escape(str(error)))
        if job.after is None:
            st.button("Try again", key=f"rank-again-{name}", icon=":material/refresh:", on_click=_try_again)
    elif error is not None:
        raise error
    elif job.after is not None:
        st.success(f"{count_text(job.n_issues, 'newer list')} re-ranked with your decisions.", icon=":material/check:")


def _jobs() -> dict[str, Reranking]:
    jobs: dict[str, Reranking] = st.session_state.setdefault(NAME, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _queue(workspace: Path) -> BackgroundJobs:
    return BackgroundJobs(workspace)


def describe_progress(n_lists: int, after: date | None, seconds: float) -> str:
    """Format a job's progress. `after` is the issue whose publication triggered the re-ranking, or None.

    Examples
    --------
    >>> describe_progress(2, None, 6.2), describe_progress(1, date(2026, 11, 2), 0)
    ('Ranking 2 lists: 6 s', 'Re-ranking 1 newer list with your decisions: 0 s')
    """
    if after is None:
        return f"Ranking {count_text(n_lists, 'list')}: {seconds:.0f} s"
    return f"Re-ranking {count_text(n_lists, 'newer list')} with your decisions: {seconds:.0f} s"
