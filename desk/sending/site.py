"""Public pages of a service: one page per report issue, an archive and feeds for each report, and an index of reports.

They are static files with relative links that any web server can serve. They contain only published content: no private
notes, no readers' data and no drafts.

The folder also contains a list of its pages (`LIST`). With this list, thousands of unchanged pages need not be rendered
after each publication. If the list is missing, or if templates, names or editors have changed since it was written, all
pages are written.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.errors import DataError, RefusedError
from presort.data.mail.unsent import publication_times
from presort.data.records import REPORT_CODE, Report, ReportIssue
from presort.data.store import Store
from presort.desk.scores.outcomes import spell_count
from presort.desk.sending.feeds import Feed, atom, rss
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.templates import Templates
from presort.desk.session.publication import published_papers

IN_FEEDS = 20  # number of newest issues in a feed
SERVICE = "feeds"  # setting that stores the unique id of this service's feeds
PAGES = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].html"
LIST = ".presort-pages.json"
PUBLIC_FOLDER, PUBLIC_FILE = 0o755, 0o644  # the web server must be able to read the files, whatever the service's umask

Key = tuple[str, date]  # report and issue


def write_site(
    store: Store, folder: Path, *, url: str = "", until: datetime | None = None, is_full: bool = True
) -> int:
    """Write the public pages to a folder, and return the number of report issues that have a page.

    Each file is replaced atomically, and only if its content changes. Pages are written before the pages that link to
    them. If a report issue is reopened, its page is deleted.

    Parameters
    ----------
    store : Store
    folder : Path
        Target folder. Created if it doesn't exist.
    url : str
        Public address of the folder, used for links in feeds. If it is empty, these links are relative.
    until : datetime, optional
        Report issues published at the desk after this time are left out. Defaults to no limit.
    is_full : bool
        Render all pages. If False, only the pages of report issues published since the last call for this folder are
        rendered.

    Raises
    ------
    DataError
        If a file can't be written, or a template of the workspace is invalid.
    """
    reports = catalogue.reports(store, retired=True)
    for report in reports:
        if not REPORT_CODE.fullmatch(report.code):
            raise RefusedError(f"Can't write pages of the report {report.code!r}: its code is not a valid folder name.")
    times = publication_times(store, until)
    published = {
        report.code: {
            day: one for day, one in publications.published(store, report.code).items() if (report.code, day) in times
        }
        for report in reports
    }
    # Leave out report issues that were reopened between the two queries.
    times = {key: time for key, time in times.items() if key[1] in published[key[0]]}
    site = _Site(store, folder, published, times, url)
    try:
        _make_folder(folder)
        with TemporaryDirectory(prefix=".presort-", dir=folder) as unfinished:
            site.write(reports, Path(unfinished), is_full=is_full)
    except OSError as error:
        raise DataError(f"Can't write {error.filename or folder}: {error.strerror}.") from error
    return sum(map(len, published.values()))


@dataclass
class _PageList:
    """List of the pages in a folder.

    Attributes
    ----------
    basis : str
        Hash of everything that the pages depend on, except for report issues.
    pages : dict
        Publication time and number of papers, by report and issue.
    """

    basis: str = ""
    pages: dict[Key, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "_PageList":
        """Read a folder's list of pages. Returns an empty list if the file is missing or damaged."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            found = json.loads(path.read_bytes())
            pages = {(str(code), date.fromisoformat(day)): (str(time), int(n)) for code, day, time, n in found["pages"]}
            return cls(str(found["basis"]), pages)
        return cls()

    def serialise(self) -> bytes:
        """Return the list as JSON."""
        pages = [(code, str(day), *values) for (code, day), values in sorted(self.pages.items())]
        return json.dumps({"basis": self.basis, "pages": pages}).encode()


class _Site:
    """Writer for all pages, with the data that they share."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        published: Mapping[str, Mapping[date, ReportIssue]],
        times: Mapping[Key, datetime],
        url: str,
    ) -> None:
        self.store, self.folder, self.published_issues, self.times, self.url = store, folder, published, times, url
        self.desk, self.templates, self.service = Desk(store), Templates(store.folder), _service(store)
        self.newest: dict[str, list[tuple[Letter, str]]] = defaultdict(list)  # newest entries for each feed

    def write(self, reports: list[Report], unfinished: Path, *, is_full: bool) -> None:
        basis = self._basis(reports)
        listed = _PageList.read(self.folder / LIST)
        if is_full or listed.basis != basis:
            listed = _PageList()
        pages = {key: time.isoformat() for key, time in self.times.items()}
        changed = {key for key, time in pages.items() if listed.pages.get(key, ("", 0))[0] != time}
        codes = {code for code, _ in changed | (listed.pages.keys() - pages.keys())}
        if not listed.basis:
            codes = {report.code for report in reports}
        counts = {key: n for key, (_, n) in listed.pages.items()}
        for letter in self._letters(changed, codes):
            counts[letter.code, letter.issue] = len(letter.papers)
            if (letter.code, letter.issue) in changed:
                self._write(unfinished, f"{letter.code}/{letter.issue}.html", self.templates.page(letter).encode())
            if letter.published_at is not None:
                self.newest[letter.code].append((letter, self.templates.papers(letter)))
        shown = [one for one in reports if one.code in codes and self._is_shown(one.code)]
        for report in shown:
            self._write_report(unfinished, report, counts)
        self._write(unfinished, "index.html", self._index(reports).encode())
        for report in shown:
            self._delete_old(report.code)
        now = _PageList(basis, {key: (time, counts[key]) for key, time in pages.items()})
        # Written last: if this call is interrupted, the next call finds the old list and writes the pages again.
        self._write(unfinished, LIST, now.serialise())

    def _is_shown(self, code: str) -> bool:
        return bool(self.published_issues[code]) or (self.folder / code).is_dir()

    def _write_report(self, unfinished: Path, report: Report, counts: Mapping[Key, int]) -> None:
        """Write a report's archive and feeds."""
        days = sorted(self.published_issues[report.code], reverse=True)
        issues = [{"issue": day, "counted": spell_count(counts[report.code, day], "paper")} for day in days]
        values = {"code": report.code, "name": report.name, "is_retired": report.is_retired}
        archive = self.templates.render("archive.html.j2", **values, issues=issues)
        feed = Feed(report.code, report.name, self.newest[report.code], self.service, self.url)
        for file, content in (("index.html", archive.encode()), ("atom.xml", atom(feed)), ("rss.xml", rss(feed))):
            self._write(unfinished, f"{report.code}/{file}", content)

    def _delete_old(self, code: str) -> None:
        """Delete the pages of reopened report issues."""
        current = {f"{day}.html" for day in self.published_issues[code]}
        for page in (self.folder / code).glob(PAGES):
            if page.name not in current:
                page.unlink()

    def _letters(self, changed: set[Key], codes: set[str]) -> Iterator[Letter]:
        """Yield the letters for changed report issues and for the feeds of changed reports, newest issue first."""
        in_feeds = {(code, day) for code in codes for day in sorted(self.published_issues[code])[-IN_FEEDS:]}
        wanted = defaultdict(list)
        for code, issues in self.published_issues.items():
            for day in issues:
                if (code, day) in changed or (code, day) in in_feeds:
                    wanted[day].append(code)
        for day in sorted(wanted, reverse=True):
            papers = catalogue.papers(self.store, day)
            for code in wanted[day]:
                one = self.published_issues[code][day]
                published_at = self.times[code, day] if (code, day) in in_feeds else None
                yield self.desk.letter(one, published_papers(self.store, one, papers), published_at=published_at)

    def _basis(self, reports: list[Report]) -> str:
        """Return a hash of everything that the pages depend on, except for report issues."""
        desk = self.desk
        about = [
            version("presort"),
            self.url,
            [(report.code, report.name, report.is_retired) for report in reports],
            [*map(str, desk.editorships)],
            sorted(desk.affiliations.items()),
            self.templates.fingerprint(),
        ]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()

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
        """Replace a file only if its content has changed, so that browsers and proxies can cache unchanged files."""
        target = self.folder / name
        if target.is_file() and target.read_bytes() == content:
            return
        _make_folder(target.parent)
        file = unfinished / "file"
        file.write_bytes(content)
        file.chmod(PUBLIC_FILE)
        file.replace(target)


def _make_folder(folder: Path) -> None:
    """Create a public folder if it doesn't exist."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(PUBLIC_FOLDER)


def _service(store: Store) -> UUID:
    """Return the unique id of this service. It is generated on the first call."""
    known = catalogue.setting(store, SERVICE)
    if known is None:
        known = str(uuid4())
        catalogue.set_setting(store, SERVICE, known)
    return UUID(known)
