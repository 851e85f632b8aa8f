"""Import as a background job: its request, its execution and its result.

The job contains a request's files and options. The worker stores the outcome of each finished file as a note on the
job. After an interruption, the next worker therefore continues with the next file. Each import is logged in the
transaction that imports the file. A file is therefore not imported twice, even if the worker is interrupted right after
that transaction. If a file exceeds the limits or crashes the worker, the next worker skips it.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import date
from itertools import zip_longest
from pathlib import Path
from typing import Any

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import Repair
from presort.data.importers.process_limits import limit_time, overrun
from presort.data.records import ImportReport, ImportSummary, Origin, PaperChange
from presort.data.running import service
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.importing.uploads import ImportPreview, ImportRequest, Outcome, Upload, import_upload
from presort.desk.jobs.queue import Job, JobQueue
from presort.desk.jobs.supervisor import CRASHED, READING
from presort.desk.text import count_text

# Names of a job's notes:
FOUND = "found"  # outcomes of the preview
DONE = "done"  # outcomes of the finished files
LOGGED = "logged"  # number of imports in the log before the job started
READ = "papers-read"  # number of papers read so far from the current file
PLACE = ("row", "column", "line", "name", "missing")  # error attributes that are stored in an outcome
CHANGES = ("new", "updated", "matched", "twice", "seen", "possible", "shared")


def job_request(request: ImportRequest, *, is_trial: bool) -> dict[str, Any]:
    """Return the request of a job that imports files or previews the import."""
    return {
        "is_trial": is_trial,
        "issue": request.issue.isoformat() if request.issue else None,
        "selected_by": list(request.selected_by),
        "keeps_going": request.keeps_going,
        "is_matched": request.is_matched,
        "files": [{"name": upload.name, "columns": dict(upload.columns)} for upload in request.uploads],
    }


def notes_of(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return a job's initial notes, which contain the outcomes of the preview.

    The outcomes are not part of the request, because they may list thousands of papers and a request should be small.
    """
    return {FOUND: [_outcome_object(outcome) for outcome in found]}


def names_of(job: Job) -> list[str]:
    """Return the names of a job's files."""
    return [one["name"] for one in job.request["files"]]


def outcomes_of(jobs: JobQueue, job: int) -> list[Outcome]:
    """Return the outcomes of a job's finished files."""
    return _noted_outcomes(jobs, job, DONE)


def preview_of(jobs: JobQueue, job: Job) -> ImportPreview:
    """Return the preview of an import and the outcomes so far, without the files' contents."""
    end = jobs.end_of(job.id)
    found, done = _noted_outcomes(jobs, job.id, FOUND), _noted_outcomes(jobs, job.id, DONE)
    return ImportPreview(_request_of(job.request), found, done, True, end.message if end else "")


def progress_of(jobs: JobQueue, job: int, n_files: int) -> tuple[float, str]:
    """Return a job's progress from 0 to 1, and a label with the numbers of files and papers done."""
    n_done, n_read = len(outcomes_of(jobs, job)), jobs.read_note(job, READ) or 0
    expected = [one.report.summary.listings if one.report else 0 for one in _noted_outcomes(jobs, job, FOUND)]
    total = sum(expected)
    n_papers = sum(expected[:n_done]) + n_read
    files = f"{n_done:,} of {n_files:,} files" if n_files > 1 else ""
    if not total:
        return n_done / n_files, " · ".join(filter(None, (files, f"{n_read:,} papers read" if n_read else "")))
    return min(n_papers / total, 1.0), " · ".join(
        filter(None, (files, f"{n_papers:,} of {count_text(total, 'paper')}"))
    )


def is_imported(jobs: JobQueue, job: Job) -> bool:
    """Return True if all of a job's files are imported. The job may still be computing features for the rankers."""
    return len(outcomes_of(jobs, job.id)) == len(names_of(job))


def run_job(store: Store, jobs: JobQueue, job: Job) -> None:
    """Import a job's files one by one, or preview the import. If a file fails, continues with the next file."""
    request, is_trial = _request_of(job.request), job.request["is_trial"]
    done = outcomes_of(jobs, job.id)
    came_in = [] if is_trial else _unnoted_imports(store, jobs, job, sum(bool(one.report) for one in done))
    if jobs.read_note(job.id, CRASHED) == len(done) and not came_in:
        name = request.uploads[len(done)].name
        done.append(Outcome(name, None, problem=str(overrun(Path(name)))))
        _note_outcomes(jobs, job, done)
    left = list(zip(request.uploads, jobs.files(job.id), strict=True))[len(done) :]
    for (upload, path), logged in zip_longest(left, came_in[: len(left)]):
        with ExitStack() as bounds:

            def note(outcome: Outcome) -> None:
                bounds.close()  # the next step computes features for the rankers, under the job's longer limits
                _note_outcomes(jobs, job, [*done, outcome])

            if logged is None:
                jobs.store_note(job.id, READING, len(done))
                bounds.enter_context(limit_time())
                outcome = import_upload(
                    store,
                    request,
                    upload,
                    path,
                    person=job.person,
                    is_trial=is_trial,
                    on_imported=note,
                    on_progress=lambda n_read: jobs.store_note(job.id, READ, n_read),
                )
            else:
                outcome = Outcome(upload.name, ImportReport(logged))
        _note_outcomes(jobs, job, [*done, outcome])
        done.append(outcome)
    if not is_trial:
        jobs.put_once("rank", {"reports": []})  # rank the lists before an editor opens them


def _note_outcomes(jobs: JobQueue, job: Job, done: Sequence[Outcome]) -> None:
    jobs.store_note(job.id, DONE, [_outcome_object(one) for one in done])
    jobs.store_note(job.id, READING, None)
    jobs.store_note(job.id, READ, None)


def _unnoted_imports(store: Store, jobs: JobQueue, job: Job, n_noted: int) -> list[ImportSummary]:
    """Return the log entries of files that this job imported without storing a note before it was interrupted."""
    log = service.imports(store)[::-1]
    before = jobs.read_note(job.id, LOGGED)
    if before is None:
        jobs.store_note(job.id, LOGGED, len(log))
        return []
    names = list(map(clean, names_of(job)))
    own = [one.summary for one in log[before:] if one.person == job.person and one.file in names]
    return own[n_noted:]


def _noted_outcomes(jobs: JobQueue, job: int, name: str) -> list[Outcome]:
    return [_outcome_of(one) for one in jobs.read_note(job, name) or ()]


def _request_of(payload: Mapping[str, Any]) -> ImportRequest:
    uploads = tuple(Upload("", one["name"], columns=one["columns"]) for one in payload["files"])
    issue = date.fromisoformat(payload["issue"]) if payload["issue"] else None
    return ImportRequest(uploads, issue, tuple(payload["selected_by"]), payload["keeps_going"], payload["is_matched"])


def _outcome_object(outcome: Outcome) -> dict[str, Any]:
    skipped = [{"reason": error.reason, **{name: getattr(error, name) for name in PLACE}} for error in outcome.skipped]
    report = asdict(outcome.report) if outcome.report else None
    repairs = [asdict(repair) for repair in outcome.repairs]
    return {
        "name": outcome.name,
        "report": report,
        "skipped": skipped,
        "problem": outcome.problem,
        "repairs": repairs,
    }


def _outcome_of(payload: Mapping[str, Any]) -> Outcome:
    repairs = tuple(Repair(**one) for one in payload["repairs"])
    skipped = _skipped_errors(payload["skipped"])
    return Outcome(payload["name"], _report_of(payload["report"]), skipped, payload["problem"], repairs)


def _report_of(payload: Mapping[str, Any] | None) -> ImportReport | None:
    if payload is None:
        return None
    changes = {kind: tuple(_change_of(one) for one in payload.get(kind, ())) for kind in CHANGES}
    reports = tuple(payload["new_reports"])
    return ImportReport(
        ImportSummary(**payload["summary"]), **changes, new_reports=reports, unfinished=payload["unfinished"]
    )


def _change_of(payload: Mapping[str, Any]) -> PaperChange:
    return PaperChange(**{**payload, "origin": Origin(**payload["origin"]) if payload["origin"] else None})


def _skipped_errors(payload: list[Mapping[str, Any]]) -> tuple[UnreadableFileError, ...]:
    return tuple(
        UnreadableFileError(Path(one["name"]), one["reason"], **{name: one[name] for name in PLACE}) for one in payload
    )
