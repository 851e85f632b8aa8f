"""Imports: from files to the workspace, and what follows for what it holds already."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from data import catalogue, service
from data.errors import RefusedError, UnreadableFileError, refuse
from data.importers import read_listings
from data.importers.archives import in_unicode
from data.importers.choices import NOTHING_SAID, Choices
from data.publish import publish
from data.records import ImportReport, ListedPaper
from data.store import Store
from data.tokens import keep_tokens
from desk.workflow import DEMO, score
from ranker.tokens import tokenise

LeftOut = tuple[UnreadableFileError, ...]

MOST_LEFT_OUT = 100_000  # each is kept in memory
ADVICE = "Nothing was imported. Fix the {what}, or import with 'keep going' to leave it out."


def import_path(
    store: Store,
    path: Path,
    choices: Choices = NOTHING_SAID,
    *,
    person: str,
    is_trial: bool = False,
    keeps_going: bool = False,
    is_matched: bool = True,
) -> tuple[ImportReport, LeftOut]:
    """Import a file or a folder, all or nothing, and log it; rankings that the new selections can score are scored.

    Parameters
    ----------
    choices : Choices
        What the files don't say.
    person : str
        To whom the log ascribes the import and its selections.
    is_trial : bool
        Whether to find out only what the import would do: nothing is changed.
    keeps_going : bool
        Whether to leave out what can't be taken; without it, that is an error and nothing is imported.
    is_matched : bool
        Whether a paper that is known under another id is taken for a copy and not listed again.

    Returns
    -------
    report : ImportReport
    left_out : tuple of UnreadableFileError
        In file order; empty unless it keeps going.

    Raises
    ------
    UnreadableFileError
        If a file can't be taken; when it keeps going, only if nothing of any file can be.
    RefusedError
        If the workspace is the demo, or it would leave out more than 100,000 papers.
    """
    left_out: list[UnreadableFileError] = []

    def leave_out(error: UnreadableFileError) -> None:
        left_out.append(error)
        if len(left_out) > MOST_LEFT_OUT:
            raise RefusedError(f"{path.name}: more than {MOST_LEFT_OUT:,} papers can't be taken; is it the right file?")

    try:
        listings = read_listings(path, choices, wrong=leave_out if keeps_going else refuse)
        report = import_listings(
            store,
            listings,
            in_unicode(path.name or path.resolve().name),
            person=person,
            is_trial=is_trial,
            is_matched=is_matched,
            left_out=left_out,
        )
    except UnreadableFileError as error:
        raise _advised(error, path, keeps_going=keeps_going) from error
    return report, tuple(left_out)


def import_listings(
    store: Store,
    listings: Iterable[ListedPaper],
    name: str,
    *,
    person: str,
    is_trial: bool = False,
    is_matched: bool = True,
    left_out: Sequence[UnreadableFileError] = (),
) -> ImportReport:
    """Import papers wherever they come from, as `import_path` does; the log gets to know them by a name.

    Parameters
    ----------
    left_out : sequence of UnreadableFileError
        To which reading the papers adds what it leaves out. If there is no paper to keep going with, the first of them
        is raised.

    Raises
    ------
    RefusedError
        If the workspace is the demo: made-up and real papers must not mix.
    """
    if catalogue.setting(store, DEMO) is not None:
        raise RefusedError(f"{store.path.parent} holds the made-up demo; choose another folder with --workspace.")
    with closing(_some(listings, left_out)) as some:
        report = publish(store, some, person=person, is_trial=is_trial, is_matched=is_matched)
    if not is_trial:
        service.log_import(store, name, report.summary, person=person)
        keep_tokens(store, tokenise)
        score(store)
    return report


def _some(listings: Iterable[ListedPaper], left_out: Sequence[UnreadableFileError]) -> Generator[ListedPaper]:
    n_read = 0
    for listed in listings:
        n_read += 1
        yield listed
    if left_out and not n_read:
        raise left_out[0]


def _advised(error: UnreadableFileError, path: Path, *, keeps_going: bool) -> UnreadableFileError:
    """Say what can be done, unless there is nothing but the file as a whole to leave out."""
    what = "line" if error.line is not None else "row" if error.row is not None else "file"
    if keeps_going or (what == "file" and error.path == path):
        return error
    return error.advising(ADVICE.format(what=what))
