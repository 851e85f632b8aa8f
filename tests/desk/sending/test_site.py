"""Public pages and feeds."""

import re
from datetime import date, timedelta
from uuid import UUID

import feedparser
import pytest
from lxml import etree, html

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import save_draft
from presort.data.editing.publications import publication_log, reopen
from presort.data.errors import DataError
from presort.data.intake.commit_import import commit_import
from presort.data.mail.readers import add_readers
from presort.data.records import Decision, Draft, Editorship, ListedPaper, Paper, Report
from presort.data.running import people
from presort.data.store import open_store
from presort.desk.sending import site
from presort.desk.sending.feeds import Feed, atom, rss
from presort.desk.sending.site import write_site

FIRST = date(2026, 11, 2)
DAYS = [FIRST + timedelta(weeks=week) for week in range(3)]
HOSTILE = "Wages <script>alert(1)</script> {{ 7 * 7 }} & \uffff العمل"


@pytest.fixture
def lab(tmp_path):
    """Three issues. One report has published the first two and selected papers of the third, another has nothing."""
    store = open_store(tmp_path / "workspace")
    papers = [ListedPaper(Paper(f"arXiv:26{day:%d}.0000{n}", f"{HOSTILE} {day}"), day) for day in DAYS for n in (1, 2)]
    commit_import(store, papers, person="import")
    catalogue.add_reports(store, [Report("lab", f"Labour {HOSTILE}"), Report("his", "History")])
    people.add_editorship(store, Editorship("lab", "Ann Lee", FIRST), person="Dee", affiliation="University of X")
    add_readers(store, "lab", [("reader@example.org", "Secret Reader")], person="Dee")
    for day in DAYS:
        decisions.decide(store, [Decision("lab", day, f"arXiv:26{day:%d}.00001", "yes", "Ann Lee")])
        save_draft(store, Draft("lab", day, (), f"Note of {day}.", f"Private of {day}."), person="Ann Lee")
    for day in DAYS[:2]:
        publications.publish_report_issue(store, "lab", day, [1, 2], ranking_id=None, person="Ann Lee")
    yield store
    store.close()


def written(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_pages_contain_published_papers_and_nothing_private(lab, tmp_path):
    assert write_site(lab, tmp_path / "site" / "public") == 2
    pages = written(tmp_path / "site" / "public")
    assert set(pages) == {
        site.LIST,
        "index.html",
        *(f"lab/{name}" for name in ("index.html", "atom.xml", "rss.xml", f"{DAYS[0]}.html", f"{DAYS[1]}.html")),
    }
    everything = "".join(pages.values())
    for private in ("Private of", "reader@", "Secret", str(DAYS[2]), "<script", ".00002"):
        assert private not in everything
    page = html.document_fromstring(pages[f"lab/{DAYS[0]}.html"])
    assert "one paper, chosen by Ann Lee, University of X" in page.text_content()
    assert f"Note of {DAYS[0]}." in page.text_content()
    assert HOSTILE in page.text_content()
    archive = html.document_fromstring(pages["lab/index.html"])
    assert [link.text for link in archive.xpath("//main//a")] == [str(DAYS[1]), str(DAYS[0])]


def test_links_are_relative_and_lead_to_a_page(lab, tmp_path):
    write_site(lab, tmp_path / "site")
    n_links = 0
    for name, content in written(tmp_path / "site").items():
        if name.endswith(".html"):
            links = html.document_fromstring(content).xpath("//a/@href | //link/@href")
            for link in links:
                n_links += 1
                if not link.startswith("https://arxiv.org/abs/"):
                    assert ((tmp_path / "site" / name).parent / link).is_file()
    assert n_links == 2 + 2 * 2 + 7


@pytest.mark.parametrize("kind", ["atom", "rss"])
@pytest.mark.parametrize("url", ["", "https://example.org/reports"])
def test_feeds_list_the_published_report_issues(lab, tmp_path, kind, url):
    write_site(lab, tmp_path / "site", url=url)
    read = feedparser.parse((tmp_path / "site" / "lab" / f"{kind}.xml").read_bytes(), sanitize_html=False)
    assert (read.bozo, read.version) == (False, {"atom": "atom10", "rss": "rss20"}[kind])
    where = f"{url}/lab/" if url else ""
    assert read.feed.title == f"Labour {HOSTILE}".replace("\uffff", "\ufffd")
    assert read.feed.link == f"{where}index.html"
    assert [entry.link for entry in read.entries] == [f"{where}{day}.html" for day in (DAYS[1], DAYS[0])]
    assert [entry.title.rpartition(", ")[2] for entry in read.entries] == [str(DAYS[1]), str(DAYS[0])]
    assert len({entry.id for entry in read.entries} | {read.feed.get("id", "")}) == 3
    published_at = publication_log(lab, "lab", DAYS[1])[-1].made_at
    moment = read.entries[0].updated_parsed if kind == "atom" else read.entries[0].published_parsed
    assert moment[:6] == published_at.timetuple()[:6]
    body = read.entries[0].content[0].value if kind == "atom" else read.entries[0].summary
    assert f"Note of {DAYS[1]}." in body
    assert "<script" not in body
    assert HOSTILE.replace("\uffff", "\ufffd") in html.fromstring(f"<div>{body}</div>").text_content()
    hrefs = {link.get("rel"): link.href for link in read.feed.links}
    assert hrefs["self"] == f"{where}{kind}.xml"


def test_feeds_are_valid(lab, tmp_path):
    write_site(lab, tmp_path / "site")
    of_rss = etree.parse(tmp_path / "site" / "lab" / "rss.xml").getroot()
    assert (of_rss.tag, of_rss.get("version")) == ("rss", "2.0")
    assert [child.tag for child in of_rss[0]][:3] == ["title", "link", "description"]
    assert [guid.get("isPermaLink") for guid in of_rss.iter("guid")] == ["false", "false"]
    space = "{http://www.w3.org/2005/Atom}"
    of_atom = etree.parse(tmp_path / "site" / "lab" / "atom.xml").getroot()
    for needed in (of_atom, *of_atom.iter(f"{space}entry")):
        for name in ("id", "title", "updated"):
            assert len(needed.findall(f"{space}{name}")) == 1
        assert UUID(needed.findtext(f"{space}id"))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00", needed.findtext(f"{space}updated"))


def test_a_feed_without_entries_is_valid():
    feed = Feed("lab", "Labour", [], UUID(int=1))
    for content in (atom(feed), rss(feed)):
        read = feedparser.parse(content)
        assert (read.bozo, read.feed.title, read.entries) == (False, "Labour", [])


def test_rewriting_changes_only_reopened_or_renamed_report_issues(lab, tmp_path):
    folder = tmp_path / "site"
    write_site(lab, folder)
    before = written(folder)
    (folder / "lab" / "notes.html").write_text("not ours")
    write_site(lab, folder)
    assert written(folder) == {**before, "lab/notes.html": "not ours"}
    reopen(lab, "lab", DAYS[1], "One is missing.", person="Ann Lee")
    catalogue.retire_report(lab, "lab")
    assert write_site(lab, folder) == 1
    after = written(folder)
    assert set(before) - set(after) == {f"lab/{DAYS[1]}.html"}
    assert "discontinued" in after["lab/index.html"]
    assert str(DAYS[1]) not in "".join(after.values())
    reopen(lab, "lab", DAYS[0], "All of it.", person="Ann Lee")
    assert write_site(lab, folder) == 0
    assert "No report issue has been published yet." in written(folder)["index.html"]
    assert str(DAYS[0]) not in "".join(written(folder).values())


def test_past_selections_that_were_imported_have_pages(store, tmp_path):
    n_issues = write_site(store, tmp_path / "site")
    pages = written(tmp_path / "site")
    assert n_issues == sum("20" in name and name.endswith(".html") for name in pages) > 10
    assert len(feedparser.parse(pages["lab/atom.xml"]).entries) == min(
        site.IN_FEEDS, len(publications.published(store, "lab"))
    )
    assert "chosen by import" not in "".join(pages.values())


def test_an_error_leaves_complete_files_only(lab, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    write_site(lab, folder)
    before = written(folder)
    templates = lab.folder / "templates"
    templates.mkdir()
    (templates / "archive.html.j2").write_text("{{ nobody }}")
    with pytest.raises(DataError, match=r"archive\.html\.j2, line 1"):
        write_site(lab, folder)
    assert written(folder) == before
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"Can't write .*file: "):
        write_site(lab, tmp_path / "file")
    catalogue.add_reports(lab, [Report("../up", "Up")])
    with pytest.raises(DataError, match=r"'../up': its code is not a valid folder name"):
        write_site(lab, folder)
