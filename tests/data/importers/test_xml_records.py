"""XML that isn't well-formed: at most the malformed record is lost."""

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.choices import Choices
from presort.data.importers.endnote_xml import read_endnote_xml
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Problems, Repair
from presort.data.importers.pubmed_xml import read_pubmed_xml
from presort.data.records import Paper
from tests.data.importers.test_read_listings import ISSUE
from tests.data.reference_files import read_text

RSS = "<rss xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>F</title>\n{}\n</channel></rss>"
ITEM = "<item><title>{0}</title><guid>{1}</guid><dc:creator>Ann Lee</dc:creator></item>"


def read(tmp_path, content: str | bytes, name: str = "week.rss"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    left_out: list[UnreadableFileError] = []
    repairs: list[Repair] = []
    problems = Problems(left_out.append, repairs.append)
    return list(read_listings(path, Choices(ISSUE), problems=problems)), left_out, repairs


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("Wages & jobs", "Wages & jobs", id="bare-ampersand"),
        pytest.param("Wages&nbsp;and caf&eacute;s", "Wages and cafés", id="entities-of-html"),
        pytest.param("Wages at p < 0.05", "Wages at p < 0.05", id="bare-less-than"),
        pytest.param("Wages\x02 rose", "Wages rose", id="control-character"),
        pytest.param("Wages&#x1F; rose", "Wages rose", id="control-character-as-reference"),
        pytest.param("<![CDATA[Wages & jobs]]>\x01", "Wages & jobs", id="cdata-stays"),
        pytest.param("L\udcf6hne", "Löhne", id="stray-byte"),
    ],
)
def test_unambiguous_faults_are_repaired(tmp_path, title, expected):
    items = "\n".join(ITEM.format(text, f"p{number}") for number, text in enumerate(["First", title, "Third"]))
    listed, left_out, repairs = read(tmp_path, RSS.format(items).encode("utf-8", "surrogateescape"))
    assert [one.paper.title for one in listed] == ["First", expected, "Third"]
    assert {one.paper.authors for one in listed} == {("Ann Lee",)}
    assert left_out == []
    assert 3 in {repair.line for repair in repairs}


@pytest.mark.parametrize(
    ("damage", "titles", "lines"),
    [
        pytest.param(lambda text: text.replace("Second</title>", "Second"), ["First", "Third"], [3], id="open-tag"),
        pytest.param(lambda text: text[: text.index("Third")], ["First", "Second"], [4], id="cut-off"),
        pytest.param(lambda text: text[: text.index("</channel>")], ["First", "Second", "Third"], [], id="no-end"),
    ],
)
def test_reading_resumes_at_the_next_record(tmp_path, damage, titles, lines):
    text = RSS.format("\n".join(ITEM.format(title, title) for title in ("First", "Second", "Third")))
    listed, left_out, repairs = read(tmp_path, damage(text))
    assert [one.paper.title for one in listed] == titles
    assert [error.line for error in left_out] == lines
    assert len(repairs) == 1


def test_a_long_damaged_file_with_open_sections_is_read_quickly(tmp_path):
    listed, left_out, _ = read(tmp_path, RSS.format(ITEM.format("<![CDATA[" * 100_000, "p1") + ITEM.format("b", "p2")))
    assert ([one.paper.title for one in listed], len(left_out)) == (["b"], 1)


def test_endnote_xml():
    record = (
        "<record><rec-number>3</rec-number><ref-type name='Journal Article'>17</ref-type>"
        "<contributors><authors><author><style face='normal'>Lee, Ann</style></author>"
        "<author>Chen, Bo</author></authors></contributors>"
        "<titles><title><style face='normal'>Wages and </style><style face='italic'>jobs</style></title>"
        "<secondary-title>J Ex</secondary-title></titles><periodical><full-title>Journal of Examples</full-title>"
        "</periodical><keywords><keyword>wages</keyword><keyword>jobs</keyword></keywords>"
        "<dates><year><style>2019</style></year></dates><abstract>We look.</abstract>{}</record>"
    )
    two = record.format("<accession-num>WOS:1</accession-num>") + record.format(
        "<electronic-resource-num>https://doi.org/10.1000/EX.1</electronic-resource-num>"
    )
    rest = ("Wages and jobs", "We look.", ("Lee, Ann", "Chen, Bo"), ("wages", "jobs"), "Journal of Examples", "2019")
    assert read_text(read_endnote_xml, f"<xml><records>{two}</records></xml>") == [
        Paper("WOS:1", *rest, type="journal article"),
        Paper("10.1000/ex.1", *rest, "10.1000/ex.1", type="journal article"),
    ]


def test_pubmed_xml():
    article = (
        "<PubmedArticle><MedlineCitation><PMID Version='1'>7</PMID><Article><Journal><JournalIssue><PubDate>"
        "<Year>2019</Year><Month>03</Month><Day>4</Day></PubDate></JournalIssue><Title>Journal of examples</Title>"
        "</Journal><ArticleTitle>Wages in <i>small</i> towns</ArticleTitle><Abstract><AbstractText Label='AIM'>We look."
        "</AbstractText><AbstractText>They rose.</AbstractText></Abstract><AuthorList><Author><LastName>Lee</LastName>"
        "<ForeName>Ann</ForeName><Initials>A</Initials><Suffix>Jr</Suffix></Author><Author>"
        "<CollectiveName>Wage Group</CollectiveName></Author></AuthorList>"
        "</Article><MeshHeadingList><MeshHeading><DescriptorName>Salaries</DescriptorName></MeshHeading>"
        "</MeshHeadingList><KeywordList><Keyword>wages</Keyword></KeywordList></MedlineCitation><PubmedData>"
        "<ReferenceList><Reference><ArticleIdList><ArticleId IdType='doi'>10.1000/other</ArticleId></ArticleIdList>"
        "</Reference></ReferenceList></PubmedData></PubmedArticle>"
    )
    book = (
        "<PubmedBookArticle><BookDocument><PMID>8</PMID><ArticleIdList><ArticleId IdType='doi'>10.1000/b</ArticleId>"
        "</ArticleIdList><Book><BookTitle>Handbook</BookTitle><PubDate><Year>2020</Year></PubDate></Book>"
        "<ArticleTitle>Jobs</ArticleTitle><AuthorList Type='authors'><Author><LastName>Ek</LastName></Author>"
        "</AuthorList></BookDocument></PubmedBookArticle>"
    )
    assert read_text(read_pubmed_xml, f"<PubmedArticleSet>\n{article}\n{book}\n</PubmedArticleSet>") == [
        Paper(
            "pmid:7",
            "Wages in small towns",
            "AIM: We look. They rose.",
            ("Lee, Ann, Jr", "Wage Group"),
            ("Salaries", "wages"),
            "Journal of examples",
            "2019-03-04",
        ),
        Paper("10.1000/b", "Jobs", authors=("Ek",), series="Handbook", date="2020", doi="10.1000/b"),
    ]
