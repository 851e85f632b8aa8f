"""Have newer issues sorted again once an older one has gone out, and say so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

import streamlit as st

from presort.data.errors import DataError
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.service import pending, rankers
from presort.desk.text import plain
from presort.desk.ui import cache, visitor
from presort.desk.week import again_words as words

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


def begin_after(report: str, issue: date) -> None:
    """Have the newer issues of a report sorted again, now that this one has gone out; nobody waits for it.

    Behind that is learned what is due for the weeks to come. The scores, which have one more, are made anew.
    """
    cache.make_anew()
    beside = queue()
    if newer := pending.outdated_after(cache.store(), report, issue):
        _jobs()[report] = Reranking(len(newer), issue, beside.add([report]))
    beside.learn_ahead()


def begin(reports: Sequence[str], n_issues: int) -> None:
    """Have what is pending of some reports sorted, as somebody asked."""
    _jobs()[""] = Reranking(n_issues, None, queue().add(reports))


def prepare_rankers(choose: Callable[[], object]) -> None:
    """Choose rankers for the next issue, and have learned what they need by then; nobody waits for it."""
    choose()
    queue().rank_past(rankers.active(visitor.whole_store()))
    queue().learn_ahead()


def is_busy() -> bool:
    """Return whether something that this visitor had sorted again is not ready yet."""
    return any(not job.ended.done() for job in _jobs().values())


def queue() -> BackgroundJobs:
    """Return the queue of this workspace."""
    return _queue(cache.store().folder)


def show(report: str | None = None, *, redraws: bool = False) -> None:
    """Show what this visitor had sorted again, of one report or of all; in words, as soon as it has ended.

    What is wrong outside the program is one line; a bug is raised. The page is drawn anew then where it `redraws`: not
    so where somebody may be reading a list, which would change its order.
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
        st.info(words.being_sorted(job.n_issues, job.after), icon=":material/autorenew:")
    elif redraws:
        st.rerun()
    else:
        _say_end(job)


def _say_end(job: Reranking) -> None:
    error = job.ended.exception()
    if error is None:
        st.success(words.was_sorted(job.n_issues, job.after), icon=":material/check:")
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
