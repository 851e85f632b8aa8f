"""Papers from an OAI-PMH repository: fetched, and then imported as a whole."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from data.errors import UnreadableFileError
from data.harvest.kept import Kept, Query, keeping
from data.harvest.oai import Progress, finish, harvest, read_harvest
from data.harvest.polite import Clock
from data.importers.problems import Findings
from data.records import ImportReport, ListedPaper, Origin
from data.store import Store
from desk.importing.importer import import_listings

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
) -> tuple[ImportReport, Findings]:
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
    findings : Findings
        Records left out, if it keeps going, and repairs.

    Raises
    ------
    DataError
        If the repository can't be reached, or gives what can't be taken.
    """
    with keeping(place, query, now=clock.now()) as kept:
        harvest(kept, allow_private=allow_private, clock=clock, follow=follow)
        report, findings = _imported(store, kept, issue, is_trial=is_trial, keeps_going=keeps_going)
        if not is_trial:
            finish(kept)
    return report, findings


def _imported(
    store: Store, kept: Kept, issue: date, *, is_trial: bool, keeps_going: bool
) -> tuple[ImportReport, Findings]:
    name, findings = kept.query.name, Findings()
    entries = read_harvest(kept, problems=findings.collect(keeps_going=keeps_going))
    listings = (ListedPaper(entry.paper, issue, origin=Origin(name), is_only_if_new=True) for entry in entries)
    try:
        report = import_listings(store, listings, name, person=PERSON, is_trial=is_trial)
    except UnreadableFileError as error:
        raise error.advising(ADVICE) from error
    if findings.left_out and not report.summary.listings:  # likelier another format than many mistakes
        raise findings.left_out[0]
    return report, findings
