"""Rank past lists in the background for stop advice, and redraw the page when they are ready."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data.learning.missing_rankings import MissingRanking
from presort.data.records import StoredRanking
from presort.desk.jobs.background import JobHandle
from presort.desk.service.past_lists import missing_lists
from presort.desk.text import count_text, escape
from presort.desk.ui import reranking, visitor
from presort.desk.ui.report_choice import ReportChoice
from presort.ranker.versions import RECIPES

LOOKED_AFTER = 2.0  # seconds between checks of the progress; each takes 10 ms of processor time per open list
ADVICE_READY = "Stop advice is ready: it now uses the past issues."
WAITED = "stop-advice-waited"  # session key for the report and issue whose progress this user has seen


def show(chosen: ReportChoice) -> bool:
    """Queue the past lists that still have to be ranked, and show the progress.

    Returns
    -------
    bool
        True if stop advice is being prepared. False if it is ready, preparation failed, or the list has no stop advice
        because it is published or not ranked.
    """
    shown = chosen.ranking
    if shown is None or not chosen.is_sorted or chosen.is_published or shown.ranking.ranker not in RECIPES:
        return False
    name = (chosen.report, chosen.issue)
    missing = missing_lists(visitor.whole_store(), shown.ranking.ranker, chosen.issue)
    job = _job(shown, missing)
    if job is None:
        # If rankings are still missing, the key stays, because without it the next run would queue the job again.
        if not missing and st.session_state.pop(WAITED, None) == name:
            st.success(ADVICE_READY, icon=":material/check:")
        return False
    has_waited = st.session_state.get(WAITED) == name
    _watch(job, len(missing), name)
    return has_waited or bool(missing or job.progress)  # a job may find nothing to do, for example after the weekly job


def _job(shown: StoredRanking, missing: Sequence[MissingRanking]) -> JobHandle | None:
    """Return the job that ranks the past lists. Queues it if rankings are missing, unless it has already failed."""
    ranker, queue = shown.ranking.ranker, reranking.queue()
    if (running := queue.past_ranking(ranker)) is not None:
        queue.resume()  # the job may have been queued by a command while no supervisor was running
        return running  # even if no ranking is missing, because the last rankings may not have scores yet
    if missing and (reason := queue.past_ranking_error(ranker)):
        st.warning(escape(_describe_failure(len(missing), reason)))
        return None
    has_waited = st.session_state.get(WAITED) == (shown.ranking.report, shown.ranking.issue)
    if not missing or has_waited:  # don't queue the job again if it finished and rankings are still missing
        return None
    return queue.rank_past(ranker)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: JobHandle, n_missing: int, name: tuple[str, date]) -> None:
    if job.done():
        st.rerun()
    progress = job.progress
    if n_missing or progress:
        st.session_state[WAITED] = name
        st.info(describe_progress(n_missing, progress), icon=":material/autorenew:")


def describe_progress(n_missing: int, progress: tuple[int, int] | None) -> str:
    """Format the progress of ranking past lists.

    Examples
    --------
    >>> describe_progress(715, None)
    'Preparing stop advice: 715 past lists to rank. This page refreshes when it is ready.'
    >>> describe_progress(390, (325, 715))
    'Preparing stop advice: 325 of 715 past lists ranked. This page refreshes when it is ready.'
    """
    lists = count_text(n_missing, "past list")
    far = f"{progress[0]:,} of {count_text(progress[1], 'past list')} ranked" if progress else f"{lists} to rank"
    return f"Preparing stop advice: {far}. This page refreshes when it is ready."


def _describe_failure(n_missing: int, reason: str) -> str:
    return f"Stop advice is incomplete: {count_text(n_missing, 'past list')} could not be ranked. {reason}"
