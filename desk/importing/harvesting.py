"""Papers from an OAI-PMH repository: fetched, and then imported as a whole."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from data.errors import UnreadableFileError, Wrong, refuse
from data.harvest.kept import Kept, Query, keeping
from data.harvest.oai import Progress, finish, harvest, read_harvest
from data.harvest.polite import Clock
from data.records import ImportReport, ListedPaper, Origin
from data.store import Store
from desk.importing.importer import LeftOut, import_listings

PERSON = "harvest"  # who the log says it was
ADVICE = "Nothing was imported. 'presort harvest' with --keep-going leaves it out, and need not fetch again."


def import_harvest(
    store: Store,
    place: Path,
    query: Query,
    issue: date,
    *,
    clock: Clock,
    follow: Callable[[Progress], None],
    is_trial: bool = False,
    keeps_going: bool = False,
    allow_private: bool = False,
) -> tuple[ImportReport, LeftOut]:
    """Fetch what is new in a repository, and import it; one that was cut off goes on where it was.

    Parameters
    ----------
    place : Path
        Folder that keeps what was fetched: that of the workspace, or a copy of it.
    query : Query
        What is asked for.
    issue : date
        Issue of the papers.
    clock : Clock
        By which requests are polite.
    follow : function
        Told how far it has come.
    is_trial : bool
        Whether to find out only what the import would do.
    keeps_going : bool
        Whether to leave out what can't be taken.
    allow_private : bool
        Whether the repository may be in one's own network.

    Returns
    -------
    report : ImportReport
    left_out : tuple of UnreadableFileError

    Raises
    ------
    DataError
        If the repository can't be reached, or gives what can't be taken.
    """
    with keeping(place, query, now=clock.now()) as kept:
        harvest(kept, allow_private=allow_private, clock=clock, follow=follow)
        report, left_out = _imported(store, kept, issue, is_trial=is_trial, keeps_going=keeps_going)
        if not is_trial:
            finish(kept)
    return report, left_out


def _imported(
    store: Store, kept: Kept, issue: date, *, is_trial: bool, keeps_going: bool
) -> tuple[ImportReport, LeftOut]:
    name, left_out = kept.query.name, list[UnreadableFileError]()
    wrong: Wrong = left_out.append if keeps_going else refuse
    entries = read_harvest(kept, wrong=wrong)
    listings = (
        ListedPaper(entry.paper, issue, doi=entry.doi, origin=Origin(name), is_only_if_new=True) for entry in entries
    )
    try:
        report = import_listings(store, listings, name, person=PERSON, is_trial=is_trial)
    except UnreadableFileError as error:
        raise error.advising(ADVICE) from error
    if left_out and not report.summary.listings:  # likelier another format than many mistakes
        raise left_out[0]
    return report, tuple(left_out)
