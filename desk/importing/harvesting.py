"""Papers from an OAI-PMH repository: fetched, and then imported as a whole."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from presort.data.harvest.addresses import HINT
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.kept import Kept, Query, keeping
from presort.data.harvest.oai import Progress, finish, harvest, identify, read_harvest
from presort.data.harvest.polite import Clock
from presort.data.importers.problems import Findings
from presort.data.records import ImportReport, ListedPaper, Origin
from presort.data.store import Store
from presort.desk.importing.importer import import_listings
from presort.desk.settings import Harvest

PERSON = "harvest"  # who the log says it was


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
    """Fetch new papers of a repository and import them. An interrupted harvest resumes.

    Parameters
    ----------
    place : Path
        Folder that keeps what was fetched: that of the workspace, or a copy of it.
    query : Query
        Query of the repository.
    issue : date
        Issue of the papers.
    clock : Clock
        Clock of the rate limit of requests.
    follow : function
        Progress callback.
    is_trial : bool
        Preview the import without changing anything.
    allow_private : bool
        Allow a repository in a private network.

    Returns
    -------
    report : ImportReport
    findings : Findings
        Records left out, and repairs.

    Raises
    ------
    DataError
        If the repository can't be reached, or gives what can't be taken.
    """
    with keeping(place, query, now=clock.now()) as kept:
        harvest(kept, allow_private=allow_private, clock=clock, follow=follow)
        report, findings = _imported(store, kept, issue, is_trial=is_trial)
        if not is_trial:
            finish(kept)
    return report, findings


def unanswered(harvests: Iterable[Harvest]) -> list[str]:
    """Ask each repository of the weekly job who it is, and return why some can't be harvested now."""
    found = []
    for one in harvests:
        try:
            identify(one.url, allow_private=one.is_private)
        except HarvestError as error:
            found.append(advising(error, one))
    return found


def advising(error: HarvestError, harvest: Harvest) -> str:
    """Return an error of a harvest of the weekly job, with the advice for its settings."""
    return str(error).replace(HINT, f"set private = true for {harvest.url} if it is yours")


def _imported(store: Store, kept: Kept, issue: date, *, is_trial: bool) -> tuple[ImportReport, Findings]:
    name, findings = kept.query.name, Findings()
    # Users can't repair records of a repository, so an invalid one doesn't stop the import.
    entries = read_harvest(kept, problems=findings.collect(keeps_going=True))
    listings = (ListedPaper(entry.paper, issue, origin=Origin(name), is_only_if_new=True) for entry in entries)
    report = import_listings(store, listings, name, person=PERSON, is_trial=is_trial)
    if findings.left_out and not report.summary.listings:  # likelier another format than many mistakes
        raise findings.left_out[0]
    return report, findings
