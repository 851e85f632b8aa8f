"""Import files into the workspace, and update data that depend on them."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.importers.archives import in_unicode
from presort.data.importers.choices import NO_CHOICES, Choices
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Findings
from presort.data.importers.process_limits import bounded_memory
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportReport, ListedPaper
from presort.data.running import service
from presort.data.running.trials import on_a_copy
from presort.data.store import Store

OnImported = Callable[[ImportReport, Findings], None]
NOTED_EVERY = 500  # papers


def ignore_report(*_: object) -> None:
    """Do nothing."""


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
    """Import a file or a folder and log it, all or nothing. Then score the rankings that new selections can score.

    Parameters
    ----------
    choices : Choices
        Choices for data that the files lack.
    person : str
        To whom the log ascribes the import and its selections.
    is_trial : bool
        Preview the import on a copy. No file is changed.
    keeps_going : bool
        Skip invalid records. Otherwise an invalid record is an error, and nothing is imported.
    is_matched : bool
        Treat a paper known under another id as a duplicate, and don't list it again.
    on_imported : function
        Called with what is returned, as soon as the papers are in: what rankers need is made then, which takes longer.
    on_progress : function
        Called with the number of papers read, every 500 papers.

    Returns
    -------
    report : ImportReport
    findings : Findings
        Records left out, if it keeps going, and repairs.

    Raises
    ------
    UnreadableFileError
        If a file can't be taken, or takes too much memory; when it keeps going, only if nothing of any file can be.
    RefusedError
        If the workspace is the demo, or it would leave out more than 100,000 records.
    """
    findings = Findings()
    listings = read_listings(path, choices, problems=findings.collect(keeps_going=keeps_going))
    report = import_listings(
        store,
        listings,
        in_unicode(path.name or path.resolve().name),
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
    """Import papers from any source, as `import_path` does. The log records the name of the source.

    Parameters
    ----------
    path : Path, optional
        Name of the source in the error that reading takes too much memory. Defaults to the name.
    findings : Findings, optional
        Problems that reading the papers adds to. If no paper can be read, the first error is raised.
    on_imported : callable
        Called as soon as the papers are in.
    on_progress : callable
        Called with the number of papers read, every 500 papers.

    Raises
    ------
    UnreadableFileError
        If reading the papers takes too much memory.
    RefusedError
        If the workspace is the demo: made-up and real papers must not mix.
    """
    workspace = store.folder
    with closing(_some(listings, findings, on_progress)) as some, bounded_memory(path or Path(name)):
        if is_trial:
            with on_a_copy(store) as copy:
                _refuse_demo(copy, workspace)
                return commit_import(copy, some, person=person, file=name, is_matched=is_matched)
        _refuse_demo(store, workspace)
        report = commit_import(store, some, person=person, file=name, is_matched=is_matched)
        on_imported(report)
    return replace(report, unfinished=make_ready(store))


def make_ready(store: Store) -> str:
    """Compute tokens, vectors and outcomes. If that fails, return why: the next ranking computes them.

    The past lists that stop advice needs are ranked in the background.
    """
    from presort.data.learning.tokens import keep_tokens  # to load rankers takes a second, and a trial needs none
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
    """Return the warning that the papers are imported, but that preparing them for ranking failed."""
    return (
        f"The papers are imported. Preparing them for ranking failed and is repeated with the next ranking: {problem}"
    )


def _refuse_demo(store: Store, workspace: Path) -> None:
    if service.is_demo(store):
        raise RefusedError(f"{workspace} holds the made-up demo; choose another folder with --workspace.")


def _some(
    listings: Iterable[ListedPaper], findings: Findings | None, on_progress: Callable[[int], None]
) -> Generator[ListedPaper]:
    n_read = 0
    for listed in listings:
        n_read += 1
        if n_read % NOTED_EVERY == 0:
            on_progress(n_read)
        yield listed
    if findings and findings.left_out and not n_read:
        raise findings.left_out[0]
