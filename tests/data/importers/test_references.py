import pytest

from presort.data.importers.amf import read_amf
from presort.data.importers.bibtex_file import read_bibtex
from presort.data.importers.csl_json import read_csl_json
from presort.data.importers.endnote_xml import read_endnote_xml
from presort.data.importers.feed import read_feed
from presort.data.importers.fields import authors_of, certain_date
from presort.data.importers.problems import Findings
from presort.data.importers.pubmed_xml import read_pubmed_xml
from presort.data.importers.references import doi_of, id_from_words
from presort.data.importers.ris_file import read_ris
from presort.data.importers.tagged_files import read_endnote, read_medline, read_web_of_science


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1257/AER.1", "10.1257/aer.1"),
        ("https://doi.org/10.1257/aer.1", "10.1257/aer.1"),
        ("http://dx.doi.org/10.1257/aer.1", "10.1257/aer.1"),
        ("doi: 10.1257/aer.1", "10.1257/aer.1"),
        ("https://doi.org/doi:10.1257/aer.1", "10.1257/aer.1"),
        ("10.1000/ex.2024.3     LK  - https://links.example.org?id=doi:10.1000%2Fex.9", "10.1000/ex.2024.3"),
        ("10.1000/ex.1; 10.1000/ex.2", "10.1000/ex.1"),
        ("10.1000/ex.1,https://doi.org/10.1000/ex.2", "10.1000/ex.1"),
        ("(https://doi.org/10.1000/ex.1).", "10.1000/ex.1"),
        ("10.1000/ex(2)1", "10.1000/ex(2)1"),
        (
            "10.1002/(SICI)1097(199706)35:4&lt;433::AID-JBM2&gt;3.0.CO;2-M",
            "10.1002/(sici)1097(199706)35:4<433::aid-jbm2>3.0.co;2-m",
        ),
        ("https://publisher.example.com/doi/abs/10.1000/tax.1?af=R", "10.1000/tax.1"),
        ("https://publisher.example.com/doi/10.1000/tax.1/full", "10.1000/tax.1"),
        ("https://doi.org/10.1000%2Fex.1", "10.1000/ex.1"),
        ("10.1007/978-3-030-1 [doi]", "10.1007/978-3-030-1"),
        ("NA", ""),
        ("n/a", ""),
        ("10.1000", ""),
        ("https://conference.example.org/2026", ""),
        ("version 10.1/2", ""),
        ("", ""),
    ],
)
def test_dois(text, doi):
    assert doi_of(text) == doi


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Tue, 06 Oct 2026 00:00:00 -0400", "2026-10-06"),
        ("2024 Mar 5", "2024-03-05"),
        ("Mar 5th, 2024", "2024-03-05"),
        ("22-24 Nov. 2019", "2019-11"),
        ("NOV 2021", "2021-11"),
        ("Spring 2024", "2024"),
        ("1998 Dec-1999 Jan", "1998"),
        ("30/4/2024", "2024-04-30"),
        ("4/4/2024", "2024-04-04"),
        ("3/4/2024", "2024"),
        ("03/2024", "2024-03"),
        ("2024.03.05", "2024-03-05"),
        ("2014-05-00", "2014-05"),
        ("2014-00-00", "2014"),
        ("Mar2024", "2024-03"),
        ("Jan/Feb2020", "2020"),
        ("24-May-2023", "2023-05-24"),
        ("May 2-3, 2024", "2024-05"),
        ("1/2/2024 12:00:00 AM", "2024"),
        ("c2019", "2019"),
        ("[2019]", "2019"),
        ("accepted 2023, published 2024", ""),
        ("201913", "2019"),
        ("12345678", ""),
        ("forthcoming", ""),
    ],
)
def test_odd_dates(text, date):
    assert certain_date(text) == date


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Author, Ann; Writer, Bo; Scholar, Cy B.", ("Author, Ann", "Writer, Bo", "Scholar, Cy B.")),
        ("Author, J.P. and Writer, C.W.", ("Author, J.P.", "Writer, C.W.")),
        ("Ann Lee, Bo Ek, and Cy Oz", ("Ann Lee", "Bo Ek", "Cy Oz")),
        ("Author, A., Writer, B., & Scholar, C.", ("Author, A.", "Writer, B.", "Scholar, C.")),
        ("Author, Ann, Writer, Bo", ("Author, Ann", "Writer, Bo")),
        ("Author A., Writer B.", ("Author A.", "Writer B.")),
        ("A Author, B van der Writer, ...", ("A Author", "B van der Writer")),
        ("Ł. Müller, Ö. Şahin", ("Ł. Müller", "Ö. Şahin")),
        ("O'Neil J, D'Angelo-Smith K", ("O'Neil J", "D'Angelo-Smith K")),
        ("Lee, Ann and Ek, Bo and others", ("Lee, Ann", "Ek, Bo")),
        ("Smith, J.; Smith, J.", ("Smith, J.",)),
        ("LEE, ANN and EK, BO", ("LEE, ANN", "EK, BO")),
        ("LEE A, EK B", ("LEE A", "EK B")),
        ("A.LEE, B.EK", ("A.LEE", "B.EK")),
        ("[No author name available]", ()),
    ],
)
def test_several_authors_in_one_text(text, authors):
    assert authors_of([text]) == authors


@pytest.mark.parametrize(
    "name",
    [
        "Lee, Ann",
        "García López, Ana María",
        "LEE, ANN",
        "DE LA CRUZ, ANA MEI",
        "MÜLLER, JÖRG",
        "LEE, ANN Jr.",
        "van der Ek, Bo",
        "Müller, Jörg",
        "Núñez, Søren",
        "Smith, Jr., John",
        "Smith, John, Jr.",
        "Bank of Town and Country",
        "Simon and Schuster",
        "Procter & Gamble",
        "Ministry of Health and Welfare",
        "U.S. Food and Drug Administration",
        "National Academies of Sciences, Engineering, and Medicine",
        "Deutsche Bank, Research",
        "and",
    ],
)
def test_one_author_stays_one(name):
    assert authors_of([name]) == (name,)


def test_derived_ids_differ_by_series_and_date():
    editorial = ("Editorial", "2020", "")
    ids = {
        id_from_words(*editorial, "Journal of Examples"),
        id_from_words(*editorial, "Annals of Samples"),
        id_from_words("Editorial", "2020-05", "", "Annals of Samples"),
        id_from_words(*editorial),
    }
    assert len(ids) == 4
    assert id_from_words(*editorial, "Annals of samples.") in ids


PUBMED_DATE = "<Journal><JournalIssue><PubDate><MedlineDate>{}</MedlineDate></PubDate></JournalIssue></Journal>"
ARXIV_ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'>\n<entry><id>http://arxiv.org/abs/2401.01234</id><title>Wages</title>"
    "<published>{}</published></entry></feed>"
)


@pytest.mark.parametrize(
    ("read", "content"),
    [
        pytest.param(read_ris, "\nTY  - JOUR\nTI  - Wages\nDA  - {}\nER  - \n", id="ris"),
        pytest.param(read_bibtex, "\n@misc{{a, title = {{Wages}}, year = {{{}}}}}", id="bibtex"),
        pytest.param(read_medline, "\nPMID- 1\nTI  - Wages\nDP  - {}\n", id="medline"),
        pytest.param(read_web_of_science, "\nPT J\nTI Wages\nPY {}\nER\n", id="web-of-science"),
        pytest.param(read_web_of_science, "\nPT J\nTI Wages\nPD {}\nER\n", id="web-of-science-without-year"),
        pytest.param(read_endnote, "\n%0 Report\n%T Wages\n%D {}\n", id="endnote"),
        pytest.param(
            read_endnote_xml,
            "<records>\n<record><titles><title>Wages</title></titles><dates><year>{}</year></dates></record></records>",
            id="endnote-xml",
        ),
        pytest.param(
            read_pubmed_xml,
            "<PubmedArticleSet>\n<PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
            f"<ArticleTitle>Wages</ArticleTitle>{PUBMED_DATE}</Article></MedlineCitation></PubmedArticle>"
            "</PubmedArticleSet>",
            id="pubmed-xml",
        ),
        pytest.param(read_csl_json, '[\n{{"title": "Wages", "issued": {{"literal": "{}"}}}}]', id="csl-json"),
        pytest.param(read_csl_json, '[\n{{"title": "Wages", "issued": {{"date-parts": [["{}"]]}}}}]', id="csl-parts"),
        pytest.param(
            read_amf,
            "<amf xmlns='http://amf.openlib.org'>\n<text id='p1'><title>Wages</title><date>{}</date></text></amf>",
            id="amf",
        ),
        pytest.param(
            read_feed,
            "<rss><channel>\n<item><title>Wages</title><guid>1</guid><pubDate>{}</pubDate></item></channel></rss>",
            id="rss",
        ),
        pytest.param(read_feed, ARXIV_ATOM, id="atom-of-arxiv"),
    ],
)
@pytest.mark.parametrize(("date", "n_repairs"), [("in press", 1), ("n.d.", 0), ("///", 0), ("", 0), ("2019", 0)])
def test_unreadable_dates_are_reported(tmp_path, read, content, date, n_repairs):
    path, findings = tmp_path / "week.txt", Findings()
    path.write_text(content.format(date), encoding="utf-8")
    (entry,) = read(path, problems=findings.collect(keeps_going=False))
    assert entry.paper.date == (date if date == "2019" else "")
    reason = "'in press' is not a date, so the paper was imported without a date"
    assert list(map(str, findings.repairs)) == [f"week.txt, line 2: {reason}"] * n_repairs
