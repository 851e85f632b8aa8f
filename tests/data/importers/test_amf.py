import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.exporters.amf import write_amf
from presort.data.importers import xml_records
from presort.data.importers.amf import read_amf
from presort.data.records import Paper
from tests.data.reference_files import PAPER, assert_damage_is_named, papers, read_text, refusal

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def written(some: list[Paper]) -> bytes:
    file = io.BytesIO()
    write_amf(some, file)
    return file.getvalue()


def document(content: str, before: str = "") -> str:
    return f'{before}<amf xmlns="http://amf.openlib.org">\n{content}\n</amf>'


def text(content: str, paper_id: str = "p1") -> str:
    return f'<text id="{paper_id}"><title>Wages</title>{content}</text>'


@given(st.lists(papers(), max_size=4))
def test_our_export_is_read_back(some):
    assert read_text(read_amf, written(some)) == some


def test_characters_not_allowed_in_xml_are_replaced():
    assert read_text(read_amf, written([Paper("p\ufffe", "a\uffffb\0")])) == [Paper("p\ufffd", "a\ufffdb\ufffd")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(text(""), Paper("p1", "Wages"), id="plain"),
        pytest.param(text("", "info:lib/RePEc:a:b:1"), Paper("RePEc:a:b:1", "Wages"), id="handle-with-a-prefix"),
        pytest.param(text("<abstract>a <![CDATA[<b>]]><!-- no -->\n c &#228;</abstract>"),
                     Paper("p1", "Wages", abstract="a <b> c ä"), id="character-data"),
        pytest.param(text("<hasauthor><person><name>Lee</name></person></hasauthor><hasauthor><organization>"
                          "<name>Bank</name></organization></hasauthor><haseditor><person><name>Chen</name></person>"
                          "</haseditor>"), Paper("p1", "Wages", authors=("Lee", "Bank")), id="authors"),
        pytest.param(text("<classification>J31, J38;E1</classification><classification>Econ, labour</classification>"),
                     Paper("p1", "Wages", codes=("J31", "J38", "E1", "Econ, labour")), id="codes-in-one-element"),
        pytest.param(text('<ispartof><collection ref="RePEc:a:b"/></ispartof><date>2004-05</date>'),
                     Paper("p1", "Wages", series="RePEc:a:b", date="2004-05"), id="series-by-reference"),
        pytest.param(text("<serial><journaltitle>AER</journaltitle><issuedate>2004</issuedate></serial>"),
                     Paper("p1", "Wages", series="AER", date="2004"), id="journal"),
        pytest.param(text("<x:a xmlns:x='http://x.example'><x:title>no</x:title></x:a>"
                          "<isversionof><text id='p2'><title>Old</title></text></isversionof>"),
                     Paper("p1", "Wages"), id="other-vocabulary-and-other-texts"),
        pytest.param("<person id='x'><isauthorof><text id='p0'><title>x</title></text></isauthorof></person>"
                     "<text ref='p9'/>" + text("") + "<collection><title>x</title></collection>",
                     Paper("p1", "Wages"), id="other-nouns"),
    ],
)  # fmt: skip
def test_files_of_other_programs_are_read(content, expected):
    assert read_text(read_amf, document(content)) == [expected]


def test_other_encodings():
    latin = document(text("<abstract>ä</abstract>"), "<?xml version='1.0' encoding='iso-8859-1'?>").encode("latin-1")
    assert read_text(read_amf, latin) == [Paper("p1", "Wages", abstract="ä")]
    assert read_text(read_amf, document(text("")).encode("utf-16")) == [Paper("p1", "Wages")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "not well-formed XML", id="empty"),
        pytest.param("paper_id,title\n", "papers.txt, line 1: not well-formed XML", id="a-table"),
        pytest.param("<rss/>", "papers.txt: not AMF: the root element is <rss", id="other-xml"),
        pytest.param(
            "<amf>\n<text/></amf>", "line 2: not AMF: its elements are not in the namespace http", id="no-namespace"
        ),
        pytest.param(document(text("") + "\n<text>"), "line 3: the record is not well-formed XML", id="open-element"),
        pytest.param(document("\n<text id='p1'><date/></text>"), "line 3: 'p1' has no title", id="no-title"),
        pytest.param(document(text("<abstract>")), "not well-formed XML", id="cut-off"),
        pytest.param(document("<a>" * 100_000), "not well-formed XML", id="deep"),
    ],
)
def test_errors_name_the_record(content, message):
    assert message in refusal(read_amf, content)


def test_row_numbers_are_right_in_a_long_file():
    long = document("\n" * 70_000 + "<text id='p1'><date/></text>")
    assert refusal(read_amf, long) == "papers.txt: 'p1' has no title"


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param(f'<!DOCTYPE amf [<!ENTITY l0 "lol">{LAUGHS}]>', id="billion-laughs"),
        pytest.param('<!DOCTYPE amf [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>', id="file"),
        pytest.param('<!DOCTYPE amf [<!ENTITY l9 SYSTEM "http://127.0.0.1:9/x">]>', id="network"),
        pytest.param('<!DOCTYPE amf [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', id="parameter"),
    ],
)
def test_document_types_are_refused(declared):
    assert "its document type has declarations" in refusal(read_amf, document(text("&l9;"), declared))


@pytest.mark.parametrize("declared", ['<!DOCTYPE amf SYSTEM "http://127.0.0.1:9/amf.dtd">', "<!DOCTYPE amf>"])
def test_document_types_without_declarations_are_accepted(declared):
    assert read_text(read_amf, document(text(""), declared)) == [Paper("p1", "Wages")]


def test_oversized_input_is_refused(monkeypatch):
    assert "not well-formed XML" in refusal(read_amf, document(text(f"<abstract>{'x' * 10_500_000}</abstract>")))
    monkeypatch.setattr(xml_records, "MOST_ELEMENTS", 100)
    assert len(read_text(read_amf, document("\n".join(text("", f"p{n}") for n in range(1_000))))) == 1_000
    assert "line 2: more than 100 elements in one record" in refusal(read_amf, document(text("<a/>" * 100)))


@pytest.mark.parametrize("start", ["<text id='", "<!-- ", "<?x ", "<text><abstract><![CDATA["])
def test_an_endless_element_is_refused(monkeypatch, start):
    monkeypatch.setattr(xml_records, "LARGEST_PIECE", 200_000)
    assert "more than 200,000 bytes without a tag" in refusal(read_amf, document(start + "x" * 1_000_000))


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(UnreadableFileError, match=r"^missing\.xml: can't be read: No such file"):
        list(read_amf(tmp_path / "missing.xml"))


def test_damage():
    assert_damage_is_named(read_amf, written([PAPER] * 3))
