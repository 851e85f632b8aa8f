import random
import time
from contextlib import suppress
from html import escape, unescape

import feedparser
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import xml_records
from presort.data.importers.feed import arxiv_id, read_feed
from presort.data.importers.problems import Problems
from presort.data.importers.tex import plain
from presort.data.records import Entry, Paper
from presort.data.text.cleaning import clean

ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
<title>arXiv Query: all</title>
{}
</feed>"""
RSS = """<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/" version="2.0"><channel><title>new</title>
{}
</channel></rss>"""
ARXIV_ENTRY = r"""<entry><id>http://arxiv.org/abs/2401.01234v2</id><updated>2024-02-01T10:00:00Z</updated>
<published>2024-01-02T18:00:00Z</published><title>On M\"uller's
  $a&lt;b$ rule</title><summary>  We show a &lt; b
  &amp; c. </summary>
<author><name>A. One</name><arxiv:affiliation>No</arxiv:affiliation></author><author><name>B. Tw\'o</name></author>
<arxiv:doi>10.1000/XYZ</arxiv:doi><link href="http://arxiv.org/pdf/2401.01234v2" rel="related"/>
<arxiv:primary_category term="cs.LG"/><category term="stat.ML"/><category term="cs.LG"/>
<category term="68T05; 62H30"/></entry>"""
ARXIV_ITEM = """<item><title>Wages</title><link>https://arxiv.org/abs/2607.30001</link>
<description>arXiv:2607.30001v1 Announce Type: {0}
Abstract: Fresh a &lt; b work.</description><guid isPermaLink="false">oai:arXiv.org:2607.30001v1</guid>
<category>cs.LG</category><category>cs.AI</category><pubDate>Mon, 20 Jul 2026 00:00:00 -0400</pubDate>
<arxiv:announce_type>{0}</arxiv:announce_type><dc:creator>Al Fresh, Bo B. Two</dc:creator></item>"""
DAMAGE = (b"", b"<", b"&", b"\xff\xfe", b"\0", b"[", b"0", b"-", b"x", b" ", b"://[", b"9" * 50, b"\n", b"\xc3\xa4")
FROM_ATOM = Entry(
    Paper(
        "arXiv:2401.01234",
        "On Müller's $a<b$ rule",
        abstract="We show a < b & c.",
        authors=("A. One", "B. Twó"),
        codes=("cs.LG", "stat.ML", "68T05", "62H30"),
        date="2024-01-02",
        doi="10.1000/xyz",
        type="preprint",
    ),
    row=4,
)
FROM_RSS = Entry(
    Paper(
        "arXiv:2607.30001",
        "Wages",
        abstract="Fresh a < b work.",
        authors=("Al Fresh", "Bo B. Two"),
        codes=("cs.LG", "cs.AI"),
        date="2026-07-20",
        url="https://arxiv.org/abs/2607.30001",
        type="preprint",
    ),
    row=4,
)


def read(tmp_path, text, **options):
    path = tmp_path / "new.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_feed(path, **options))


def refusal(tmp_path, text):
    with pytest.raises(UnreadableFileError) as caught:
        read(tmp_path, text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(ATOM.format(ARXIV_ENTRY), [FROM_ATOM], id="arxiv-atom"),
        pytest.param(RSS.format(ARXIV_ITEM.format("new")), [FROM_RSS], id="arxiv-rss"),
        pytest.param(RSS.format(ARXIV_ITEM.format("cross")), [FROM_RSS], id="arxiv-rss-from-another-category"),
        pytest.param(RSS.format(ARXIV_ITEM.format("replace")), [], id="arxiv-rss-replacement"),
        pytest.param(ATOM.format(""), [], id="nothing"),
        pytest.param(
            RSS.format(
                "<item><title>&lt;b&gt;W&lt;/b&gt;ages &amp;amp; jobs</title><dc:creator>Smith, J.</dc:creator>"
                "<dc:creator>Doe, K.</dc:creator><link>http://e.org/1</link><dc:date>2024-05</dc:date>"
                "<prism:doi>10.5/Y</prism:doi><prism:publicationName>AER</prism:publicationName><category>J31</category>"
                "<description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;script&gt;no()&lt;/script&gt;&lt;/p&gt;</description>"
                "</item>"
            ),
            [
                Entry(
                    Paper(
                        *("10.5/y", "Wages & jobs", "One two", ("Smith, J.", "Doe, K."), ("J31",), "AER", "2024-05"),
                        doi="10.5/y",
                        url="http://e.org/1",
                    ),
                    row=4,
                )
            ],
            id="journal",
        ),
        pytest.param(
            ATOM.format('<entry><title type="html">a &amp;lt; b</title><link href="http://e.org/2"/></entry>'),
            [Entry(Paper("http://e.org/2", "a < b", url="http://e.org/2"), row=4)],
            id="identified-only-by-its-link",
        ),
        pytest.param(
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>c</title></channel>\n'
            '<item rdf:about="http://e.org/1"><title>T</title><dc:identifier>doi:10.3/q</dc:identifier></item></rdf:RDF>',
            [Entry(Paper("10.3/q", "T", doi="10.3/q"), row=2)],
            id="rss-1",
        ),
    ],
)
def test_read_feed(tmp_path, text, expected):
    assert read(tmp_path, text) == expected


PUBLISHED = "<p>Publication date: February 2022</p>"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(
            "<description>Short.</description><content:encoded>&lt;p&gt;A &lt;b&gt;longer&lt;/b&gt; one.&lt;/p&gt;"
            "</content:encoded><dc:description>Shortest</dc:description>",
            {"abstract": "A longer one."},
            id="content-is-the-longest",
        ),
        pytest.param(
            "<description>TAXON, EarlyView. </description><dc:description>\nAbstract\nWe show.\n</dc:description>",
            {"abstract": "We show."},
            id="heading-of-the-abstract",
        ),
        pytest.param("<description>TAXON, EarlyView. </description>", {"abstract": ""}, id="no-abstract"),
        pytest.param(
            "<description>Abstract algebra is hard.</description>",
            {"abstract": "Abstract algebra is hard."},
            id="the-word-abstract",
        ),
        pytest.param(
            f"<description><![CDATA[{PUBLISHED}<p><b>Source:</b> Journal of X, Volume 167</p>"
            "<p>Author(s): Ann Author, Bo Writer</p>]]></description>",
            {"abstract": "", "date": "2022-02", "series": "Journal of X", "authors": ("Ann Author", "Bo Writer")},
            id="sciencedirect",
        ),
        pytest.param(
            f"<description><![CDATA[{PUBLISHED}<p>Author(s): Ann Author</p><p>We show.</p>]]></description>",
            {"abstract": "We show.", "date": "2022-02", "authors": ("Ann Author",)},
            id="sciencedirect-with-abstract",
        ),
        pytest.param(
            "<dc:source>A &amp;amp; B on wages</dc:source><prism:publicationName>AER</prism:publicationName>",
            {"series": "AER"},
            id="prism-before-source",
        ),
        pytest.param("<dc:source>AER, Volume 1, Page 2</dc:source>", {"series": "AER"}, id="source-without-volume"),
        pytest.param("<dc:source>A title</dc:source>", {"series": ""}, id="own-title-is-not-the-journal"),
    ],
)
def test_feeds_of_journals_are_read(tmp_path, item, expected):
    space = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    text = RSS.format(f"<item><title>A title</title><guid>p1</guid>{item}</item>").replace("<rss ", f"<rss {space}", 1)
    (entry,) = read(tmp_path, text)
    assert {name: getattr(entry.paper, name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ATOM.format(ARXIV_ENTRY), id="atom"),
        pytest.param(ATOM.format('<entry><id>p1</id><title type="html">a &amp;lt; b</title></entry>' * 3), id="html"),
        pytest.param(
            RSS.format(
                "<item><title>T</title><guid>p1</guid><dc:creator>A</dc:creator><dc:creator>B</dc:creator></item>"
            ),
            id="rss",
        ),
    ],
)
def test_feedparser_reads_the_same(tmp_path, text):
    theirs = feedparser.parse(text.encode()).entries
    ours = [entry.paper for entry in read(tmp_path, text)]
    assert [len(paper.authors) for paper in ours] == [len(entry.get("authors", [])) for entry in theirs]
    assert [arxiv_id(entry.id) or entry.id for entry in theirs] == [paper.paper_id for paper in ours]
    assert [clean(plain(unescape(entry.title))) for entry in theirs] == [paper.title for paper in ours]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(b"", "new.xml: not well-formed XML", id="empty"),
        pytest.param("<feed>\n<entry></feed>", "new.xml, line 2: the record is not well-formed XML", id="ill-formed"),
        pytest.param("<html/>", "new.xml: not a feed: the root element is <html", id="page"),
        pytest.param(
            '<!DOCTYPE rss [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rss><channel/></rss>', "document type", id="entities"
        ),
        pytest.param(
            RSS.format("<item><guid>p1</guid></item>"), "new.xml, line 4: 'p1' has no title", id="without-title"
        ),
    ],
)
def test_other_documents_are_refused(tmp_path, text, reason):
    assert reason in refusal(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"none\.xml: can't be read: No such file"):
        list(read_feed(tmp_path / "none.xml"))


def test_entries_after_an_invalid_one_are_read(tmp_path):
    errors = []
    text = RSS.format("<item><guid>p1</guid></item>\n" + ARXIV_ITEM.format("new"))
    (entry,) = read(tmp_path, text, problems=Problems(errors.append))
    assert entry.paper == FROM_RSS.paper
    assert [str(error) for error in errors] == ["new.xml, line 4: 'p1' has no title"]


def test_no_link_is_followed(tmp_path):
    (tmp_path / "other.txt").write_text("secret")
    other = (tmp_path / "other.txt").as_uri()
    text = ATOM.format(f'<entry><id>p1</id><title>T</title><link href="{other}"/><content src="{other}"/></entry>')
    assert read(tmp_path, text) == [Entry(Paper("p1", "T"), row=4)]


@pytest.mark.parametrize("end", ["?>", ""])
def test_html_with_a_declared_encoding_is_read(tmp_path, end):
    title = escape(f'<?xml version="1.0" encoding="latin-1"{end}<b>Löhne</b>')
    (entry,) = read(tmp_path, RSS.format(f"<item><guid>p1</guid><title>{title}</title></item>"))
    assert entry.paper.title.endswith("Löhne")


def test_endless_elements_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_records, "MOST_ELEMENTS", 1_000)
    with pytest.raises(UnreadableFileError, match="more than 1,000 elements in one record"):
        read(tmp_path, RSS.format(f"<item>{'<a/>' * 1_000}</item>"))


def test_an_element_name_of_megabytes_is_shortened_in_the_message(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"not a feed: the root element is <aaa") as refusal:
        read(tmp_path, f"<{'a' * 100_000}/>")
    assert len(str(refusal.value)) < 2_100


@pytest.mark.parametrize("name", ["a" * 100_000, "a@" * 50_000, "(" * 100_000, "a@b " * 25_000])
def test_a_very_long_author_name_is_read_quickly(tmp_path, name):
    began = time.perf_counter()
    (entry,) = read(tmp_path, RSS.format(f"<item><guid>p1</guid><title>T</title><author>{name}</author></item>"))
    assert entry.paper.authors == (name.strip(),)
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("creators", "expected"),
    [
        (["\nAnn Lee, \nBo Ek, \nCy Oz"], ("Ann Lee", "Bo Ek", "Cy Oz")),
        (["Ann Lee, Bo Ek"], ("Ann Lee", "Bo Ek")),
        (["Lee, Ann; Ek, Bo"], ("Lee, Ann", "Ek, Bo")),
        (["Lee, Ann"], ("Lee, Ann",)),
        (["García López, Ana María", "Lee, Ann"], ("García López, Ana María", "Lee, Ann")),
        (["Ann Lee", "Ann Lee"], ("Ann Lee",)),
    ],
)
def test_all_authors_may_be_in_one_element(tmp_path, creators, expected):
    elements = "".join(f"<dc:creator>{creator}</dc:creator>" for creator in creators)
    (entry,) = read(tmp_path, RSS.format(f"<item><guid>p1</guid><title>T</title>{elements}</item>"))
    assert entry.paper.authors == expected


def test_an_author_after_a_mail_address(tmp_path):
    text = "<item><guid>p1</guid><title>T</title><author>a@e.org (Ann Lee)</author></item>"
    assert read(tmp_path, RSS.format(text))[0].paper.authors == ("Ann Lee",)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ATOM.format(ARXIV_ENTRY).encode(), id="atom"),
        pytest.param(RSS.format(ARXIV_ITEM.format("new")).encode(), id="rss"),
    ],
)
def test_damage_is_read_or_named_at_once(tmp_path, text):
    dice = random.Random(7)
    n_read = 0
    for _ in range(400):
        damaged = bytearray(text)
        for _ in range(dice.randint(1, 3)):
            start = dice.randrange(len(damaged))
            end = start + dice.choice([0, 0, 1, 30])
            damaged[start:end] = dice.choice(DAMAGE)
        began = time.perf_counter()
        with suppress(UnreadableFileError):
            read(tmp_path, bytes(damaged), problems=Problems(lambda error: None))
            n_read += 1
        assert time.perf_counter() - began < 1
    assert n_read > 20
