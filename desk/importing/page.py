"""Import: files that the director drops; what they would change is shown first, and one click confirms it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st

from presort.data.running import service
from presort.desk.importing import choices, columns, import_job, next_steps, words
from presort.desk.importing import outcome as import_outcome
from presort.desk.importing.uploads import ImportPreview, ImportRequest, Outcome
from presort.desk.jobs.background import JobHandle
from presort.desk.text import plain
from presort.desk.ui import cache, reranking, visitor
from presort.desk.ui.landing import bring_into_sight

CHECKED_EVERY = 0.2  # seconds
LOOK = "import-look"  # in the session: what was found out last, or done
LOOKING = "import-looking"  # there, too: what is looked at, and its place in the queue
JUST_LOOKED = "import-just-looked"
FOUND = "would-change"  # anchor


@visitor.one_snapshot()
def show() -> None:
    """Draw the page: files and choices, then what they would change, then what they did."""
    st.title("Import", anchor=False)
    store = cache.store()
    if service.is_demo(store):
        st.info(
            "This is the made-up demo, which takes no other papers. To bring your own, have Presort started with an "
            "empty folder."
        )
        return
    st.caption("New issues, and what was selected from past ones. You see what would change before anything does.")
    if running := _running():
        _watch(*running, is_trial=False)
        return
    if (ended := _ended()) is not None:
        st.session_state[LOOK] = ended
        if ended.is_whole:
            choices.make_room()
    if LOOKING not in st.session_state:
        reranking.queue().prepare_import()
    preview: ImportPreview | None = st.session_state.get(LOOK)
    request = choices.ask()
    if request is not None:
        preview = _offer_look(request, preview)
    elif LOOKING in st.session_state:
        _give_up(st.session_state[LOOKING][1])
    if preview is None:
        return
    if preview.is_begun:
        _draw_done(preview)
    elif preview.request == request:
        _draw_found(preview)
    elif request is None:
        del st.session_state[LOOK]  # it holds the files
    else:
        st.info("The files or choices are others now: see anew what would change.")


def _offer_look(request: ImportRequest, preview: ImportPreview | None) -> ImportPreview | None:
    """Offer to find out what would change; while a column is missing, say which. Return the newest preview."""
    missing = words.not_yet({upload.name: upload.problem for upload in request.uploads})
    is_current = preview is not None and preview.request == request
    looking: tuple[ImportRequest, JobHandle] | None = st.session_state.get(LOOKING)
    if looking and looking[1].done():
        preview = _looked(*looking)
    elif looking:
        if looking[0] == request:
            _watch(looking[1], [upload.name for upload in request.uploads], is_trial=True)
            return None
        _give_up(looking[1])
    kind: Literal["primary", "secondary"] = "secondary" if is_current else "primary"
    if st.button("See what would change", key="look", type=kind, disabled=bool(missing)):
        st.session_state[LOOKING] = (request, _put(request, is_trial=True))
        st.rerun()
    if missing:
        st.caption(plain(missing))
    return preview


def _looked(request: ImportRequest, handle: JobHandle) -> ImportPreview | None:
    """Store the result of a preview and redraw the page, or show why the preview failed."""
    del st.session_state[LOOKING]
    found, problem = _found_by(handle)
    if problem:
        st.error(plain(problem))
        return None
    st.session_state[LOOK] = ImportPreview(request, found)
    st.session_state[JUST_LOOKED] = True
    st.rerun()


def _give_up(handle: JobHandle) -> None:
    """Cancel the preview of other files, or with other choices."""
    del st.session_state[LOOKING]
    handle.cancel()


def _draw_found(preview: ImportPreview) -> None:
    st.header("What would change", anchor=FOUND)
    if st.session_state.pop(JUST_LOOKED, False):
        bring_into_sight(FOUND)  # below the columns it would not be seen
    if len(preview.found) > 1:
        st.caption(
            "Each file is an import of its own, in this order, and is looked at here as if it were the only one."
        )
    for number, outcome in enumerate(preview.found, start=1):
        import_outcome.draw(outcome, f"would-change-{number}")
    if any(outcome.has_news for outcome in preview.found):
        request, unfit = preview.request, [outcome.name for outcome in _unfit(preview)]
        how = words.how_it_comes(request.issue, request.selected_by, keeps_going=request.keeps_going)
        for line in filter(None, (how, words.stays_out(unfit))):
            st.markdown(plain(line))
        if st.button(words.IMPORT, key="import", type="primary"):
            _import(preview)
            st.rerun()
    else:
        st.info(
            "Nothing of it is new, so there is nothing to import."
            if any(outcome.report for outcome in preview.found)
            else "None of it can be imported like this."
        )


def _import(preview: ImportPreview) -> None:
    """Have imported what was looked at."""
    del st.session_state[LOOK]
    fit = [upload for upload, found in zip(preview.request.uploads, preview.found, strict=True) if found.report]
    for upload in fit:
        columns.remember(upload)
    _put(replace(preview.request, uploads=tuple(fit)), preview.found, is_trial=False)


def _draw_done(preview: ImportPreview) -> None:
    st.header("Imported" if preview.is_whole else "Not all was imported", anchor=False)
    if preview.problem:
        st.error(plain(f"{preview.problem} {'All of it had come in by then.' if preview.is_whole else ''}".rstrip()))
    if len(preview.found) > 1:
        st.caption("Each file came in as a whole or not at all; one that failed undoes none of the others.")
    for number, outcome in enumerate([*preview.done, *_unfit(preview)], start=1):
        import_outcome.draw(outcome, f"imported-{number}")
    next_steps.show()


def _unfit(preview: ImportPreview) -> list[Outcome]:
    return [outcome for outcome in preview.found if outcome.report is None]


def _put(request: ImportRequest, found: Sequence[Outcome] = (), *, is_trial: bool) -> JobHandle:
    """Queue the import of the files, or its preview."""
    job = import_job.job_request(request, is_trial=is_trial)
    files = [(upload.name, upload.content.getbuffer()) for upload in request.uploads]
    return reranking.queue().add_import(cache.store(), job, files, import_job.notes_of(found))


def _running() -> tuple[JobHandle, list[str]] | None:
    """Return the import that this visitor began, in whichever window, and the names of its files, until its end."""
    jobs = reranking.queue().queue
    mine = (job for job in jobs.waiting() if job.kind == "import" and job.person == visitor.person())
    begun = next((job for job in mine if not job.request["is_trial"]), None)
    return None if begun is None else (JobHandle(jobs, begun.id), import_job.names_of(begun))


def _ended() -> ImportPreview | None:
    """Return the result of an import of this visitor that has ended. Each result is returned once."""
    jobs = reranking.queue().queue
    for job in jobs.ended("import"):
        if job.person == visitor.person() and not job.request["is_trial"]:
            try:
                return import_job.preview_of(jobs, job)
            finally:  # also where another version wrote it: the page would fail until nobody knows of it any more
                jobs.forget(job.id)
    return None


def _found_by(handle: JobHandle) -> tuple[list[Outcome], str]:
    """Return the result of a preview that has ended, and the error that stopped it, or an empty text."""
    outcomes, error = import_job.outcomes_of(handle.queue, handle.id), handle.exception()
    handle.queue.forget(handle.id)
    return outcomes, "" if error is None else str(error)


@st.fragment(run_every=CHECKED_EVERY)
def _watch(handle: JobHandle, names: Sequence[str], *, is_trial: bool) -> None:
    """Draw that something waits or is done, with a way to cancel it; the page is drawn anew when it is over."""
    if handle.done():
        st.rerun()
    status = words.is_looking(names) if is_trial else words.is_running(names)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            plain(status if handle.is_begun else words.is_waiting(names, is_next=handle.is_next)),
            icon=":material/autorenew:",
        )
        st.button("Cancel", key=f"cancel-{'look' if is_trial else 'import'}", on_click=handle.cancel)
