"""Imports: from files to the workspace, and what follows for what it holds already."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from presort.data.errors import RefusedError
from presort.data.importers import read_listings
from presort.data.importers.archives import in_unicode
from presort.data.importers.choices import NOTHING_SAID, Choices
from presort.data.importers.problems import Findings
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportReport, ListedPaper
from presort.data.running import service
from presort.data.running.trials import on_a_copy
from presort.data.store import Store

Read = Callable[..., Iterator[ListedPaper]]
Told = Callable[[ImportReport, Findings], None]


def pass_over(*_: object) -> None:
    """Do nothing."""


def import_path(
    store: Store,
    path: Path,
    choices: Choices = NOTHING_SAID,
    *,
    person: str,
    is_trial: bool = False,
    keeps_going: bool = False,
    is_matched: bool = True,
    read: Read = read_listings,
    told: Told = pass_over,
) -> tuple[ImportReport, Findings]:
    """Import a file or a folder and log it, all or nothing; rankings that the new selections can score are scored.

    Parameters
    ----------
    choices : Choices
        What the files don't say.
    person : str
        To whom the log ascribes the import and its selections.
    is_trial : bool
        Whether to find out only what the import would do: it happens to a copy, and no file is changed.
    keeps_going : bool
        Whether to leave out what can't be taken; without it, that is an error and nothing is imported.
    is_matched : bool
        Whether a paper that is known under another id is taken for a copy and not listed again.
    read : function
        Reads the papers, here or in a process of its own.
    told : function
        Called with what is returned, as soon as the papers are in: what rankers need is made then, which takes longer.

    Returns
    -------
    report : ImportReport
    findings : Findings
        Records left out, if it keeps going, and repairs.

    Raises
    ------
    UnreadableFileError
        If a file can't be taken; when it keeps going, only if nothing of any file can be.
    RefusedError
        If the workspace is the demo, or it would leave out more than 100,000 records.
    """
    findings = Findings()
    listings = read(path, choices, problems=findings.collect(keeps_going=keeps_going))
    report = import_listings(
        store,
        listings,
        in_unicode(path.name or path.resolve().name),
        person=person,
        is_trial=is_trial,
        is_matched=is_matched,
        findings=findings,
        told=lambda report: told(report, findings),
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
    findings: Findings | None = None,
    told: Callable[[ImportReport], None] = pass_over,
) -> ImportReport:
    """Import papers wherever they come from, as `import_path` does; the log gets to know them by a name.

    Parameters
    ----------
    findings : Findings, optional
        Problems that reading the papers adds to. If no paper can be read, the first error is raised.
    told : callable
        Called as soon as the papers are in.

    Raises
    ------
    RefusedError
        If the workspace is the demo: made-up and real papers must not mix.
    """
    workspace = store.folder
    with closing(_some(listings, findings)) as some:
        if is_trial:
            with on_a_copy(store) as copy:
                _refuse_demo(copy, workspace)
                return commit_import(copy, some, person=person, file=name, is_matched=is_matched)
        _refuse_demo(store, workspace)
        from presort.desk.importing.ready import (
            make_ready,  # what rankers need takes a second to load, and a trial needs none
        )

        report = commit_import(store, some, person=person, file=name, is_matched=is_matched)
        told(report)
    return replace(report, unfinished=make_ready(store))


def _refuse_demo(store: Store, workspace: Path) -> None:
    if service.is_demo(store):
        raise RefusedError(f"{workspace} holds the made-up demo; choose another folder with --workspace.")


def _some(listings: Iterable[ListedPaper], findings: Findings | None) -> Generator[ListedPaper]:
    n_read = 0
    for listed in listings:
        n_read += 1
        yield listed
    if findings and findings.left_out and not n_read:
        raise findings.left_out[0]
