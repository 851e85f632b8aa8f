"""Re-rank newer pending issues after an older one was published, and show the progress to the visitor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

import streamlit as st

from presort.data.errors import DataError
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.service import pending, rankers
from presort.desk.text import counted, plain
from presort.desk.ui import cache, visitor

LOOKED_AFTER = 0.5  # seconds
NAME = "sorted-again"


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
        The older issue that was published before. None if somebody asked for it.
    ended : Ended
        Done once they are ranked, or have failed to be.
    """

    n_issues: int
    after: date | None
    ended: Ended


def rerank_newer(report: str, issue: date) -> None:
    """Queue the newer pending issues of a report for re-ranking after this one was published.

    Then queues the training of models for the next weeks, and refreshes the scores, which have one more.
    """
    cache.refresh()
    jobs = queue()
    if newer := pending.outdated_after(cache.store(), report, issue):
        _jobs()[report] = Reranking(len(newer), issue, jobs.add([report]))
    jobs.learn_ahead()


def rank_pending(reports: Sequence[str], n_issues: int) -> None:
    """Queue the pending issues of some reports for ranking because a visitor asked for it."""
    _jobs()[""] = Reranking(n_issues, None, queue().add(reports))


def prepare_rankers(choose: Callable[[], object]) -> None:
    """Choose rankers for the next issue, and queue the training that they need by then."""
    choose()
    queue().rank_past(rankers.active(visitor.whole_store()))
    queue().learn_ahead()


def is_busy() -> bool:
    """Return whether a ranking that this visitor queued is not ready yet."""
    return any(not job.ended.done() for job in _jobs().values())


def queue() -> BackgroundJobs:
    """Return the queue of this workspace."""
    return _queue(cache.store().folder)


def show(report: str | None = None, *, redraws: bool = False) -> None:
    """Show the state of the rankings that this visitor queued, for one report or for all.

    A `DataError` is shown as one line; a bug is raised. If it `redraws`, the page is drawn again once they are ready.
    Don't redraw a page with a list that somebody may be reading: its order would change.
    """
    for name, job in list(_jobs().items()):
        if report in (None, name):
            if job.ended.done():
                _say_end(_jobs().pop(name))  # said once
            else:
                _watch(job, redraws=redraws)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Reranking, *, redraws: bool) -> None:
    if not job.ended.done():
        st.info(being_sorted(job.n_issues, job.after), icon=":material/autorenew:")
    elif redraws:
        st.rerun()
    else:
        _say_end(job)


def _say_end(job: Reranking) -> None:
    error = job.ended.exception()
    if error is None:
        st.success(was_sorted(job.n_issues, job.after), icon=":material/check:")
    elif isinstance(error, DataError):
        st.error(plain(str(error)))
    else:
        raise error


def _jobs() -> dict[str, Reranking]:
    jobs: dict[str, Reranking] = st.session_state.setdefault(NAME, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _queue(workspace: Path) -> BackgroundJobs:
    return BackgroundJobs(workspace)


def to_sort(n_unsorted: int, n_outdated: int, n_before_others: int) -> str:
    """Describe how many of the pending issues are to be sorted, or sorted again; nothing if there are none.

    Outdated are those sorted before papers or decisions of their own report came; the last, only before other reports
    decided.

    Examples
    --------
    >>> to_sort(0, 0, 0), to_sort(1, 0, 0), to_sort(0, 0, 7)
    ('', '1 issue is not sorted yet.', 'Newer decisions could improve 7 lists.')
    >>> to_sort(3, 1, 0)
    '3 issues are not sorted yet. 1 list is out of date: more is known by now.'
    """
    parts = []
    if n_unsorted:
        parts.append(f"{counted(n_unsorted, 'issue')} {_are(n_unsorted)} not sorted yet.")
    if n_outdated:
        parts.append(f"{counted(n_outdated, 'list')} {_are(n_outdated)} out of date: more is known by now.")
    if n_before_others:
        parts.append(f"Newer decisions could improve {counted(n_before_others, 'list')}.")
    return " ".join(parts)


def being_sorted(n_issues: int, after: date | None) -> str:
    """Describe what is going on; `after` is the issue that was finished before, None if somebody asked for it.

    Examples
    --------
    >>> being_sorted(2, date(2026, 11, 2))
    '2 newer issues are being sorted again with what you just decided. You can go on meanwhile.'
    >>> being_sorted(1, None)
    '1 issue is being sorted. You can go on meanwhile.'
    """
    how = "sorted" if after is None else "sorted again with what you just decided"
    return f"{_issues(n_issues, after)} {_are(n_issues)} being {how}. You can go on meanwhile."


def was_sorted(n_issues: int, after: date | None) -> str:
    """Describe what was done; a list that is open stays as it is.

    Examples
    --------
    >>> was_sorted(2, date(2026, 11, 2))
    '2 newer issues were sorted again with what you just decided; so they stand when you open them next.'
    >>> was_sorted(1, None)
    '1 issue was sorted.'
    """
    were = "was" if n_issues == 1 else "were"
    if after is None:
        return f"{_issues(n_issues, after)} {were} sorted."
    they = "it stands when you open it" if n_issues == 1 else "they stand when you open them"
    return f"{_issues(n_issues, after)} {were} sorted again with what you just decided; so {they} next."


def _issues(n_issues: int, after: date | None) -> str:
    return counted(n_issues, "issue" if after is None else "newer issue")


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
