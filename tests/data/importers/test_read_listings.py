import re
import tarfile
import zipfile
from datetime import date
from pathlib import Path

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.choices import Choices
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Problems
from presort.data.records import ListedPaper, Origin

ISSUE = date(2026, 11, 16)
CHOICES = Choices(issue=ISSUE)
SERIES = "Template-Type: ReDIF-Series 1.0\nName: Papers of ABC\nHandle: RePEc:abc:wpaper\n"
CSV = "paper_id,title,issue,reports\nc1,Jobs,2026-11-09,mac\n"
AMF = "<amf xmlns='http://amf.openlib.org'>\n<text id='x1'><title>Trade</title></text>\n</amf>"
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'>\n<entry><id>http://arxiv.org/abs/2601.00001v1</id>"
    "<title>Growth</title></entry></feed>"
)


def template(number: int, title: str = "Wages") -> str:
    return f"Template-Type: ReDIF-Paper 1.0\nTitle: {title}\nHandle: RePEc:abc:wpaper:{number}\n"


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def ids(path: Path, choices: Choices = CHOICES) -> list[str]:
    return [listed.paper.paper_id for listed in read_listings(path, choices)]


def kept_and_left_out(path: Path, choices: Choices = CHOICES) -> tuple[list[str], list[str]]:
    left_out: list[UnreadableFileError] = []
    kept = [listed.paper.paper_id for listed in read_listings(path, choices, problems=Problems(left_out.append))]
    return kept, list(map(str, left_out))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        pytest.param("a.csv", "paper_id,title\np1,Wages\n", "p1", id="csv"),
        pytest.param("a.tsv", "paper_id\ttitle\np1\tWages\n", "p1", id="tsv"),
        pytest.param("a.rdf", template(1), "RePEc:abc:wpaper:1", id="rdf"),
        pytest.param("a.ReDIF", template(1), "RePEc:abc:wpaper:1", id="redif"),
        pytest.param("a.ris", "TY  - JOUR\nID  - p1\nTI  - Wages\nER  - \n", "p1", id="ris"),
        pytest.param("a.bib", "@misc{p1, title = {Wages}}", "p1", id="bib"),
        pytest.param("a.amf.xml", AMF, "x1", id="amf"),
        pytest.param("a.xml", f"<?xml version='1.0'?>\n<!-- by hand -->\n{AMF}", "x1", id="amf-after-a-comment"),
        pytest.param("a.xml", ATOM, "arXiv:2601.00001", id="atom-as-xml"),
        pytest.param("a.atom", ATOM, "arXiv:2601.00001", id="atom"),
        pytest.param(
            "a.rss",
            "<rss version='2.0'><channel><item><title>Growth</title><guid>http://a.example/1</guid></item></channel></rss>",
            "http://a.example/1",
            id="rss",
        ),
    ],
)
def test_the_extension_determines_the_format(tmp_path, name, content, expected):
    (listed,) = read_listings(write(tmp_path / name, content), Choices(issue=ISSUE, selected_by=("lab",)))
    assert (listed.paper.paper_id, listed.issue, listed.selected_by) == (expected, ISSUE, ("lab",))
    assert listed.origin is not None
    assert listed.origin.file == name


def test_data_in_the_file_takes_precedence_over_the_options(tmp_path):
    (listed,) = read_listings(write(tmp_path / "a.csv", CSV), Choices(issue=ISSUE, selected_by=("lab", "mac")))
    assert (listed.issue, listed.selected_by) == (date(2026, 11, 9), ("mac", "lab"))


def test_columns_are_passed_on(tmp_path):
    path = write(tmp_path / "a.csv", "no,what,other\np1,Wages,Jobs\n")
    (listed,) = read_listings(path, Choices(issue=ISSUE, columns={"paper_id": "no", "title": "other"}))
    assert listed.paper.title == "Jobs"


def test_origins_are_lines_and_rows(tmp_path):
    write(tmp_path / "week" / "a.csv", CSV)
    write(tmp_path / "week" / "sub" / "b.rdf", "\n\n" + template(1))
    origins = [listed.origin for listed in read_listings(tmp_path / "week", CHOICES)]
    assert origins == [Origin("a.csv", 2), Origin("sub/b.rdf", 3)]


def fill(folder: Path) -> None:
    write(folder / "2.rdf", template(2) + template(3))
    write(folder / "1.rdf", template(1))
    write(folder / "sub" / "series.rdf", SERIES)
    write(folder / ".hidden.rdf", "no ReDIF")
    write(folder / ".git" / "x.rdf", "no ReDIF")


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*.rdf"):
            archive.write(file, file.relative_to(folder))
    return path


def tarred(folder: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, ".")
    return path


@pytest.mark.parametrize("kind", ["folder", "zip", "tar.gz", "tgz", "zip-in-folder"])
def test_folders_and_archives_yield_the_papers_of_all_their_files(tmp_path, kind):
    fill(tmp_path / "week")
    path = {
        "folder": lambda: tmp_path / "week",
        "zip": lambda: zipped(tmp_path / "week", tmp_path / "week.zip"),
        "tar.gz": lambda: tarred(tmp_path / "week", tmp_path / "week.tar.gz"),
        "tgz": lambda: tarred(tmp_path / "week", tmp_path / "week.tgz"),
        "zip-in-folder": lambda: zipped(tmp_path / "week", write(tmp_path / "all" / "x.zip", "")).parent,
    }[kind]()
    listings = list(read_listings(path, CHOICES))
    assert [listed.paper.paper_id[-1] for listed in listings] == ["1", "2", "3"]
    assert {listed.paper.series for listed in listings} == {"Papers of ABC"}, "the series is named in another file"
    inside = "x.zip/" if kind == "zip-in-folder" else ""
    assert listings[-1].origin == Origin(f"{inside}2.rdf", 4)


REFERENCE = "@misc{{lee, title={{{}}}}}\n"


@pytest.mark.parametrize("is_one_file", [pytest.param(True, id="one-file"), pytest.param(False, id="two-files")])
def test_an_identical_record_is_read_once(tmp_path, is_one_file):
    path = twice(
        tmp_path, ".rdf", template(1), template(1).replace("\n", "\r\n") + "X-Id: 7\n", is_one_file=is_one_file
    )
    assert ids(path) == ["RePEc:abc:wpaper:1"]


@pytest.mark.parametrize("is_one_file", [pytest.param(True, id="one-file"), pytest.param(False, id="two-files")])
def test_a_handle_described_again_is_an_update(tmp_path, is_one_file):
    path = twice(tmp_path, ".rdf", template(1), template(1, "Jobs"), is_one_file=is_one_file)
    assert [(listed.paper.title, listed.paper.paper_id) for listed in read_listings(path, CHOICES)] == [
        ("Wages", "RePEc:abc:wpaper:1"),
        ("Jobs", "RePEc:abc:wpaper:1"),
    ]


def test_a_key_of_two_files_may_mean_two_papers(tmp_path):
    path = twice(tmp_path, ".bib", REFERENCE.format("Wages"), REFERENCE.format("Jobs"), is_one_file=False)
    reason = "'lee' is already in this issue with different data, in a.bib, line 1. Give each paper its own id"
    message = f"b.bib, line 1: {reason}"
    with pytest.raises(UnreadableFileError, match=f"^{re.escape(message)}$"):
        ids(path)
    assert kept_and_left_out(path) == (["lee"], [message])


@pytest.mark.parametrize(
    ("paper_id", "is_update"),
    [
        pytest.param("10.1257/aer.1", True, id="doi"),
        pytest.param("arXiv:2601.00001", True, id="arxiv"),
        pytest.param("http://a.example/1", True, id="address"),
        pytest.param("title:0123456789abcdef", True, id="made-of-words"),
        pytest.param("lee:2019", False, id="key"),
        pytest.param("17", False, id="number"),
    ],
)
def test_globally_unique_ids(tmp_path, paper_id, is_update):
    path = write(tmp_path / "a.csv", f"paper_id,title\n{paper_id},Wages\n{paper_id},Jobs\n")
    kept, left_out = kept_and_left_out(path)
    assert (len(kept), len(left_out)) == ((2, 0) if is_update else (1, 1))


def twice(folder: Path, ending: str, first: str, second: str, *, is_one_file: bool) -> Path:
    if is_one_file:
        return write(folder / f"a{ending}", first + second)
    path = write(folder / "week" / f"a{ending}", first).parent
    write(path / f"b{ending}", second)
    return path


def test_the_same_paper_in_two_issues_is_no_repetition(tmp_path):
    path = write(tmp_path / "a.csv", CSV + "c1,Jobs,2026-11-16,\n")
    assert [listed.issue.day for listed in read_listings(path)] == [9, 16]


HALF_GOOD = {
    "a.rdf": (template(1) + template(2).replace("Title", "Name") + template(3), 2, "line 4: the template has no Title"),
    "a.ris": (
        "TY  - A\nID  - 1\nTI  - a\nER  - \nTY  - A\nID  - 2\nER  - \nTY  - A\nID  - 3\nTI  - c\nER  - \n",
        2,
        "line 5: '2' has no title",
    ),
    "lost.ris": (
        "TY  - A\nID  - 1\nTI  - a\nTY  - A\nID  - 2\nTI  - b\nER  - \nTI  - x\nAU  - y\nER  - \n"
        "TY  - A\nID  - 3\nTI  - c\nER  - \n",
        3,
        "line 8: TI is outside of a record",
    ),
    "a.bib": ("@misc{a, title={a}}\n@misc{b, year=1}\n@misc{a, title={c}}\n@misc{d, title={d}}\n", 2,
              "line 2: 'b' has no title|a.bib, line 3: the key 'a' is already used by the entry in line 1"),
    "a.xml": (AMF.replace("</amf>", "<text id='x2'><date/></text><text id='x3'><title>b</title></text></amf>"), 2,
              "line 3: 'x2' has no title"),
    "long.csv": (CSV + f"{'x' * 501},Trade,2026-11-09,\n{'x' * 500},Growth,2026-11-09,\n", 2,
                 "row 3: the id 'xxxxxxxxxxxxxxxxxxxx'… has 501 characters; at most 500 are allowed"),
    "a.csv": (CSV + "c2,,2026-11-09,\nc3,Growth,2026-11-09,\n", 2, "row 3, column title: no title"),
    "cut.xml": (AMF.replace("</amf>", "<text id='x2'>"), 1, "line 3: the record is not well-formed XML"),
    "huge.rdf": (template(1) + template(2) + "Abstract: " + "x" * 1_100_000, 1, "line 7: the line has more than"),
}  # fmt: skip


@pytest.mark.parametrize("name", HALF_GOOD)
def test_a_file_with_invalid_records_is_refused_or_read_without_them(tmp_path, name):
    content, n_kept, reasons = HALF_GOOD[name]
    path = tmp_path / name
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    kept, left_out = kept_and_left_out(path)
    assert len(kept) == n_kept
    assert len(left_out) == len(reasons.split("|"))
    assert all(
        error.startswith((f"{name}, {reason}", reason))
        for error, reason in zip(left_out, reasons.split("|"), strict=True)
    )
    with pytest.raises(UnreadableFileError) as caught:
        ids(path)
    assert str(caught.value) == left_out[0]


def test_unreadable_files_in_a_folder_are_skipped_and_named(tmp_path):
    write(tmp_path / "week" / "a.rdf", template(1))
    write(tmp_path / "week" / "sub" / "b.rdf", "no ReDIF")
    write(tmp_path / "week" / "notes.txt", "read me")
    write(tmp_path / "week" / "x.zip", "no archive")
    kept, left_out = kept_and_left_out(tmp_path / "week")
    assert kept == ["RePEc:abc:wpaper:1"]
    zip_error, text_error, redif_error = left_out
    assert zip_error.startswith("x.zip: is damaged or is not an archive")
    assert text_error.startswith("notes.txt: has an unknown format. Presort imports .atom, .bib, .ciw, .csv")
    assert redif_error.startswith("sub/b.rdf, line 1: text before the first Template-Type line")


def test_an_empty_folder(tmp_path):
    (tmp_path / "week").mkdir()
    write(tmp_path / "week" / ".hidden", "")
    with pytest.raises(UnreadableFileError, match=r"^week: contains no files to import$"):
        ids(tmp_path / "week")


def test_papers_without_an_issue(tmp_path):
    path = write(tmp_path / "a.rdf", template(1) + template(2))
    with pytest.raises(UnreadableFileError, match=r"^a\.rdf: no issue$") as caught:
        ids(path, Choices())
    assert caught.value.missing == "issue"
    path = write(tmp_path / "a.csv", CSV + "c2,Wages,,\n")
    with pytest.raises(UnreadableFileError, match=r"^a\.csv, row 3: no issue"):
        ids(path, Choices())
    assert kept_and_left_out(path, Choices())[0] == ["c1"]


def test_a_first_row_without_an_issue_does_not_end_the_file(tmp_path):
    path = write(tmp_path / "a.csv", "paper_id,title,issue\nc1,Wages,\nc2,Jobs,2026-11-02\nc3,Trade,\n")
    assert kept_and_left_out(path, Choices()) == (["c2"], ["a.csv, row 2: no issue", "a.csv, row 4: no issue"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "not well-formed XML", id="empty"),
        pytest.param("prose\n", "not well-formed XML", id="prose"),
        pytest.param("<html><body/></html>", "looks like a web page", id="html"),
        pytest.param(
            "<tei><body/></tei>",
            "has an unsupported XML format, with the root element <tei>. The supported formats are AMF,",
            id="other",
        ),
        pytest.param(
            "<!DOCTYPE amf [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + AMF,
            "its document type has declarations",
            id="type",
        ),
    ],
)
def test_xml_of_other_kinds(tmp_path, content, message):
    with pytest.raises(UnreadableFileError, match=message):
        ids(write(tmp_path / "a.xml", content))


def test_a_listed_paper_has_every_field(tmp_path):
    (listed,) = read_listings(write(tmp_path / "a.rdf", template(1) + "DOI: https://doi.org/10.1/X\n"), CHOICES)
    assert listed == ListedPaper(listed.paper, ISSUE, (), Origin("a.rdf", 1), is_only_if_new=True)
    assert listed.paper.doi == "10.1/x"


def test_a_doi_in_addition_to_another_id(tmp_path):
    path = write(
        tmp_path / "a.bib", "@misc{a, title={b}, paper_id={p1}, doi={10.1/X}}\n@misc{c, title={d}, doi={10.1/Y}}"
    )
    assert [(listed.paper.paper_id, listed.paper.doi) for listed in read_listings(path, CHOICES)] == [
        ("p1", "10.1/x"),
        ("10.1/y", "10.1/y"),
    ]
