import csv
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.importers import csv_rows
from presort.data.importers.csv_file import read_comma_separated
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Problems, Repair
from presort.data.importers.references import id_from_words
from presort.data.records import ListedPaper, Origin, Paper
from presort.data.text.cleaning import clean, is_placeholder
from presort.data.text.prose import prose
from tests.data.workspaces import assert_damage_is_harmless, make_issue, take_in

TWO = "paper_id,title,issue,authors,reports\np1,Wages,2026-11-02,Ann Lee;Bo Chen,lab\np2,Jobs,2026-11-02,,\n"


def write(folder: Path, content: str | bytes, name: str = "papers.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def titles(path: Path) -> list[str]:
    return [listed.paper.title for listed in read_listings(path)]


def test_a_plain_file(tmp_path):
    first, second = read_listings(write(tmp_path, TWO))
    assert first.paper == Paper("p1", "Wages", authors=("Ann Lee", "Bo Chen"))
    assert (first.issue, first.selected_by, first.origin) == (date(2026, 11, 2), ("lab",), Origin("papers.csv", 2))
    assert (second.paper, second.selected_by) == (Paper("p2", "Jobs"), ())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"\xef\xbb\xbf" + TWO.encode(), ["Wages", "Jobs"], id="byte-order-mark"),
        pytest.param(TWO.replace("\n", "\r\n"), ["Wages", "Jobs"], id="crlf"),
        pytest.param(TWO.replace("\n", "\r"), ["Wages", "Jobs"], id="cr"),
        pytest.param(TWO.replace("\n", "\n\n\r\n"), ["Wages", "Jobs"], id="empty-lines"),
        pytest.param("\n\n" + TWO, ["Wages", "Jobs"], id="empty-lines-at-the-top"),
        pytest.param(TWO.rstrip(), ["Wages", "Jobs"], id="no-last-line-break"),
        pytest.param(TWO.replace("Wages", '"Wages\n\nand\r\njobs"'), ["Wages and jobs", "Jobs"], id="quoted-breaks"),
        pytest.param(TWO.replace("Wages", '"""Wages"", jobs"'), ['"Wages", jobs', "Jobs"], id="quotes-and-commas"),
        pytest.param(TWO.replace("Wages", "Wa\0ges\x0b"), ["Wa ges", "Jobs"], id="nul-and-control-characters"),
        pytest.param(TWO.replace("Wages", "Cafe\u0301 🎓"), ["Café 🎓", "Jobs"], id="composed"),
        pytest.param(TWO.replace("reports", "notes"), ["Wages", "Jobs"], id="unknown-column"),
        pytest.param("issue,title,paper_id\n2026-11-02,Wages,p1\n", ["Wages"], id="other-order"),
        pytest.param(
            TWO.replace("Wages", "Wa,ges").replace(";", " ").replace(",", ";").replace("Wa;g", "Wa,g"),
            ["Wa,ges", "Jobs"],
            id="semicolons",
        ),
        pytest.param(TWO.replace(",", "\t"), ["Wages", "Jobs"], id="tabs-in-a-csv-file"),
        pytest.param(TWO.encode("utf-16"), ["Wages", "Jobs"], id="utf-16"),
        pytest.param(b"\xfe\xff" + TWO.encode("utf-16-be"), ["Wages", "Jobs"], id="utf-16-big-endian"),
        pytest.param(TWO.encode("utf-16-le"), ["Wages", "Jobs"], id="utf-16-without-byte-order-mark"),
        pytest.param(TWO.encode("utf-16-be"), ["Wages", "Jobs"], id="utf-16-big-endian-without-byte-order-mark"),
        pytest.param(TWO.encode("utf-32"), ["Wages", "Jobs"], id="utf-32"),
        pytest.param(TWO.encode("utf-16")[:-1], ["Wages", "Jobs"], id="cut-utf-16"),
        pytest.param(TWO.replace("Wages", "L\xf6hne").encode("cp1252"), ["Löhne", "Jobs"], id="latin-1"),
        pytest.param(TWO.replace(",,\n", ",,,\n"), ["Wages", "Jobs"], id="delimiter-at-the-end-of-a-row"),
        pytest.param("Exported on 2026-11-10\n\n" + TWO, ["Wages", "Jobs"], id="line-above-the-header"),
        pytest.param('"Search","wages:ti"\n---\n\n' + TWO, ["Wages", "Jobs"], id="search-above-the-header"),
        pytest.param("sep=;\n" + TWO.replace(";", " ").replace(",", ";"), ["Wages", "Jobs"], id="sep"),
        pytest.param(TWO.replace("Wages", '"On "tools""'), ['On "tools"', "Jobs"], id="quotes-in-quotes"),
        pytest.param(TWO.replace("Wages", '"A "big" thing"'), ['A "big" thing', "Jobs"], id="quotes-within"),
        pytest.param(
            TWO.replace("Wages", '"A "big" thing\nand ""more"""'), ['A "big" thing and "more"', "Jobs"], id="and-lines"
        ),
        pytest.param("DOI,Article Title,issue,,\n10.1/1,Wages,2026-11-02,,\n", ["Wages"], id="columns-without-a-name"),
        pytest.param("paper_id,title,issue\n", [], id="header-only"),
    ],
)
def test_quirks_that_are_fine(tmp_path, content, expected):
    assert titles(write(tmp_path, content)) == expected


def test_commas_in_a_tsv(tmp_path):
    assert titles(write(tmp_path, TWO, "papers.tsv")) == ["Wages", "Jobs"]


@pytest.mark.parametrize("name", ["papers.CSV", "papers.2026.Csv"])
def test_the_case_of_the_ending_does_not_matter(tmp_path, name):
    assert titles(write(tmp_path, TWO, name)) == ["Wages", "Jobs"]


def test_tabs(tmp_path):
    path = write(tmp_path, "paper_id\ttitle\tissue\np1\tWages, jobs\t2026-11-02\n", "papers.tsv")
    assert titles(path) == ["Wages, jobs"]


def test_a_large_cell(tmp_path):
    path = write(tmp_path, "paper_id,title,issue,abstract\np1,Wages,2026-11-02," + "x" * 1_000_000)
    assert len(next(read_listings(path)).paper.abstract) == 1_000_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "papers.csv: the table is empty", id="empty-file"),
        pytest.param("\n\n", "papers.csv: the table is empty", id="empty-lines-only"),
        pytest.param(
            "paper_id,issue\np1,x\n", "no column for title. The columns are paper_id, issue", id="missing-column"
        ),
        pytest.param("title,paper_id,issue,title\n", "two columns have the same name", id="column-twice"),
        pytest.param(TWO + "p3,Trade,2026-11-02\n", "row 4: 3 cells, but the header has 5", id="too-few-cells"),
        pytest.param(TWO + "p3,Trade,2026-11-02,,,x\n", "row 4: 6 cells, but the header has 5", id="too-many-cells"),
        pytest.param(TWO + "p3,,2026-11-02,,\n", "row 4, column title: no title", id="no-title"),
        pytest.param(TWO + "p3,Trade,2019-02-30,,\n", "row 4, column issue: '2019-02-30' is not", id="no-such-day"),
        pytest.param(
            TWO + "p3,Trade,2026-11-02,,a b\n", "row 4, column reports: 'a b' is not a valid report code", id="bad-code"
        ),
        pytest.param(TWO + "p1,Pay,2026-11-02,,\n", "row 4: 'p1' is already in this issue", id="paper-twice"),
        pytest.param("\n\n" + TWO.replace("\n", "\n\n") + "p3,,2026-11-02,,\n", "row 9, column title", id="row-counts"),
        pytest.param(TWO.replace("Jobs", '"a\nb"') + "p3,,2026-11-02,,\n", "row 4, column title", id="rows-not-lines"),
        pytest.param(TWO.replace("Jobs", '"a"b'), "papers.csv, row 3: malformed table", id="broken-quotes"),
        pytest.param(TWO + 'p3,"Trade,2026', "papers.csv, row 4: malformed table", id="open-quotes"),
        pytest.param('"paper_id', "papers.csv: malformed table", id="open-quotes-in-the-header"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0", "papers.csv: looks like a picture", id="picture"),
    ],
)
def test_errors_name_row_and_column(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(UnreadableFileError) as caught:
        list(read_listings(path))
    assert message in str(caught.value)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("damaged", "title"),
    [
        pytest.param(b"Caf\xe9", "Café", id="latin-1"),
        pytest.param(b"\xed\xa0\x80", "í €", id="half-a-pair"),
        pytest.param(b"Wages\x02 and jobs", "Wages and jobs", id="control-character"),
    ],
)
def test_a_damaged_cell_is_repaired_and_named(tmp_path, damaged, title):
    good = "".join(f"p{number},Löhne,2026-11-02,,\n" for number in range(3, 2_000))
    path = write(tmp_path, (TWO + good).encode() + b"last,%b,2026-11-02,,\n" % damaged)
    repairs: list[Repair] = []
    *_, last = read_comma_separated(path, problems=Problems(repair=repairs.append))
    assert last.paper.title == title
    assert [(repair.row, repair.column) for repair in repairs] == [(2_001, "title")]


def test_a_file_in_another_encoding_is_reported_once(tmp_path):
    rows = "".join(f"p{number},Löhne {number},2026-11-02,Müller,\n" for number in range(100))
    path = write(tmp_path, (TWO.splitlines(keepends=True)[0] + rows).encode("cp1252"))
    repairs: list[Repair] = []
    entries = list(read_comma_separated(path, problems=Problems(repair=repairs.append)))
    assert (entries[99].paper.title, entries[99].paper.authors) == ("Löhne 99", ("Müller",))
    assert [(repair.name, repair.row) for repair in repairs] == [("papers.csv", None)]


def test_a_huge_cell_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "LONGEST_CELL", 1_000)
    path = write(tmp_path, TWO + f"p3,{'x' * 1_001},2026-11-02,,\n")
    with pytest.raises(UnreadableFileError, match=r"row 4: malformed table: field larger than"):
        list(read_listings(path))


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        pytest.param("title\n" + "x" * 5_000, [], id="one-line"),
        pytest.param(TWO + "\n" * 5_000, ["p1", "p2"], id="empty-lines"),
        pytest.param(TWO + 'p3,"' + "x\n" * 2_500, ["p1", "p2"], id="one-cell-of-many-lines"),
        pytest.param(TWO + "p3" + ',"x\n"' * 1_000, ["p1", "p2"], id="one-row-of-many-cells"),
    ],
)
def test_an_endless_row_does_not_fill_the_memory(tmp_path, monkeypatch, content, kept):
    monkeypatch.setattr(csv_rows, "LONGEST_ROW", 3_000)
    left_out: list[UnreadableFileError] = []
    with suppress(UnreadableFileError):
        entries = read_comma_separated(write(tmp_path, content), problems=Problems(left_out.append))
        assert [entry.paper.paper_id for entry in entries] == kept


@pytest.mark.parametrize(
    ("broken", "kept", "rows"),
    [
        pytest.param('p3,"Trade,2026-11-02,,\n', ["p1", "p2", "p4", "p5"], [4], id="open-quote"),
        pytest.param('p3,"Tra"de",2026-11-02,,"\n', ["p1", "p2", "p4", "p5"], [4], id="unnecessary-quotes"),
        pytest.param('p3,"Trade" x,"y\n', ["p1", "p2", "p4", "p5"], [4], id="open-quote-and-few-cells"),
        pytest.param("p3,Trade\n", ["p1", "p2", "p4", "p5"], [4], id="few-cells"),
        pytest.param('p3,Trade,2026-11-02,,""lab" x"\n', ["p1", "p2", "p4", "p5"], [4], id="code-with-quotes"),
    ],
)
def test_reading_resumes_at_the_row_below_a_broken_one(tmp_path, broken, kept, rows):
    content = TWO + broken + 'p4,"Growth, ""fast""",2026-11-02,,\np5,"Two\nlines",2026-11-02,,\n'
    left_out: list[UnreadableFileError] = []
    entries = list(read_comma_separated(write(tmp_path, content), problems=Problems(left_out.append)))
    assert [entry.paper.paper_id for entry in entries] == kept
    assert [error.row for error in left_out] == rows
    assert entries[-1].paper.title == "Two lines"


@given(st.lists(st.sampled_from(['"', ",", "\n", "x", "p9,Wages,2026-11-02,,\n", '""', '","']), max_size=20))
def test_no_row_is_lost_silently(pieces):
    """Rows around any damage are read. Each damaged line is read, repaired or reported."""
    content = TWO + "".join(pieces) + "\nq1,Growth,2026-11-02,,\nq2,Banks,2026-11-02,,\n"
    with TemporaryDirectory() as folder:
        entries = list(read_comma_separated(write(Path(folder), content), problems=Problems(lambda error: None)))
    assert [entry.paper.paper_id for entry in entries[:2]] == ["p1", "p2"]
    assert [entry.paper.paper_id for entry in entries][-1] == "q2"


def test_invalid_rows_are_reported_and_the_others_read(tmp_path):
    content = TWO + "p3,Trade\np5,,2026-11-02,,\np6,Growth,,,\n"
    errors: list[UnreadableFileError] = []
    entries = list(read_comma_separated(write(tmp_path, content), problems=Problems(errors.append)))
    assert [(entry.row, entry.paper.paper_id) for entry in entries] == [(2, "p1"), (3, "p2"), (6, "p6")]
    assert [(error.row, error.column) for error in errors] == [(4, None), (5, "title")]


@pytest.mark.parametrize("columns", [{}, {"title": "Document Title", "date": "Publication Year"}])
def test_guessed_and_chosen_date_columns_give_the_same_date(tmp_path, columns):
    path = tmp_path / "a.csv"
    path.write_text("Document Title,Publication Year,Issue Date\nWages,2019,5 Mar. 2019\n", encoding="utf-8")
    assert [entry.paper.date for entry in read_comma_separated(path, columns=columns)] == ["2019-03-05"]


def test_chosen_columns_are_used(tmp_path):
    path = write(tmp_path, "Nummer,Titel,title\n7,Wages,Löhne\n")
    (entry,) = read_comma_separated(path, columns={"paper_id": "Nummer", "title": "Titel"})
    assert (entry.paper.paper_id, entry.paper.title) == ("7", "Wages")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("missing.csv", "missing.csv: can't be read: No such file", id="missing-csv"),
        pytest.param("missing.parquet", "missing.parquet: can't be read: No such file", id="missing-parquet"),
        pytest.param("papers", "papers: can't be read: No such file", id="missing-file-of-unknown-format"),
    ],
)
def test_a_missing_file(tmp_path, name, message):
    with pytest.raises(UnreadableFileError) as caught:
        list(read_listings(tmp_path / name))
    assert str(caught.value).startswith(message)


@pytest.mark.of_file  # damaged files are rejected before the database is used
def test_a_damaged_file_is_read_or_refused_and_leaves_nothing(store, tmp_path):
    take_in(store, make_issue(3, selected={"lab": [2]}))
    rows = "".join(f'q{n},"Títle, {n}",2026-11-09,Ann Lee;Bo Chen,lab;his\n' for n in range(6))
    whole = ("paper_id,title,issue,authors,reports\n" + rows).encode()
    assert_damage_is_harmless(store, write(tmp_path, whole), n_times=30)


# Hypothesis also draws strings from loaded modules, such as "&LT;". Reading decodes entities and markup.
texts = st.text(st.characters(), max_size=30).map(clean).filter(lambda text: clean(prose(text)) == text)
meaningful_texts = texts.filter(lambda text: not text or not is_placeholder(text))  # "NA" is read as empty
papers = st.builds(
    Paper,
    paper_id=texts.filter(bool),
    title=texts.filter(bool),
    abstract=meaningful_texts,
    authors=st.lists(texts.filter(lambda text: text and ";" not in text), max_size=3).map(tuple),
    codes=st.lists(texts.filter(lambda text: text and ";" not in text), max_size=3).map(tuple),
    series=meaningful_texts,
    date=st.just("") | st.dates().map(str),
)


@given(
    st.lists(st.builds(ListedPaper, papers, st.dates()), max_size=5, unique_by=lambda x: (x.issue, x.paper.paper_id))
)
def test_cleaned_texts_are_read_back(listed):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "papers.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["paper_id", "title", "issue", "abstract", "authors", "codes", "series", "date"])
            for line in listed:
                p = line.paper
                several = [";".join(p.authors), ";".join(p.codes)]
                writer.writerow([p.paper_id, p.title, line.issue, p.abstract, *several, p.series, p.date])
        back = [ListedPaper(found.paper, found.issue) for found in read_listings(path)]
        assert back == listed


def test_without_an_id_column_ids_are_derived_from_title_year_and_first_author(tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text("title,doi,year\nWages,,2026\nWages,10.1/x,2026\nWAGES!,,2026\n", encoding="utf-8")
    first, second, third = (entry.paper.paper_id for entry in read_comma_separated(path))
    assert first == third == id_from_words("Wages", "2026", "")
    assert second == "10.1/x"
