"""Have newer issues sorted again once an older one has gone out, and say so."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import streamlit as st

from data.errors import DataError
from desk import backlog, cache
from desk.sorting_again import Job, Queue
from desk.words import pending as words
from desk.words.text import plain

LOOKED_AFTER = 1.0  # seconds
NAME = "sorted-again"


def begin_after(report: str, issue: date) -> None:
    """Have the newer issues of a report sorted again, now that this one has gone out; nobody waits for it."""
    if newer := backlog.outdated_after(cache.store(), report, issue):
        _jobs()[report] = Job(len(newer), issue, _queue(cache.store().path.parent).add([report]))


def begin(reports: Sequence[str], n_issues: int) -> None:
    """Have what is pending of some reports sorted, as somebody asked."""
    _jobs()[""] = Job(n_issues, None, _queue(cache.store().path.parent).add(reports))


def is_busy() -> bool:
    """Tell whether something that this visitor had sorted again is not ready yet."""
    return any(not job.ended.done() for job in _jobs().values())


def show(report: str | None = None, *, redraws: bool = False) -> None:
    """Say what this visitor had sorted again, of one report or of all; in words, as soon as it has ended.

    What is wrong outside the program is one line; a bug is raised.

    Parameters
    ----------
    report : str, optional
        Code of the report.
    redraws : bool
        Whether the page is drawn anew then. Not so where somebody may be reading a list, which would change its order.
    """
    for name, job in list(_jobs().items()):
        if report in (None, name):
            if job.ended.done():
                _say_end(_jobs().pop(name))  # said once
            else:
                _watch(job, redraws=redraws)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Job, *, redraws: bool) -> None:
    if not job.ended.done():
        st.info(words.being_sorted(job.n_issues, job.after), icon=":material/autorenew:")
    elif redraws:
        st.rerun()
    else:
        _say_end(job)


def _say_end(job: Job) -> None:
    error = job.ended.exception()
    if error is None:
        st.success(words.was_sorted(job.n_issues, job.after), icon=":material/check:")
    elif isinstance(error, DataError):
        st.error(plain(str(error)))
    else:
        raise error


def _jobs() -> dict[str, Job]:
    jobs: dict[str, Job] = st.session_state.setdefault(NAME, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _queue(workspace: Path) -> Queue:
    return Queue(workspace)
