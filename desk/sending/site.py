"""Public pages of a service: a page per report issue, an archive and feeds per report, and an index of reports.

They are static files with relative links, for any web server. They contain only published content: no private notes, no
readers and no drafts.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.publications import publication_log
from presort.data.errors import DataError, RefusedError
from presort.data.records import REPORT_CODE, Report, ReportIssue
from presort.data.store import Store
from presort.desk.sending.feeds import Feed, atom, rss
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.templates import Templates
from presort.desk.session.publication import published_papers

IN_FEEDS = 20  # newest issues
SERVICE = "feeds"  # setting with the unique id of this service's feeds
PAGES = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].html"

Published = dict[str, dict[date, ReportIssue]]


def write_site(store: Store, folder: Path, *, url: str = "") -> int:
    """Write all public pages into a folder, and return the number of report issues with a page.

    Each file is replaced atomically. Pages are written before the pages that link to them. The page of a reopened
    report issue is deleted.

    Parameters
    ----------
    store : Store
    folder : Path
        Target folder. Created if it doesn't exist.
    url : str
        Public address of the folder, for links in feeds. If empty, these links are relative.

    Raises
    ------
    DataError
        If a file can't be written, or a template of the workspace is invalid.
    """
    reports = catalogue.reports(store, retired=True)
    for report in reports:
        if not REPORT_CODE.fullmatch(report.code):
            raise RefusedError(f"Can't write pages of the report {report.code!r}: its code is not a valid folder name.")
    by_report = {report.code: publications.published(store, report.code) for report in reports}
    site = _Site(store, folder, by_report, url)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".presort-", dir=folder) as unfinished:
            site.write(reports, Path(unfinished))
    except OSError as error:
        raise DataError(f"Can't write {error.filename or folder}: {error.strerror}.") from error
    return sum(map(len, by_report.values()))


class _Site:
    """Writer of all pages, with the data that they share."""

    def __init__(self, store: Store, folder: Path, published: Published, url: str) -> None:
        self.store, self.folder, self.published_issues, self.url = store, folder, published, url
        self.desk, self.templates = Desk(store), Templates(store.folder)
        self.heads: dict[str, list[dict[str, object]]] = defaultdict(list)  # rows of each archive, newest first
        self.newest: dict[str, list[tuple[Letter, str]]] = defaultdict(list)  # entries of each feed

    def write(self, reports: list[Report], unfinished: Path) -> None:
        for letter in self._letters():
            self._write(unfinished, f"{letter.code}/{letter.issue}.html", self.templates.page(letter).encode())
            self.heads[letter.code].append({"issue": letter.issue, "counted": letter.counted})
            if letter.published_at is not None:
                self.newest[letter.code].append((letter, self.templates.papers(letter)))
        shown = [report for report in reports if self.heads[report.code] or (self.folder / report.code).is_dir()]
        service = _service(self.store)
        for report in shown:
            values = {"code": report.code, "name": report.name, "is_retired": report.is_retired}
            archive = self.templates.render("archive.html.j2", **values, issues=self.heads[report.code])
            feed = Feed(report.code, report.name, self.newest[report.code], service, self.url)
            for file, content in (("index.html", archive.encode()), ("atom.xml", atom(feed)), ("rss.xml", rss(feed))):
                self._write(unfinished, f"{report.code}/{file}", content)
        self._write(unfinished, "index.html", self._index(reports).encode())
        for report in shown:
            current = {f"{day}.html" for day in self.published_issues[report.code]}
            for page in (self.folder / report.code).glob(PAGES):
                if page.name not in current:
                    page.unlink()

    def _letters(self) -> Iterator[Letter]:
        """Yield the letters of all report issues, those of the newest issue first."""
        in_feeds = {code: sorted(issues)[-IN_FEEDS:] for code, issues in self.published_issues.items()}
        for day in sorted({day for issues in self.published_issues.values() for day in issues}, reverse=True):
            papers = catalogue.papers(self.store, day)
            for code, issues in self.published_issues.items():
                if day in issues:
                    is_new = day in in_feeds[code]
                    published_at = publication_log(self.store, code, day)[-1].made_at if is_new else None
                    published = published_papers(self.store, issues[day], papers)
                    yield self.desk.letter(issues[day], published, published_at=published_at)

    def _index(self, reports: list[Report]) -> str:
        shown = [
            {
                "code": report.code,
                "name": report.name,
                "is_retired": report.is_retired,
                "newest": max(self.published_issues[report.code]),
            }
            for report in reports
            if self.published_issues[report.code]
        ]
        return self.templates.render("index.html.j2", reports=shown)

    def _write(self, unfinished: Path, name: str, content: bytes) -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        file = unfinished / "file"
        file.write_bytes(content)
        file.replace(self.folder / name)


def _service(store: Store) -> UUID:
    """Return the unique id of this service. Generated on the first call."""
    known = catalogue.setting(store, SERVICE)
    if known is None:
        known = str(uuid4())
        catalogue.set_setting(store, SERVICE, known)
    return UUID(known)
