import io
import json
import time
import zipfile
from pathlib import Path

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import formats
from presort.data.importers.formats import format_of
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Problems, Repair
from tests.data.importers.test_read_listings import AMF, ATOM, CHOICES, template

RIS = "TY  - JOUR\nTI  - Löhne\nAU  - Müller, Zoë\nDO  - 10.1000/x1\nER  - \n"
MEDLINE = "PMID- 7\nTI  - Löhne\nFAU - Müller, Zoë\nLID - 10.1000/x1 [doi]\n"
WOS = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Müller, Zoë\nTI Löhne\nDI 10.1000/x1\nER\n\nEF\n"
WOS_TABLE = "PT\tAU\tTI\tSO\tPY\tDI\tUT\nJ\tMüller, Zoë\tLöhne\tJ EX\t2019\t10.1000/x1\tWOS:1\n"
ENDNOTE = "%0 Journal Article\n%A Müller, Zoë\n%T Löhne\n%R 10.1000/x1\n"
BIBTEX = "@article{k1,\n title = {Löhne},\n author = {Müller, Zoë},\n doi = {10.1000/x1}\n}\n"
REDIF = "Template-Type: ReDIF-Paper 1.0\nTitle: Löhne\nAuthor-Name: Müller, Zoë\nDOI: 10.1000/x1\nHandle: RePEc:a:b:1\n"
CSV = "title;authors;doi\nLöhne;Müller, Zoë;10.1000/x1\n"
ENDNOTE_XML = (
    "<xml><records><record><contributors><authors><author><style>Müller, Zoë</style></author></authors></contributors>"
    "<titles><title><style>Löhne</style></title></titles>"
    "<electronic-resource-num>10.1000/x1</electronic-resource-num></record></records></xml>"
)
PUBMED_XML = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Löhne</ArticleTitle>"
    "<AuthorList><Author><LastName>Müller</LastName><ForeName>Zoë</ForeName></Author></AuthorList></Article>"
    '</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/x1</ArticleId></ArticleIdList>'
    "</PubmedData></PubmedArticle></PubmedArticleSet>"
)
CSL = json.dumps(
    [{"title": "Löhne", "author": [{"family": "Müller", "given": "Zoë"}], "DOI": "10.1000/x1"}], ensure_ascii=False
)
TEXTS = {
    "RIS": (RIS, formats.RIS),
    "MEDLINE": (MEDLINE, formats.MEDLINE),
    "WOS": (WOS, formats.WEB_OF_SCIENCE),
    "WOS_TABLE": (WOS_TABLE, formats.TSV),
    "ENDNOTE": (ENDNOTE, formats.ENDNOTE),
    "BIBTEX": (BIBTEX, formats.BIBTEX),
    "REDIF": (REDIF, formats.REDIF),
    "CSV": (CSV, formats.CSV),
    "CSL": (CSL, formats.CSL_JSON),
}
XML = {"ENDNOTE_XML": (ENDNOTE_XML, formats.ENDNOTE_XML), "PUBMED_XML": (PUBMED_XML, formats.PUBMED_XML)}
XML |= {"AMF": (AMF, formats.AMF), "ATOM": (ATOM, formats.FEED)}


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["export.txt", "export", "export.ris", "export.bib", "export.rdf"])
@pytest.mark.parametrize("kind", TEXTS | XML)
def test_the_content_determines_the_format_whatever_the_extension(tmp_path, name, kind):
    text, expected = (TEXTS | XML)[kind]
    assert format_of(write(tmp_path, name, text.encode())) is expected


ENCODINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-8-with-mark": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16-be-with-mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-16-le": lambda text: text.encode("utf-16-le"),
    "utf-16-be": lambda text: text.encode("utf-16-be"),
    "windows-1252": lambda text: text.encode("cp1252"),
    "crlf-and-blank-lines": lambda text: ("\n\n" + text).replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", TEXTS)
def test_every_text_format_is_read_in_every_encoding(tmp_path, kind, encoding):
    text, expected = TEXTS[kind]
    path = write(tmp_path, "export.txt", ENCODINGS[encoding](text))
    assert format_of(path) is expected
    repairs: list[Repair] = []
    (listed,) = read_listings(path, CHOICES, problems=Problems(repair=repairs.append))
    assert (listed.paper.title, listed.paper.authors) == ("Löhne", ("Müller, Zoë",))
    assert listed.paper.doi == "10.1000/x1"
    assert bool(repairs) == (encoding == "windows-1252")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("kind", ["ENDNOTE_XML", "PUBMED_XML"])
def test_references_in_xml(tmp_path, kind, encoding):
    path = write(tmp_path, "export.xml", XML[kind][0].encode(encoding))
    (listed,) = read_listings(path, CHOICES)
    assert (listed.paper.paper_id, listed.paper.title) == ("10.1000/x1", "Löhne")
    assert listed.paper.authors == ("Müller, Zoë",)


@pytest.mark.parametrize(
    "text",
    [
        "<MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Wages</ArticleTitle></Article></MedlineCitation>",
        "<PubmedBookArticleSet><PubmedBookArticle><BookDocument><PMID>7</PMID><ArticleTitle>Wages</ArticleTitle>"
        "</BookDocument></PubmedBookArticle></PubmedBookArticleSet>",
    ],
    ids=["one-record", "books"],
)
def test_every_root_of_pubmed_is_recognised(tmp_path, text):
    (listed,) = read_listings(write(tmp_path, "export.xml", text.encode()), CHOICES)
    assert (listed.paper.paper_id, listed.paper.title) == ("pmid:7", "Wages")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("% saved by hand\n\n" + BIBTEX, formats.BIBTEX, id="comment-above-bibtex"),
        pytest.param("# 2026\n##\n" + template(1), formats.REDIF, id="comment-above-redif"),
        pytest.param("\n\n\nProvider: X\nContent: text\n\n" + RIS, formats.RIS, id="notes-above-ris"),
        pytest.param("\ufeff\n" + MEDLINE, formats.MEDLINE, id="byte-order-mark-and-blank-line-above-medline"),
        pytest.param('"Search","wages:ti"\n---\n"Title","DOI"\n"a","b"\n', formats.CSV, id="search-above-a-table"),
        pytest.param("TY - JOUR\nTI - Wages\nER - \n", formats.RIS, id="ris-with-one-space"),
        pytest.param("DB  - WoS\nTI  - Wages\nTY  - JOUR\nER  - \n", formats.RIS, id="ris-with-type-in-the-middle"),
        pytest.param('title,abstract\nWages,"TY  - JOUR\n@article{x,"\n', formats.CSV, id="records-in-a-cell"),
    ],
)
def test_lines_above_the_first_record(tmp_path, content, expected):
    assert format_of(write(tmp_path, "export.txt", content.encode())) is expected


def test_cells_of_a_table_are_no_records(tmp_path):
    path = write(tmp_path, "export.csv", b'Titel,Text\nWages,"\nTY  - JOUR\n"\n')
    assert format_of(path) is formats.CSV


def office(member: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(member, "<x/>")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        pytest.param(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF", id="pdf"),
        pytest.param(b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "a web page", id="html"),
        pytest.param(b"\n<HTML><head>", "a web page", id="html-without-type"),
        pytest.param(b"\xef\xbb\xbf<!-- saved -->\n<!-- x --><html>", "a web page", id="html-below-comments"),
        pytest.param(office("word/document.xml"), "a Word document", id="docx"),
        pytest.param(office("ppt/presentation.xml"), "a PowerPoint presentation", id="pptx"),
        pytest.param(office("notes.txt"), "a zip archive", id="zip"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file", id="xls"),
        pytest.param(b"{\\rtf1\\ansi", "a text document", id="rtf"),
        pytest.param(b"\x1f\x8b\x08\0", "a compressed file", id="gzip"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "a picture", id="png"),
        pytest.param(bytes(range(256)) * 8, "a binary file of some program", id="binary"),
        pytest.param(b"301 Q0 A 1 2.5 STANDARD\n", "a TREC run", id="run"),
        pytest.param(b"# judged\n301 0 A 1\n301 0 B 0\n", "a TREC qrels file", id="qrels"),
    ],
)
@pytest.mark.parametrize("name", ["export.txt", "export"])
def test_unsupported_formats_are_named(tmp_path, name, content, kind):
    with pytest.raises(UnreadableFileError, match=f"^{name}: looks like {kind}"):
        format_of(write(tmp_path, name, content))


@pytest.mark.parametrize("name", ["export.txt", "export"])
def test_unsupported_xml_is_named_by_its_root_element(tmp_path, name):
    with pytest.raises(UnreadableFileError, match=f"^{name}: .*<tei>"):
        format_of(write(tmp_path, name, b"<tei><text/></tei>"))


@pytest.mark.parametrize("name", ["week.csv", "week.ris", "week.xml"])
@pytest.mark.parametrize("content", [b"%PDF-1.7", b"<html/>", office("word/document.xml")])
def test_a_known_extension_hides_no_other_format(tmp_path, name, content):
    with pytest.raises(UnreadableFileError, match="looks like a"):
        list(read_listings(write(tmp_path, name, content), CHOICES))


def test_many_comments_are_skipped_quickly(tmp_path):
    began = time.process_time()
    with pytest.raises(UnreadableFileError):
        format_of(write(tmp_path, "week.txt", b"<!-- x -->" * 20_000 + b"<"))
    assert time.process_time() - began < 1


def test_prose_is_recognised_by_its_extension(tmp_path):
    assert format_of(write(tmp_path, "week.ris", b"Dear editor,\n")) is formats.RIS
    with pytest.raises(UnreadableFileError, match="unknown format"):
        format_of(write(tmp_path, "week.txt", b"Dear editor,\n"))


def test_excel_and_parquet_under_other_names(tmp_path):
    assert format_of(write(tmp_path, "week.csv", office("xl/workbook.xml"))) is formats.XLSX
    assert format_of(write(tmp_path, "week.txt", b"PAR1....PAR1")) is formats.PARQUET
