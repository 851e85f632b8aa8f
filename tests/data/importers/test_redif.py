import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import redif_templates
from presort.data.importers.problems import Problems, Repair
from presort.data.importers.redif import read_names, read_redif
from presort.data.records import Paper
from presort.data.text.cleaning import clean

SHARED = Path(__file__).parents[3] / ".." / "shared" / "redif"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared ReDIF files are not here")

HEAD = "Template-Type: ReDIF-Paper 1.0\nHandle: RePEc:abc:wpaper:1\n"
WAGES = HEAD + "Title: Wages\n"
SERIES = "Template-Type: ReDIF-Series 1.0\nName: Papers of ABC\nHandle: RePEc:ABC:wpaper\n"
ARCHIVE = "Template-Type: ReDIF-Archive 1.0\nHandle: RePEc:abc\nName: The ABC archive\n"

TYPES = {"Paper": "report", "Article": "journal article", "Book": "book", "Chapter": "chapter"}
SAMPLE = (
    SERIES
    + ARCHIVE
    + "".join(
        f"\nTemplate-Type: ReDIF-{kind} 1.0\nTitle: Títle {kind},\n more of it\nAuthor-Name: Ann Lee\n"
        "Author-Workplace-Name: ABC\nAuthor-Name: Bo Chén\nAbstract:\tFirst.\n\nResults: “more”\nunindented.\n"
        f"Classification-JEL: J31; E24. J,\nCreation-Date: 2026-0{number + 1}\nHandle: RePEc:abc:wpaper:{number}\n"
        for number, kind in enumerate(TYPES)
    )
)


def write(folder: Path, content: str | bytes, name: str = "papers.rdf") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def papers_of(path: Path) -> list[Paper]:
    return [entry.paper for entry in read_redif(path)]


def read_one(folder: Path, content: str | bytes) -> Paper:
    (entry,) = read_redif(write(folder, content))
    return entry.paper


def test_a_plain_file(tmp_path):
    assert papers_of(write(tmp_path, SAMPLE)) == [
        Paper(
            paper_id=f"RePEc:abc:wpaper:{number}",
            title=f"Títle {kind}, more of it",
            abstract="First. Results: “more” unindented.",
            authors=("Ann Lee", "Bo Chén"),
            codes=("J31", "E24", "J"),
            series="Papers of ABC",
            date=f"2026-0{number + 1}-01",
            type=type_,
        )
        for number, (kind, type_) in enumerate(TYPES.items())
    ]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + SAMPLE.encode(), id="byte-order-mark"),
        pytest.param(
            SAMPLE.encode().replace(b"\nTempl", b"\n\xef\xbb\xbfTempl"), id="byte-order-marks-of-joined-files"
        ),
        pytest.param(SAMPLE.encode("cp1252"), id="windows-1252"),
        pytest.param(SAMPLE.encode("cp1252").replace("Chén".encode("cp1252"), "Chén".encode()), id="mixed-encodings"),
        pytest.param(SAMPLE.replace("\n", "\r\n"), id="crlf"),
        pytest.param(SAMPLE.replace("\n", "\r"), id="cr"),
        pytest.param(SAMPLE.replace("\n", "\n\n"), id="empty-lines-everywhere"),
        pytest.param(SAMPLE.replace("\n", "\n \t\n"), id="blank-lines-everywhere"),
        pytest.param(SAMPLE.replace("\n more", "\n\tmore"), id="indented-by-a-tab"),
        pytest.param(SAMPLE.replace("\n more", "\nmore"), id="not-indented"),
        pytest.param(SAMPLE.replace(": ", ":\t").replace("Results:\t", "Results: "), id="tabs-after-names"),
        pytest.param(SAMPLE.replace(": ", ":").replace("Results:", "Results: "), id="nothing-after-names"),
        pytest.param(SAMPLE.replace("Template-Type", "template-type").replace("Title:", "TITLE :"), id="case-of-names"),
        pytest.param(SAMPLE.replace("\nTemplate-Type", "\n Template-Type"), id="indented-template-type"),
        pytest.param(SAMPLE.replace("Classification-JEL", "Classification- JEL"), id="space-in-a-name"),
        pytest.param(SAMPLE.replace("Author-Workplace-Name", "Author-Person"), id="clusters"),
        pytest.param(SAMPLE.replace("Author-Workplace-Name: ABC", "Author-Name:"), id="empty-author"),
        pytest.param(SAMPLE.replace("Abstract:", "Abstract:\nAbstract:"), id="empty-abstract-first"),
        pytest.param(SAMPLE.replace("Creation-Date", "Title-Of-Ours: x\nCreation-Date"), id="unknown-name"),
        pytest.param("####\n#  2017  #\n####\n" + SAMPLE, id="comment-in-front"),
        pytest.param(
            SAMPLE.replace("\nTemplate-Type", "\n# 2016\n\n#Title: Old\nTemplate-Type"), id="comments-between"
        ),
        pytest.param(SAMPLE.replace("\n more", "\n# not yet checked\n more"), id="comment-in-a-value"),
        pytest.param(SAMPLE.rstrip(), id="no-last-line-break"),
        pytest.param(SAMPLE + SERIES.replace("ReDIF-Series", "ReDIF-Person"), id="template-without-paper"),
    ],
)
def test_quirks_that_are_fine(tmp_path, content):
    plain = write(tmp_path, SAMPLE, "plain.rdf")
    assert papers_of(write(tmp_path, content)) == papers_of(plain)


def test_a_continuation_line_may_look_like_a_comment(tmp_path):
    assert (
        read_one(tmp_path, WAGES + "Abstract: We ask after\n#MeToo and wages.\n").abstract
        == "We ask after #MeToo and wages."
    )


def test_html_and_entities_are_removed_from_all_texts(tmp_path):
    html = (
        HEAD
        + "Author-Name: Andr&eacute; M&#252;ller\nTitle: &#201;conomie &amp; <i>salaires</i>\nAbstract: <p>Un</p>\n"
    )
    paper = read_one(tmp_path, html)
    assert (paper.authors, paper.title, paper.abstract) == (("André Müller",), "Économie & salaires", "Un")


def test_an_indented_line_opens_no_field(tmp_path):
    assert read_one(tmp_path, WAGES + "Abstract: We ask.\n Title: a word\n").abstract == "We ask. Title: a word"


def test_latin_1(tmp_path):
    assert read_one(tmp_path, (HEAD + "Title: Señal\n").encode("latin-1")).title == "Señal"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("J31, E24", ("J31", "E24"), id="comma"),
        pytest.param("J31;E24;", ("J31", "E24"), id="semicolon"),
        pytest.param("J31 E24", ("J31", "E24"), id="space"),
        pytest.param("J31. E24.", ("J31", "E24"), id="period"),
        pytest.param("E,E6. E52, F,\n F34 ,", ("E", "E6", "E52", "F", "F34"), id="all-of-it"),
        pytest.param("J31, E24, J31", ("J31", "E24"), id="twice"),
        pytest.param("J31\nClassification-JEL: E24", ("J31", "E24"), id="two-lists"),
        pytest.param("", (), id="empty"),
        pytest.param("J31\nClassification-arXiv: cs.LG, math.ST", ("J31", "cs.LG", "math.ST"), id="other-scheme"),
    ],
)
def test_codes(tmp_path, value, expected):
    assert read_one(tmp_path, f"{WAGES}Classification-JEL: {value}\n").codes == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param("Creation-Date: 2026-11-16", "2026-11-16", id="day"),
        pytest.param("Creation-Date: 2026-11", "2026-11-01", id="month"),
        pytest.param("Creation-Date: 2026", "2026-01-01", id="year"),
        pytest.param("Creation-Date: 20020817", "2002-08-17", id="day-without-hyphens"),
        pytest.param("Creation-Date: 200208", "2002-08-01", id="month-without-hyphen"),
        pytest.param("Year: 2002\nMonth: August", "2002-08-01", id="year-and-month"),
        pytest.param("Year: 2002\nMonth: 8", "2002-08-01", id="year-and-number-of-month"),
        pytest.param("Year: 2002\nMonth: Fall", "2002-01-01", id="year-and-season"),
        pytest.param("Year: 2026", "2026-01-01", id="year-of-an-article"),
        pytest.param("Publication-Date: 2025-03\nCreation-Date: 2024", "2024-01-01", id="created-before-published"),
        pytest.param("Creation-Date: 2019-02-30", "", id="no-such-day"),
        pytest.param("Creation-Date: 0000", "", id="no-such-year"),
        pytest.param("Creation-Date: July 1999", "", id="words"),
    ],
)
def test_dates(tmp_path, fields, expected):
    assert read_one(tmp_path, f"{WAGES}{fields}\n").date == expected


@pytest.mark.parametrize("field", ["Creation-Date", "Publication-Date", "Year"])
def test_an_unreadable_date_is_reported(tmp_path, field):
    path, repairs = tmp_path / "a.rdf", list[Repair]()
    path.write_text(f"{WAGES}{field}: circa 199x\n", encoding="utf-8")
    (entry,) = read_redif(path, problems=Problems(repair=repairs.append))
    assert (entry.paper.date, [repair.line for repair in repairs]) == ("", [1])
    assert "'circa 199x' is not a date" in repairs[0].reason


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(WAGES + SERIES, "Papers of ABC", id="below-the-paper"),
        pytest.param(WAGES + ARCHIVE, "The ABC archive", id="archive-only"),
        pytest.param(ARCHIVE + WAGES + "Journal: Labour\n", "Labour", id="journal-before-archive"),
        pytest.param(SERIES + WAGES + "Journal: Labour\n", "Papers of ABC", id="series-before-journal"),
        pytest.param(SERIES.replace("wpaper", "wpapers") + WAGES, "", id="another-series"),
        pytest.param(ARCHIVE + SERIES.replace("Papers of ABC", "") + WAGES, "The ABC archive", id="nameless-series"),
        pytest.param(WAGES, "", id="unknown"),
    ],
)
def test_series(tmp_path, content, expected):
    assert read_one(tmp_path, content).series == expected


def test_names_from_other_files(tmp_path):
    names = read_names(write(tmp_path, SERIES + ARCHIVE, "series.rdf"))
    assert names == {"repec:abc:wpaper": "Papers of ABC", "repec:abc": "The ABC archive"}
    assert read_names(write(tmp_path, SERIES.replace("Papers of ABC", ""))) == {}
    (entry,) = read_redif(write(tmp_path, WAGES), names=names)
    assert entry.paper.series == "Papers of ABC"
    (entry,) = read_redif(write(tmp_path, WAGES + SERIES.replace("Papers", "Studies")), names=names)
    assert entry.paper.series == "Studies of ABC"


def test_a_book_without_authors_has_its_editors(tmp_path):
    assert read_one(tmp_path, WAGES + "Editor-Name: Ann Lee\n").authors == ("Ann Lee",)
    assert read_one(tmp_path, WAGES + "Editor-Name: Ann Lee\nAuthor-Name: Bo Chen\n").authors == ("Bo Chen",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            "", "papers.rdf: contains no template. A template begins with a Template-Type line", id="empty-file"
        ),
        pytest.param("\n\n", "papers.rdf: contains no template", id="empty-lines"),
        pytest.param("\npaper_id,title\n", "papers.rdf, line 2: text before the first Template-Type line", id="csv"),
        pytest.param(WAGES + "\n\n" + HEAD, "papers.rdf, line 6: the template has no Title", id="no-title"),
        pytest.param(WAGES + HEAD + "Title: \0\n", "papers.rdf, line 4: the template has no Title", id="empty-title"),
        pytest.param(
            "Template-Type: ReDIF-Book 1.0\nTitle: Jobs\n",
            "papers.rdf, line 1: the template has no Handle",
            id="no-handle",
        ),
        pytest.param(
            WAGES + WAGES.split("\n", 1)[1].replace(":1", ":2"),
            "line 1: the template has two handles, RePEc:abc:wpaper:1 and RePEc:abc:wpaper:2. Is a Template-Type",
            id="two-handles",
        ),
        pytest.param(
            HEAD + "more\nTitle: Jobs\n", "line 1: the handle 'RePEc:abc:wpaper:1 more' contains a space", id="space"
        ),
        pytest.param(
            WAGES + "Template-Type:\n", "line 4: the Template-Type line names no type. Write for example", id="no-kind"
        ),
        pytest.param(
            WAGES + "Template-Type: ReDIF-Papier 1.0\n", "line 4: unknown template type ReDIF-Papier", id="odd-kind"
        ),
    ],
)
def test_errors_name_the_line(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(UnreadableFileError) as caught:
        list(read_redif(path))
    assert message in str(caught.value)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(WAGES + "Abstract: " + "x" * 1_001, "line 4: the line has more than", id="line"),
        pytest.param(WAGES + WAGES + "Abstract: x\n" * 90, "line 4: the template has more than", id="template"),
    ],
)
def test_oversized_input_is_refused(tmp_path, monkeypatch, content, message):
    monkeypatch.setattr(redif_templates, "LARGEST_TEMPLATE", 1_000)
    with pytest.raises(UnreadableFileError, match=message):
        list(read_redif(write(tmp_path, content)))


def test_the_size_limit_is_per_template_not_per_file(tmp_path, monkeypatch):
    monkeypatch.setattr(redif_templates, "LARGEST_TEMPLATE", 1_000)
    assert len(list(read_redif(write(tmp_path, WAGES * 90)))) == 90


@pytest.mark.whole
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("".join(f"Classification-{number}: x\n" for number in range(40_000)), id="fields"),
        pytest.param("x\n" * 300_000, id="lines"),
        pytest.param("a-" * 400_000, id="hyphens"),
        pytest.param("Classification-JEL:" + " ." * 400_000, id="codes"),
    ],
)
def test_a_pathological_template_is_read_quickly(tmp_path, body):
    path = write(tmp_path, WAGES + body)
    began = time.process_time()
    assert len(list(read_redif(path))) == 1
    assert time.process_time() - began < 20  # would take hours in quadratic time


@pytest.mark.parametrize(
    ("name", "reason"), [pytest.param("missing.rdf", "No such file", id="missing"), pytest.param(".", "Is a", id="dir")]
)
def test_unreadable_paths(tmp_path, name, reason):
    with pytest.raises(UnreadableFileError, match=f"can't be read: {reason}"):
        list(read_redif(tmp_path / name))


@needs_shared
@pytest.mark.parametrize(
    ("name", "n_papers", "n_with_codes", "n_authors"),
    [
        pytest.param("01_latin1_multiline_abstract_emptyJEL.rdf", 39, 0, None, id="01"),
        pytest.param("03_latin1_CRLF_messyJEL.rdf", 25, 25, None, id="03"),
        pytest.param("04_utf8BOM_CRLF_blanklines_noJEL.rdf", 1, 0, 3, id="04"),
        pytest.param("07_utf8_30papers_spaceJEL.rdf", 30, 30, None, id="07"),
        pytest.param("08_utf8_46papers_noJEL.rdf", 46, 0, None, id="08"),
        pytest.param("09_utf8_193papers.rdf", 193, 0, None, id="09"),
        pytest.param("10_two_series_templates.rdf", 0, 0, 0, id="10"),
        pytest.param("11_archive_template.rdf", 0, 0, 0, id="11"),
    ],
)
def test_files_of_archives(name, n_papers, n_with_codes, n_authors):
    papers = papers_of(SHARED / name)
    assert (len(papers), sum(bool(paper.codes) for paper in papers)) == (n_papers, n_with_codes)
    assert all(paper.date for paper in papers)
    lines = (SHARED / name).read_bytes().splitlines()
    filled = sum(line.startswith(b"Author-Name:") and bool(line[12:].strip()) for line in lines)
    assert sum(len(paper.authors) for paper in papers) == (filled if n_authors is None else n_authors)


@needs_shared
def test_names_of_archives():
    assert read_names(SHARED / "10_two_series_templates.rdf") == {
        "repec:epo:papers": "CEPR Reports and Issue Briefs",
        "repec:epo:booksx": "CEPR Books",
    }
    (name,) = read_names(SHARED / "11_archive_template.rdf").values()
    assert name == "Bureau for Economic Research Impumelelo Growth Lab"


def damaged(whole: bytes, dice: random.Random) -> bytes:
    """Change bytes, lines or the encoding of a file."""
    content = bytearray(whole)
    lines = whole.splitlines(keepends=True)
    first, second = dice.randrange(len(lines)), dice.randrange(len(lines))
    match dice.randrange(7):
        case 0:
            for _ in range(dice.choice([1, 2, 5, 50])):
                content[dice.randrange(len(content))] = dice.randrange(256)
        case 1:
            del content[dice.randrange(len(content)) :]
        case 2:
            del lines[first]
            content = b"".join(lines)
        case 3:
            lines[first], lines[second] = lines[second], lines[first]
            content = b"".join(lines)
        case 4:
            lines[first] = lines[first].strip() * dice.choice([0, 2, 1_000])  # the line break is removed, too
            content = b"".join(lines)
        case 5:
            start = dice.randrange(len(content))
            content[start:start] = dice.choice(
                [b"\0", b"\r", b"\xff\xfe", b"\n\n", b":", b" - " * 9_999, b"-a" * 9_999]
            )
        case 6:
            encoding = dice.choice(["utf-8", "utf-16", "utf-8-sig", "cp1252", "cp037"])
            content = whole.decode("latin-1").encode(encoding, errors="replace")
    return bytes(content)


def sources() -> Iterator[bytes]:
    yield SAMPLE.encode()
    if SHARED.exists():
        yield from (path.read_bytes() for path in sorted(SHARED.glob("*.rdf")))


def papers_or_refusal(path: Path) -> tuple[list[Paper], str]:
    try:
        return papers_of(path), ""
    except UnreadableFileError as error:
        return [], str(error)


def count_refusals(path: Path, whole: bytes, *, n_times: int, seed: int) -> int:
    """Import many damaged versions of a file.

    Each must be imported without damage within a second, or be rejected with its line.
    """
    dice = random.Random(seed)
    n_refused = 0
    for _ in range(n_times):
        path.write_bytes(damaged(whole, dice))
        began = time.process_time()
        papers, refusal = papers_or_refusal(path)
        assert time.process_time() - began < 1
        assert all(paper.paper_id and paper.title for paper in papers)
        assert all(text == clean(text) for paper in papers for text in (paper.paper_id, paper.title, paper.abstract))
        assert not refusal or re.match(r"papers\.rdf(, line \d+: |: contains no template)", refusal)
        n_refused += bool(refusal)
    return n_refused


def test_a_damaged_file_is_read_or_refused(tmp_path):
    n_refused = 0
    # the first papers are enough: damage affects a hundred papers like one
    contents = [whole[:6_000] for whole in sources()]
    for seed, whole in enumerate(contents):
        n_refused += count_refusals(tmp_path / "papers.rdf", whole, n_times=500 // len(contents) + 1, seed=seed)
    assert 50 < n_refused < 375, "the damage is too light or too heavy to tell anything"
