"""The *Import* page: upload files, preview the changes, and import the files."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from presort.data import catalogue
from presort.data.demo import sample
from presort.data.running import service
from presort.desk.importing import choices, columns, import_job
from presort.desk.importing import outcome as import_outcome
from presort.desk.importing.uploads import ImportPreview, ImportRequest, Outcome
from presort.desk.jobs.background import JobHandle
from presort.desk.jobs.queue import Job
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, reranking, visitor

CHECKED_EVERY = 0.2  # seconds between two checks of a job's state
# Keys of the session state:
PREVIEW = "import-preview"  # newest preview or result
PREVIEWING = "import-previewing"  # request that is being previewed, and its job
FAILED = "import-failed"  # request whose preview failed, and the error; the preview is retried only on request
SHOWN = "import-shown"  # id of the job whose result is shown
NOTHING_NEW = "Nothing to import: all papers are already known."


@visitor.one_snapshot()
def show() -> None:
    """Draw the file upload and the options, then the preview with the import button, and finally the result."""
    st.title("Import", anchor=False)
    store = cache.store()
    if service.is_demo(store):
        st.info("You can't import papers into the demo. To import your own, start Presort with an empty workspace.")
        return
    result = _result()
    if result is None and (running := _running_import()):
        _watch(JobHandle(reranking.queue().queue, running.id), import_job.names_of(running), is_trial=False)
        return
    if result is not None:
        st.session_state[PREVIEW] = result
    reranking.queue().prepare_import()
    if not catalogue.issues(store):  # during a preview too, because the elements below would otherwise move up
        _offer_sample()
    request = choices.ask_request()
    preview: ImportPreview | None = _request_preview(request) if request else st.session_state.get(PREVIEW)
    if request is None and PREVIEWING in st.session_state:
        _give_up(*st.session_state[PREVIEWING])
    if preview is None:
        return
    if preview.is_begun:
        _draw_result(preview)
    elif request is None:
        del st.session_state[PREVIEW]  # free the memory used by the files
    else:
        _draw_preview(preview)


def _offer_sample() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="offer-sample"):
        st.download_button(
            "Download a sample file",
            sample.sample_file,
            file_name=sample.NAME,
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
            key="sample",
        )
        st.caption("Fictitious papers: four weeks, one report.", width="content")


def _request_preview(request: ImportRequest) -> ImportPreview | None:
    """Return the preview of a request, and queue it if needed. Return None if it failed or is not ready yet."""
    if missing := next((f"{one.name}: {one.problem}" for one in request.uploads if one.problem), ""):
        st.caption(escape(missing))
        return None
    looking: tuple[ImportRequest, JobHandle] | None = st.session_state.get(PREVIEWING)
    if looking and (looking[1].done() or looking[0] != request):
        (_keep_preview if looking[1].done() else _give_up)(*looking)
        looking = None
    preview: ImportPreview | None = st.session_state.get(PREVIEW)
    if preview is not None and preview.request == request and not preview.is_begun:
        return preview
    failed, problem = st.session_state.get(FAILED, (None, ""))
    if failed == request:
        st.error(escape(problem))
        st.button("Try again", key="look", icon=":material/refresh:", on_click=_forget_failure)
        return None
    if looking is None:
        looking = st.session_state[PREVIEWING] = (request, _queue_job(request, is_trial=True))
    _watch(looking[1], [upload.name for upload in request.uploads], is_trial=True)
    return None


def _forget_failure() -> None:
    st.session_state.pop(FAILED, None)


def _keep_preview(request: ImportRequest, handle: JobHandle) -> None:
    """Store the result of a preview, or its error."""
    del st.session_state[PREVIEWING]
    found, problem = _collect_outcomes(handle)
    if problem:
        st.session_state[FAILED] = (request, problem)
    else:
        st.session_state[PREVIEW] = ImportPreview(request, found)


def _give_up(_: ImportRequest, handle: JobHandle) -> None:
    """Cancel a preview that is out of date because the files or options have changed."""
    del st.session_state[PREVIEWING]
    handle.cancel()


def _draw_preview(preview: ImportPreview) -> None:
    request, found = preview.request, preview.found
    is_new = any(outcome.has_news for outcome in found)
    if is_new:
        fit = [outcome.report for outcome in found if outcome.report]
        n_papers = sum(report.summary.new_listings for report in fit)
        label = f"Import {count_text(n_papers, 'paper')}" if n_papers else "Import changes"
        st.button(label, key="import", type="primary", on_click=_import, args=(preview,))
        if unfit := [outcome.name for outcome in found if outcome.report is None]:
            st.warning(escape(f"Not imported: {', '.join(unfit)}"))
    elif any(outcome.report for outcome in found):
        st.info(NOTHING_NEW)
    import_outcome.draw_figures(found)
    if request.issue or request.selected_by:
        issue = [f"Issue {request.issue} for papers without an issue date"] if request.issue else []
        selected_by = [f"Selected by {', '.join(request.selected_by)}"] if request.selected_by else []
        st.caption(escape(" · ".join(issue + selected_by)))
    for number, outcome in enumerate(found, start=1):
        import_outcome.draw(outcome, f"would-change-{number}")


def _import(preview: ImportPreview) -> None:
    """Queue the import of the previewed files."""
    if st.session_state.pop(PREVIEW, None) is None:  # the first click of a double click has already started the import
        return
    fit = [upload for upload, found in zip(preview.request.uploads, preview.found, strict=True) if found.report]
    for upload in fit:
        columns.remember(upload)
    _queue_job(replace(preview.request, uploads=tuple(fit)), preview.found, is_trial=False)


def _draw_result(preview: ImportPreview) -> None:
    st.header("Imported" if preview.is_whole else "Partly imported", anchor=False)
    if preview.problem:
        st.error(
            escape(f"{preview.problem} {'All papers had already been imported.' if preview.is_whole else ''}".rstrip())
        )
    outcomes = [*preview.done, *(outcome for outcome in preview.found if outcome.report is None)]
    import_outcome.draw_figures(outcomes)
    import_outcome.draw_next_steps()
    for number, outcome in enumerate(outcomes, start=1):
        import_outcome.draw(outcome, f"imported-{number}")


def _queue_job(request: ImportRequest, found: Sequence[Outcome] = (), *, is_trial: bool) -> JobHandle:
    """Queue an import of the files, or a preview of the import."""
    job = import_job.job_request(request, is_trial=is_trial)
    files = [(upload.name, upload.content.getbuffer()) for upload in request.uploads]
    return reranking.queue().add_import(cache.store(), job, files, import_job.notes_of(found))


def _running_import() -> Job | None:
    """Return this user's running import, which may have been started in another window.

    Returns None if no import is running or if its result is already shown.
    """
    return next(
        (job for job in _own_imports(reranking.queue().queue.active_jobs()) if job.id != st.session_state.get(SHOWN)),
        None,
    )


def _own_imports(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that are imports started by this user, without previews."""
    return [
        job for job in jobs if job.kind == "import" and job.person == visitor.person() and not job.request["is_trial"]
    ]


def _result() -> ImportPreview | None:
    """Return the result of this user's import, first when all papers are imported and again when the job has ended.

    The page shows the result before the job ends, because preparing the papers for ranking takes a few seconds longer.
    """
    jobs = reranking.queue().queue
    for job in _own_imports(jobs.ended_jobs("import")):
        is_past = job.id == st.session_state.get(SHOWN) and not _shows_result()  # replaced by newer uploads
        try:
            if not is_past:
                return _mark_shown(import_job.preview_of(jobs, job), job)
        finally:  # even if the result can't be read, so that the page doesn't fail each time it is drawn
            jobs.forget(job.id)
    for job in _own_imports(jobs.active_jobs()):
        if job.id != st.session_state.get(SHOWN) and import_job.is_imported(jobs, job):
            return _mark_shown(import_job.preview_of(jobs, job), job)
    return None


def _shows_result() -> bool:
    preview: ImportPreview | None = st.session_state.get(PREVIEW)
    return preview is not None and preview.is_begun


def _mark_shown(result: ImportPreview, job: Job) -> ImportPreview:
    if st.session_state.get(SHOWN) != job.id:
        choices.clear_uploads()
    st.session_state[SHOWN] = job.id
    return result


def _collect_outcomes(handle: JobHandle) -> tuple[list[Outcome], str]:
    """Return the outcomes of a finished preview, and its error message, which is empty if the preview succeeded."""
    outcomes, error = import_job.outcomes_of(handle.queue, handle.id), handle.exception()
    handle.queue.forget(handle.id)
    return outcomes, "" if error is None else str(error)


@st.fragment(run_every=CHECKED_EVERY)
def _watch(handle: JobHandle, names: Sequence[str], *, is_trial: bool) -> None:
    """Draw the progress of a job with a cancel button. Redraw the page when the job has ended."""
    is_in = not is_trial and len(import_job.outcomes_of(handle.queue, handle.id)) == len(names)
    if is_in or handle.done():
        st.rerun()
    if is_trial and handle.is_begun:
        reranking.queue().prepare_import()  # start the import's worker in advance, because this takes seconds
    share, count = import_job.progress_of(handle.queue, handle.id, len(names))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, escape(progress_text(names, count, is_trial=is_trial, is_begun=handle.is_begun)))
        st.button("Cancel", key=f"cancel-{'look' if is_trial else 'import'}", on_click=handle.cancel)


def progress_text(names: Sequence[str], count: str, *, is_trial: bool, is_begun: bool) -> str:
    """Return the progress bar's label.

    Examples
    --------
    >>> progress_text(["a.csv"], "500 of 2,000 papers", is_trial=False, is_begun=True)
    'Importing a.csv · 500 of 2,000 papers · continues if you leave this page'
    >>> progress_text(["a.csv", "b.csv"], "", is_trial=True, is_begun=False)
    'Reading 2 files · queued'
    """
    files = names[0] if len(names) == 1 else count_text(len(names), "file")
    what = "Reading" if is_trial else "Importing"
    state = count if is_begun else "queued"
    return " · ".join(filter(None, (f"{what} {files}", state, "" if is_trial else "continues if you leave this page")))
