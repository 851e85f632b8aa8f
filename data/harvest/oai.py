"""Harvest a repository: fetch and store all pages, then read the papers from them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.harvest.download import download
from presort.data.harvest.errors import HarvestError, LostTokenError
from presort.data.harvest.formats import to_entry
from presort.data.harvest.kept import Kept, Mark, check_url
from presort.data.harvest.pages import OAI, Damage, Page, holds_error, read_page, request
from presort.data.harvest.polite import Clock, PoliteClient
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.records import Entry

MOST_PAGES = 20_000  # all of arXiv has some 2,000
MOST_BYTES = 50_000_000_000  # of all pages; those of arXiv have some 8 GB


@dataclass(frozen=True)
class Progress:
    """Progress of a harvest: records stored, total if the repository reports it, and a note for the user."""

    n_records: int
    n_total: int | None = None
    note: str = ""


def identify(url: str, *, allow_private: bool) -> str:
    """Return the name that a repository gives itself, else its address. Asks once, and does not wait if it is busy.

    Raises
    ------
    HarvestError
        If it can't be asked, does not answer, or is no OAI-PMH repository.
    """
    check_url(url)
    asked = request(url, {"verb": "Identify"})
    answer = download(asked, allow_private=allow_private)
    if answer.status != 200 and not holds_error(answer.content):
        raise HarvestError(f"{asked}: the server answered with {answer.status}.")
    # Some repositories answer with something else, but can be harvested all the same.
    name = read_page(url, answer.content).root.findtext(f"{OAI}Identify/{OAI}repositoryName") or ""
    return " ".join(name.split()) or url


def harvest(kept: Kept, *, allow_private: bool, clock: Clock, follow: Callable[[Progress], None]) -> None:
    """Fetch the pages that are not kept yet.

    A harvest that was interrupted resumes. It restarts once if the repository no longer accepts the resumption token.

    Parameters
    ----------
    kept : Kept
        Store of the fetched pages, with the query.
    allow_private : bool
        Allow repositories in a private network.
    follow : callable
        Progress callback, called for each page and each wait.

    Raises
    ------
    HarvestError
        If the URL can't be requested or is no OAI-PMH repository, if it refuses or doesn't answer, or its list has no
        end.
    """
    client = PoliteClient(
        allow_private=allow_private, clock=clock, say=lambda note: follow(Progress(kept.n_records, note=note))
    )
    if kept.n_pages:
        follow(Progress(kept.n_records, note=f"Going on after {kept.n_records:,} records that came before."))
    try:
        _fetch(kept, client, follow)
    except LostTokenError as error:
        follow(Progress(0, note=f"{error} Starting again."))
        kept.restart()
        try:
            _fetch(kept, client, follow)
        except LostTokenError:
            kept.restart()  # the next harvest would only ask by this token again
            raise


def read_harvest(kept: Kept, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of a harvest whose pages are all kept, in the order they came; deleted ones are left out.

    So is, unless the query names a first day, what the last harvest brought already. Where a record changed while the
    harvest ran and came twice, the later counts.

    Parameters
    ----------
    problems : Problems
        Receives each record without title or of another format, whose row counts records, from 1, and each one that is
        not well-formed XML.
    """
    known = kept.mark.known if kept.mark and kept.query.since is None else {}
    last_rows = {_header(record)[0] or row: row for row, record in enumerate(_records(kept), start=1)}
    for damage in kept.damages():
        _report(kept, damage, problems)
    taken = set[str]()
    for row, record in enumerate(_records(kept), start=1):
        name, stamp = _header(record)
        if known.get(name) == stamp or last_rows[name or row] != row:
            continue
        try:
            entry = to_entry(kept.path, record, kept.query.metadata)
        except UnreadableFileError as error:
            problems.skip(UnreadableFileError(error.path, error.reason, row=row, name=kept.query.name))
            continue
        if entry and entry.paper.paper_id not in taken:  # two records may be of the same paper
            taken.add(entry.paper.paper_id)
            yield entry


def _report(kept: Kept, damage: Damage, problems: Problems) -> None:
    reason = f"{damage.record}: {damage.reason}"
    if damage.is_left_out:
        problems.skip(UnreadableFileError(kept.path, reason, name=kept.query.name))
    else:
        problems.repair(Repair(kept.query.name, reason))


def finish(kept: Kept) -> None:
    """Record that the papers are imported: the next harvest asks for later ones, and the pages go."""
    first = _page(kept, next(kept.pages()))
    today = kept.now.date()  # a repository that is ahead of us must not make us miss what comes
    day = min(_day(first.answered) or today, today, kept.query.until or today)
    headers = (_header(record) for record in _records(kept))
    kept.finish(Mark(day, {name: stamp for name, stamp in headers if stamp[:10] >= day.isoformat()}))


def _fetch(kept: Kept, client: PoliteClient, follow: Callable[[Progress], None]) -> None:
    url, tokens = kept.query.url, {kept.token}
    while kept.token != "":
        page = read_page(url, client.get(request(url, _arguments(kept))))
        is_too_much = kept.n_pages >= MOST_PAGES or kept.n_bytes > MOST_BYTES
        if (page.token and page.token in tokens) or is_too_much:
            raise HarvestError(f"{url}: the list does not end. Report this to the repository's operators.")
        tokens.add(page.token)
        kept.add(etree.tostring(page.root, encoding="unicode"), page.token, len(page.records), page.damages)
        follow(Progress(kept.n_records, page.n_total))


def _arguments(kept: Kept) -> dict[str, str]:
    if kept.token:
        return {"verb": "ListRecords", "resumptionToken": kept.token}
    days = {"from": kept.since, "until": kept.query.until}
    arguments = {"verb": "ListRecords", "metadataPrefix": kept.query.metadata}
    arguments |= {name: day.isoformat() for name, day in days.items() if day}
    return {**arguments, "set": kept.query.set_} if kept.query.set_ else arguments


def _records(kept: Kept) -> Iterator[etree._Element]:
    for page in kept.pages():
        yield from _page(kept, page).records


def _page(kept: Kept, page: str) -> Page:
    return read_page(kept.query.url, page.encode())


def _header(record: etree._Element) -> tuple[str, str]:
    name, stamp = (record.findtext(f"{OAI}header/{OAI}{part}") or "" for part in ("identifier", "datestamp"))
    return name.strip(), stamp.strip()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
