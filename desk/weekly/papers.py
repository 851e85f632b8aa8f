"""Import step of the weekly job: new papers from OAI-PMH repositories and from files in the import folder."""

from functools import partial
from pathlib import Path

from presort.data.errors import DataError, RefusedError
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.stored_harvest import Query
from presort.data.importers.choices import Choices
from presort.data.importers.problems import Findings
from presort.data.records import ImportReport
from presort.desk.importing.harvesting import error_text, failed_contacts, import_harvest
from presort.desk.importing.importer import import_path
from presort.desk.settings import Harvest
from presort.desk.text import count_text
from presort.desk.weekly.job import PartlyDoneError, SkipStep, WeeklyRun

PERSON = "import"  # author of the imports in the log
DONE = "imported"  # subfolder to which imported files are moved
NO_FILE = "No new files."
NO_PLACE = "No source of papers is configured."


def import_papers(job: WeeklyRun) -> str:
    """Import new papers. If one source fails, the remaining sources are still imported.

    Raises
    ------
    SkipStep
        If no source is configured, or there is nothing to import.
    PartlyDoneError
        If a source failed, but new papers were imported.
    RefusedError
        If a source failed, and no new papers were imported.
    """
    if not _is_set(job):
        raise SkipStep(NO_PLACE)
    work = [partial(_harvest, job, harvest) for harvest in job.week.harvest]
    messages, errors, is_news = list[str](), list[DataError](), False
    try:
        work += [partial(_import, job, path) for path in _files(job)]
    except DataError as error:
        errors.append(error)
    for one in work:
        try:
            text, n = one()
        except DataError as error:
            errors.append(error)
            is_news |= isinstance(error, PartlyDoneError)
        else:
            messages.append(text)
            is_news |= n > 0
    if errors:
        text = " ".join([*map(str, errors), *messages])
        raise (PartlyDoneError if is_news else RefusedError)(text) from errors[0]  # the log names this error's class
    if not messages:
        raise SkipStep(NO_FILE)
    return " ".join(messages)


def plan(job: WeeklyRun) -> str:
    """Describe the planned imports, and list repositories that don't respond."""
    if not _is_set(job):
        return NO_PLACE
    files = [path.name for path in _files(job)]
    parts = [*(f"harvest {harvest.url}" for harvest in job.week.harvest), *(f"import {name}" for name in files)]
    plan_text = f"Would {', '.join(parts)}." if parts else NO_FILE
    return " ".join([plan_text, *failed_contacts(job.week.harvest)])


def _is_set(job: WeeklyRun) -> bool:
    return bool(job.week.harvest or job.week.folder)


def _files(job: WeeklyRun) -> list[Path]:
    """Return the files and folders in the import folder that are to be imported, sorted by name."""
    folder = job.week.folder
    if folder is None:
        return []
    try:
        return sorted(path for path in folder.iterdir() if path.name != DONE and not path.name.startswith("."))
    except OSError as error:
        raise RefusedError(f"Can't read the import folder {folder}: {error.strerror}.") from error


def _harvest(job: WeeklyRun, harvest: Harvest) -> tuple[str, int]:
    query = Query(harvest.url, harvest.format, harvest.set_, begin=harvest.begin)
    try:
        result = import_harvest(
            *(job.store, job.store.folder, query, job.day),
            clock=job.clock,
            follow=lambda _: None,
            allow_private=harvest.is_private,
        )
    except HarvestError as error:
        raise RefusedError(error_text(error, harvest)) from error
    return _summary(query.name, *result)


def _import(job: WeeklyRun, path: Path) -> tuple[str, int]:
    message, n_new = _summary(path.name, *import_path(job.store, path, Choices(issue=job.day), person=PERSON))
    try:
        _put_away(path)
    except RefusedError as error:
        raise (PartlyDoneError if n_new else RefusedError)(str(error)) from error
    return message, n_new


def _put_away(path: Path) -> None:
    """Move an imported file away so that it isn't read again, although importing it again would change nothing."""
    folder = path.parent / DONE
    try:
        folder.mkdir(exist_ok=True)
        n = 1
        while (new := folder / (path.name if n == 1 else f"{n}-{path.name}")).exists():
            n += 1
        path.rename(new)
    except OSError as error:
        raise RefusedError(f"{path} was imported, but can't be moved to {folder}: {error.strerror}.") from error


def _summary(name: str, report: ImportReport, findings: Findings) -> tuple[str, int]:
    """Return a message about an import, and the number of new papers in issues."""
    skipped = findings.skipped
    left = f", {count_text(len(skipped), 'record')} skipped, such as {str(skipped[0]).rstrip('.')}" if skipped else ""
    n_new = report.summary.new_listings
    came = f"{name}: {count_text(n_new, 'new paper')}{left}."
    return f"{came} {report.unfinished}".rstrip(), n_new
