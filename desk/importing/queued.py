"""Looks and imports of a visitor in the queue: where they stand, and what they brought; the page may be left."""

from collections.abc import Sequence

import streamlit as st

from presort.desk.importing import import_job, words
from presort.desk.importing.uploads import Look, Outcome, Wish
from presort.desk.service.queue import Ticket
from presort.desk.text import plain
from presort.desk.ui import cache, visitor
from presort.desk.week import again

LOOKED_AFTER = 0.2  # seconds


def put(wish: Wish, found: Sequence[Outcome] = (), *, is_trial: bool) -> Ticket:
    """Have a wish looked at, or done."""
    told = import_job.told_of(wish, is_trial=is_trial)
    files = [(upload.name, upload.content.getbuffer()) for upload in wish.uploads]
    return again.queue().add_import(cache.store(), told, files, import_job.notes_of(found))


def prepare() -> None:
    """Start the processes that look at files ahead."""
    again.queue().prepare_import()


def running() -> tuple[Ticket, list[str]] | None:
    """Return the import that this visitor began, in whichever window, and the names of its files, until its end."""
    jobs = again.queue().jobs
    mine = (job for job in jobs.waiting() if job.kind == "import" and job.person == visitor.person())
    begun = next((job for job in mine if not job.told["is_trial"]), None)
    return None if begun is None else (Ticket(jobs, begun.id), import_job.names_of(begun))


def ended() -> Look | None:
    """Return what an import of this visitor did that has ended since one was shown; it is told once."""
    jobs = again.queue().jobs
    for job in jobs.ended("import"):
        if job.person == visitor.person() and not job.told["is_trial"]:
            try:
                return import_job.look_of(jobs, job)
            finally:  # also where another version wrote it: the page would fail until nobody knows of it any more
                jobs.forget(job.id)
    return None


def found_by(ticket: Ticket) -> tuple[list[Outcome], str]:
    """Return what a look found out that has ended, and what kept it from its end; empty where nothing did."""
    outcomes, error = import_job.outcomes_of(ticket.jobs, ticket.id), ticket.exception()
    ticket.jobs.forget(ticket.id)
    return outcomes, "" if error is None else str(error)


@st.fragment(run_every=LOOKED_AFTER)
def watch(ticket: Ticket, names: Sequence[str], *, is_trial: bool) -> None:
    """Draw that something waits or is done, with a way to cancel it; the page is drawn anew when it is over."""
    if ticket.done():
        st.rerun()
    said = words.is_looking(names) if is_trial else words.is_running(names)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            plain(said if ticket.is_begun else words.is_waiting(names, is_next=ticket.is_next)),
            icon=":material/autorenew:",
        )
        st.button("Cancel", key=f"cancel-{'look' if is_trial else 'import'}", on_click=ticket.cancel)
