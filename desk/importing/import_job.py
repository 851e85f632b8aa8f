"""An import as a job of the queue: what is put in, how a worker does it, and what it says in the end.

A job holds the files and the choices of a wish. Of each file that is done the worker notes the outcome, so that what
cuts it off undoes none of them, and whoever goes on begins behind them. An import logs itself in the transaction that
brings a file in; so a worker that was cut off right behind it knows that, and imports nothing twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from itertools import zip_longest
from pathlib import Path
from typing import Any

from presort.data.errors import UnreadableFileError
from presort.data.importers.apart import PLACE
from presort.data.importers.problems import Repair
from presort.data.records import ImportReport, ImportSummary, Origin, PaperChange
from presort.data.running import service
from presort.data.running.job_folder import Job
from presort.data.running.jobs import Jobs
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.importing.uploads import Look, Outcome, Upload, Wish, run

# What is noted: outcomes of the look before, and so far; how many imports the log had before.
FOUND, DONE, LOGGED = "found", "done", "logged"
CHANGES = ("new", "updated", "matched", "twice", "seen", "possible", "shared")


def told_of(wish: Wish, *, is_trial: bool) -> dict[str, Any]:
    """Return a job that finds out what a wish would change, or does it."""
    return {
        "is_trial": is_trial,
        "issue": wish.issue.isoformat() if wish.issue else None,
        "selected_by": list(wish.selected_by),
        "keeps_going": wish.keeps_going,
        "is_matched": wish.is_matched,
        "files": [{"name": upload.name, "columns": dict(upload.columns)} for upload in wish.uploads],
    }


def notes_of(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return what is noted of a job from the start: what was found out before, which may be of many thousand papers."""
    return {FOUND: [_plain(outcome) for outcome in found]}


def names_of(job: Job) -> list[str]:
    """Return the names of the files of a job."""
    return [one["name"] for one in job.told["files"]]


def outcomes_of(jobs: Jobs, job: str) -> list[Outcome]:
    """Return what became of each file of a job, as far as it came."""
    return _noted(jobs, job, DONE)


def look_of(jobs: Jobs, job: Job) -> Look:
    """Return what an import was to do and what it did, as far as it came; the files themselves are not in it."""
    end = jobs.end_of(job.id)
    found, done = _noted(jobs, job.id, FOUND), _noted(jobs, job.id, DONE)
    return Look(_wish_of(job.told), found, done, True, end.said if end else "")


def do(store: Store, jobs: Jobs, job: Job) -> None:
    """Import the files one after the other, or find out what that would change; one that fails stops no other."""
    wish, is_trial = _wish_of(job.told), job.told["is_trial"]
    done = outcomes_of(jobs, job.id)
    came_in = [] if is_trial else _not_noted(store, jobs, job, sum(bool(one.report) for one in done))
    read = [found.answers for found in _noted(jobs, job.id, FOUND) if found.report] or [None] * len(wish.uploads)
    left = list(zip(wish.uploads, jobs.files(job.id), read, strict=True))[len(done) :]
    for (upload, path, answers), logged in zip_longest(left, came_in[: len(left)]):

        def note(outcome: Outcome) -> None:
            jobs.note(job.id, DONE, [_plain(one) for one in [*done, outcome]])

        if logged is None:
            outcome = run(store, wish, upload, path, person=job.person, is_trial=is_trial, answers=answers, told=note)
        else:
            outcome = Outcome(upload.name, ImportReport(logged))
        note(outcome)
        done.append(outcome)


def _not_noted(store: Store, jobs: Jobs, job: Job, n_noted: int) -> list[ImportSummary]:
    """Return what the log says of files of this job that came in before it was cut off, and that nobody noted."""
    log = service.imports(store)[::-1]
    before = jobs.noted(job.id, LOGGED)
    if before is None:
        jobs.note(job.id, LOGGED, len(log))
        return []
    names = list(map(clean, names_of(job)))
    own = [one.summary for one in log[before:] if one.person == job.person and one.file in names]
    return own[n_noted:]


def _noted(jobs: Jobs, job: str, name: str) -> list[Outcome]:
    return [_outcome_of(one) for one in jobs.noted(job, name) or ()]


def _wish_of(told: Mapping[str, Any]) -> Wish:
    uploads = tuple(Upload("", one["name"], columns=one["columns"]) for one in told["files"])
    issue = date.fromisoformat(told["issue"]) if told["issue"] else None
    return Wish(uploads, issue, tuple(told["selected_by"]), told["keeps_going"], told["is_matched"])


def _plain(outcome: Outcome) -> dict[str, Any]:
    left_out = [
        {"reason": error.reason, **{name: getattr(error, name) for name in PLACE}} for error in outcome.left_out
    ]
    report = asdict(outcome.report) if outcome.report else None
    repairs = [asdict(repair) for repair in outcome.repairs]
    return {
        "name": outcome.name,
        "report": report,
        "left_out": left_out,
        "problem": outcome.problem,
        "repairs": repairs,
        "answers": outcome.answers,
    }


def _outcome_of(told: Mapping[str, Any]) -> Outcome:
    repairs = tuple(Repair(**one) for one in told.get("repairs", ()))  # absent from jobs of an older version
    left_out = _left_out_of(told["left_out"])
    return Outcome(told["name"], _report_of(told["report"]), left_out, told["problem"], repairs, told.get("answers"))


def _report_of(told: Mapping[str, Any] | None) -> ImportReport | None:
    if told is None:
        return None
    changes = {kind: tuple(_change_of(one) for one in told.get(kind, ())) for kind in CHANGES}
    reports = tuple(told["new_reports"])
    return ImportReport(ImportSummary(**told["summary"]), **changes, new_reports=reports, unfinished=told["unfinished"])


def _change_of(told: Mapping[str, Any]) -> PaperChange:
    return PaperChange(**{**told, "origin": Origin(**told["origin"]) if told["origin"] else None})


def _left_out_of(told: list[Mapping[str, Any]]) -> tuple[UnreadableFileError, ...]:
    return tuple(
        UnreadableFileError(Path(one["name"]), one["reason"], **{name: one[name] for name in PLACE}) for one in told
    )
