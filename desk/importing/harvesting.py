"""Harvest papers from an OAI-PMH repository, then import them in one transaction."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from presort.data.harvest.addresses import HINT
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.oai import Progress, finish, harvest, identify, read_harvest
from presort.data.harvest.polite import Clock
from presort.data.harvest.stored_harvest import Query, StoredHarvest, open_harvest
from presort.data.importers.problems import Findings
from presort.data.records import ImportReport, ListedPaper, Origin
from presort.data.store import Store
from presort.desk.importing.importer import import_listings
from presort.desk.settings import Harvest

PERSON = "harvest"  # name of the user in the log


def import_harvest(
    store: Store,
    place: Path,
    query: Query,
    issue: date,
    *,
    clock: Clock,
    follow: Callable[[Progress], None],
    is_trial: bool = False,
    allow_private: bool = False,
) -> tuple[ImportReport, Findings]:
    """Fetch new papers from a repository and import them. An interrupted harvest is resumed.

    Parameters
    ----------
    store : Store
        Workspace to import into.
    place : Path
        Folder that stores the fetched records: the workspace, or a copy of it for a dry run.
    query : Query
        Repository to harvest, with the set and the range of dates.
    issue : date
        Issue to which the papers are added.
    clock : Clock
        Clock used to limit the request rate.
    follow : callable
        Progress callback.
    is_trial : bool
        Preview the import without changing anything.
    allow_private : bool
        Allow a repository in a private network.

    Returns
    -------
    report : ImportReport
        Changes to the workspace.
    findings : Findings
        Skipped records and repairs.

    Raises
    ------
    DataError
        If the repository can't be reached, or its response can't be imported.
    """
    with open_harvest(place, query, now=clock.now()) as stored:
        harvest(stored, allow_private=allow_private, clock=clock, follow=follow)
        report, findings = _import_records(store, stored, issue, is_trial=is_trial)
        if not is_trial:
            finish(stored)
    return report, findings


def failed_contacts(harvests: Iterable[Harvest]) -> list[str]:
    """Contact each repository in the weekly job. Return an error for each one that can't be harvested at the moment."""
    found = []
    for one in harvests:
        try:
            identify(one.url, allow_private=one.is_private)
        except HarvestError as error:
            found.append(error_text(error, one))
    return found


def error_text(error: HarvestError, harvest: Harvest) -> str:
    """Format an error from a harvest in the weekly job. The advice names a setting instead of a command-line option."""
    return str(error).replace(HINT, f"set private = true for {harvest.url} if it is yours")


def _import_records(
    store: Store, stored: StoredHarvest, issue: date, *, is_trial: bool
) -> tuple[ImportReport, Findings]:
    name, findings = stored.query.name, Findings()
    # Users can't repair a repository's records, so invalid records don't stop the import.
    entries = read_harvest(stored, problems=findings.collect(keeps_going=True))
    listings = (ListedPaper(entry.paper, issue, origin=Origin(name), is_only_if_new=True) for entry in entries)
    report = import_listings(store, listings, name, person=PERSON, is_trial=is_trial)
    if findings.skipped and not report.summary.listings:  # all records are invalid, so the format is probably wrong
        raise findings.skipped[0]
    return report, findings
