"""Harvest a repository: fetch and store all pages, then read the papers from them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.harvest.download import download
from presort.data.harvest.errors import HarvestError, LostTokenError
from presort.data.harvest.formats import convert_record
from presort.data.harvest.pages import OAI, Damage, Page, holds_error, read_page, request
from presort.data.harvest.polite import Clock, PoliteClient
from presort.data.harvest.stored_harvest import Mark, StoredHarvest, check_url
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.records import Entry

MOST_PAGES = 20_000  # maximum number of pages; all of arXiv has about 2,000
MOST_BYTES = 50_000_000_000  # maximum total size of all pages in bytes; all of arXiv has about 8 GB


@dataclass(frozen=True)
class Progress:
    """Progress of a harvest: number of records stored, total if the repository reports it, and a note for the user."""

    n_records: int
    n_total: int | None = None
    note: str = ""


def identify(url: str, *, allow_private: bool) -> str:
    """Ask a repository for its name, without retries. Returns the URL if the repository has no name.

    Raises
    ------
    HarvestError
        If the request is not allowed, the repository doesn't respond, or it is not an OAI-PMH repository.
    """
    check_url(url)
    asked = request(url, {"verb": "Identify"})
    answer = download(asked, allow_private=allow_private)
    if answer.status != 200 and not holds_error(answer.content):
        raise HarvestError(f"{asked}: the server responded with status {answer.status}.")
    # The name may be missing, because some repositories that can be harvested don't implement Identify.
    name = read_page(url, answer.content).root.findtext(f"{OAI}Identify/{OAI}repositoryName") or ""
    return " ".join(name.split()) or url


def harvest(stored: StoredHarvest, *, allow_private: bool, clock: Clock, follow: Callable[[Progress], None]) -> None:
    """Fetch the pages that are not stored yet.

    Resumes an interrupted harvest. Restarts once if the repository no longer accepts the resumption token.

    Parameters
    ----------
    stored : StoredHarvest
        Pages fetched so far, with the harvest's query.
    allow_private : bool
        True if the repository may be in a private network.
    clock : Clock
        Clock used for the rate limit and the retries.
    follow : callable
        Progress callback, which is called for each page and each wait.

    Raises
    ------
    HarvestError
        If the URL is not allowed, or doesn't belong to an OAI-PMH repository. Also if the repository rejects the
        request, doesn't respond, or sends an endless list.
    """
    client = PoliteClient(
        allow_private=allow_private, clock=clock, say=lambda note: follow(Progress(stored.n_records, note=note))
    )
    if stored.n_pages:
        follow(Progress(stored.n_records, note=f"Resuming after {stored.n_records:,} stored records."))
    try:
        _fetch(stored, client, follow)
    except LostTokenError as error:
        follow(Progress(0, note=f"{error} Restarting."))
        stored.restart()
        try:
            _fetch(stored, client, follow)
        except LostTokenError:
            stored.restart()  # otherwise, the next harvest would send the rejected token again
            raise


def read_harvest(stored: StoredHarvest, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers from a completed harvest, in the repository's order.

    Deleted records are skipped. Records that the previous harvest imported are also skipped, unless the query specifies
    the first day. If a record changed during the harvest and therefore occurs twice, the later version is used.

    Parameters
    ----------
    stored : StoredHarvest
        Harvest whose pages have all been stored.
    problems : Problems
        Receives each repair, and each record that has no title, is in another format or is malformed XML. The row in a
        message is the record's 1-based number.
    """
    known = stored.mark.known if stored.mark and stored.query.since is None else {}
    last_rows = {_header(record)[0] or row: row for row, record in enumerate(_records(stored), start=1)}
    for damage in stored.damages():
        _report(stored, damage, problems)
    taken = set[str]()
    for row, record in enumerate(_records(stored), start=1):
        name, stamp = _header(record)
        if known.get(name) == stamp or last_rows[name or row] != row:
            continue
        try:
            entry = convert_record(stored.path, record, stored.query.metadata, _with_row(problems, stored, row))
        except UnreadableFileError as error:
            problems.skip(UnreadableFileError(error.path, error.reason, row=row, name=stored.query.name))
            continue
        if entry and entry.paper.paper_id not in taken:  # two records may describe the same paper
            taken.add(entry.paper.paper_id)
            yield entry


def _report(stored: StoredHarvest, damage: Damage, problems: Problems) -> None:
    reason = f"{damage.record}: {damage.reason}"
    if damage.is_skipped:
        problems.skip(UnreadableFileError(stored.path, reason, name=stored.query.name))
    else:
        problems.repair(Repair(stored.query.name, reason))


def _with_row(problems: Problems, stored: StoredHarvest, row: int) -> Problems:
    """Return callbacks whose repairs name the repository and the record, instead of the file with the stored pages."""
    return replace(problems, repair=lambda repair: problems.repair(replace(repair, name=stored.query.name, row=row)))


def finish(stored: StoredHarvest) -> None:
    """Record that the papers have been imported, and delete the pages. The next harvest requests only later records."""
    first = _page(stored, next(stored.pages()))
    # The mark is never later than today, so that the next harvest skips no records if the repository's clock is ahead.
    today = stored.now.date()
    day = min(_day(first.answered) or today, today, stored.query.until or today)
    headers = (_header(record) for record in _records(stored))
    stored.finish(Mark(day, {name: stamp for name, stamp in headers if stamp[:10] >= day.isoformat()}))


def _fetch(stored: StoredHarvest, client: PoliteClient, follow: Callable[[Progress], None]) -> None:
    url, tokens = stored.query.url, {stored.token}
    while stored.token != "":
        page = read_page(url, client.get(request(url, _arguments(stored))))
        is_too_much = stored.n_pages >= MOST_PAGES or stored.n_bytes > MOST_BYTES
        if (page.token and page.token in tokens) or is_too_much:
            raise HarvestError(f"{url}: the repository's list is endless. Report this to its operators.")
        tokens.add(page.token)
        stored.add(etree.tostring(page.root, encoding="unicode"), page.token, len(page.records), page.damages)
        follow(Progress(stored.n_records, page.n_total))


def _arguments(stored: StoredHarvest) -> dict[str, str]:
    if stored.token:
        return {"verb": "ListRecords", "resumptionToken": stored.token}
    days = {"from": stored.since, "until": stored.query.until}
    arguments = {"verb": "ListRecords", "metadataPrefix": stored.query.metadata}
    arguments |= {name: day.isoformat() for name, day in days.items() if day}
    return {**arguments, "set": stored.query.set_} if stored.query.set_ else arguments


def _records(stored: StoredHarvest) -> Iterator[etree._Element]:
    for page in stored.pages():
        yield from _page(stored, page).records


def _page(stored: StoredHarvest, page: str) -> Page:
    return read_page(stored.query.url, page.encode())


def _header(record: etree._Element) -> tuple[str, str]:
    name, stamp = (record.findtext(f"{OAI}header/{OAI}{part}") or "" for part in ("identifier", "datestamp"))
    return name.strip(), stamp.strip()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
