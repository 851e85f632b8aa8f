"""Import files into the workspace, and update the data derived from them."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.importers.archives import replace_invalid_bytes
from presort.data.importers.choices import NO_CHOICES, Choices
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Findings
from presort.data.importers.process_limits import limit_memory
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportReport, ListedPaper
from presort.data.running import service
from presort.data.running.trials import temporary_copy
from presort.data.store import Store

OnImported = Callable[[ImportReport, Findings], None]
NOTED_EVERY = 500  # number of papers read between two calls to the progress callback


def ignore_report(*_: object) -> None:
    """Do nothing. This is the default for the callbacks."""


def import_path(
    store: Store,
    path: Path,
    choices: Choices = NO_CHOICES,
    *,
    person: str,
    is_trial: bool = False,
    keeps_going: bool = False,
    is_matched: bool = True,
    on_imported: OnImported = ignore_report,
    on_progress: Callable[[int], None] = ignore_report,
) -> tuple[ImportReport, Findings]:
    """Import a file or folder completely or not at all, and log the import. Then compute features and score rankings.

    Parameters
    ----------
    store : Store
        Workspace to import into.
    path : Path
        File, archive or folder.
    choices : Choices
        Values to use for data that are missing from the files.
    person : str
        User to whom the import and its selections are attributed in the log.
    is_trial : bool
        Preview the import on a copy of the workspace, without changing anything.
    keeps_going : bool
        Skip invalid records. Otherwise an invalid record is an error, and nothing is imported.
    is_matched : bool
        Treat a paper that already exists under another id as a duplicate, and don't list it again.
    on_imported : callable
        Called with the report and the findings as soon as the papers are imported, before the features are computed.
    on_progress : callable
        Called with the number of papers read, every 500 papers.

    Returns
    -------
    report : ImportReport
        Changes to the workspace.
    findings : Findings
        Repairs and, if `keeps_going`, skipped records.

    Raises
    ------
    UnreadableFileError
        If a file is invalid or needs too much memory. With `keeps_going`, invalid records raise this error only if no
        file has a valid record.
    RefusedError
        If the workspace is the demo, or more than 100,000 records would be skipped.
    """
    findings = Findings()
    listings = read_listings(path, choices, problems=findings.collect(keeps_going=keeps_going))
    report = import_listings(
        store,
        listings,
        replace_invalid_bytes(path.name or path.resolve().name),
        person=person,
        is_trial=is_trial,
        is_matched=is_matched,
        path=path,
        findings=findings,
        on_imported=lambda report: on_imported(report, findings),
        on_progress=on_progress,
    )
    return report, findings


def import_listings(
    store: Store,
    listings: Iterable[ListedPaper],
    name: str,
    *,
    person: str,
    is_trial: bool = False,
    is_matched: bool = True,
    path: Path | None = None,
    findings: Findings | None = None,
    on_imported: Callable[[ImportReport], None] = ignore_report,
    on_progress: Callable[[int], None] = ignore_report,
) -> ImportReport:
    """Import papers from any source. Parameters that aren't described here are the same as for `import_path`.

    Parameters
    ----------
    listings : iterable of ListedPaper
        Papers to import. They are consumed lazily.
    name : str
        Name under which the source is logged.
    path : Path, optional
        Path to name in the error message if reading needs too much memory. Defaults to `name`.
    findings : Findings, optional
        Problems found while reading `listings`. If no paper can be read, the first problem is raised.
    on_imported : callable
        Called with the report as soon as the papers are imported.

    Raises
    ------
    UnreadableFileError
        If reading the papers needs too much memory.
    RefusedError
        If the workspace is the demo, because made-up and real papers must not be mixed.
    """
    workspace = store.folder
    with closing(_report_progress(listings, findings, on_progress)) as some, limit_memory(path or Path(name)):
        if is_trial:
            with temporary_copy(store) as copy:
                _refuse_demo(copy, workspace)
                return commit_import(copy, some, person=person, file=name, is_matched=is_matched)
        _refuse_demo(store, workspace)
        report = commit_import(store, some, person=person, file=name, is_matched=is_matched)
        on_imported(report)
    return replace(report, unfinished=prepare_ranking(store))


def prepare_ranking(store: Store) -> str:
    """Compute tokens, vectors and outcomes, and queue the ranking of the past lists that are needed for stop advice.

    Returns an error message if this fails, and otherwise an empty string. After a failure, the next ranking computes
    the missing data.
    """
    from presort.data.learning.tokens import keep_tokens  # imported late, because a preview doesn't need the rankers
    from presort.desk.jobs.background import queue_missing
    from presort.desk.service.vectors import add_new_vectors
    from presort.desk.service.workflow import score
    from presort.ranker.tokens import TOKENISATION, tokenise

    try:
        keep_tokens(store, tokenise, TOKENISATION)
        score(store)
        add_new_vectors(store)
        queue_missing(store)
    except (WorkspaceError, RefusedError) as error:
        return str(error)
    return ""


def unfinished_text(problem: str) -> str:
    """Return a warning that the papers were imported but could not be prepared for ranking."""
    return f"The papers were imported, but preparing them for ranking failed. The next ranking will retry. {problem}"


def _refuse_demo(store: Store, workspace: Path) -> None:
    if service.is_demo(store):
        raise RefusedError(f"{workspace} contains the demo. Choose another folder with --workspace.")


def _report_progress(
    listings: Iterable[ListedPaper], findings: Findings | None, on_progress: Callable[[int], None]
) -> Generator[ListedPaper]:
    n_read = 0
    for listed in listings:
        n_read += 1
        if n_read % NOTED_EVERY == 0:
            on_progress(n_read)
        yield listed
    if findings and findings.skipped and not n_read:
        raise findings.skipped[0]
