"""Small inputs of real producers, each with its correct result.

A row has the expected papers, with the fields that are often wrong or lost, and the numbers of skipped records and
reported repairs.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.choices import Choices
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Findings

CASES = Path(__file__).parents[3] / ".." / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="the shared case files are not here")
CHOICES = Choices(issue=datetime.date(2026, 11, 16))


@dataclass(frozen=True)
class Case:
    """Case file with its expected result: the fields of `Paper` to compare, for each paper."""

    file: str
    papers: Sequence[Mapping[str, object]]
    n_left_out: int = 0
    n_repairs: int = 0


WHALES = "Vocal behavior of whales (Pseudorca crassidens) & CO2"
ROWS = [
    Case(
        "b08_unbalanced.bib",
        [{"paper_id": "one"}, {"paper_id": "three"}, {"paper_id": "four", "title": "Fourth paper on trade"}],
        n_left_out=1,
    ),
    Case(
        "b10_at_in_abstract.bib", [{"paper_id": "m1", "authors": ("Author, A.",), "date": "2020"}, {"paper_id": "m2"}]
    ),
    Case(
        "r09_ty_in_the_middle.ris",
        [
            {
                "title": "Population structure of baboons",
                "authors": ("Author, A.", "Writer, B."),
                "series": "Journal of Examples",
            },
            {"title": "Second record on prices", "authors": ("Scholar, C.",)},
        ],
    ),
    Case("r10_link_after_er.ris", [{"paper_id": "2006713348", "date": "2020"}, {"paper_id": "2006713349"}]),
    Case(
        "r11_no_er.ris",
        [
            {"title": "First without an end", "date": "2020"},
            {"title": "Second with an end", "authors": ("Writer, Bo",)},
        ],
        n_repairs=1,
    ),
    Case("r13_utf16.ris", [{"title": "Über Löhne", "authors": ("Müller, Ann",), "date": "2024"}]),
    Case("r14_latin1.ris", [{"title": "Über Löhne", "authors": ("Müller, Ann",), "date": "2024"}], n_repairs=2),
    Case(
        "r24_one_latin1_line.ris",
        [{"title": "First"}, {"title": "Second", "authors": ("Müller, Bo",)}, {"title": "Third"}],
        n_repairs=1,
    ),
    Case(
        "t09_ieee_quotes.csv",
        [
            {"paper_id": "10.1000/ex.11"},
            {
                "title": "Second paper",
                "series": 'EUROCON 2007 - The International Conference on "Computer as a Tool"',
                "date": "2007",
            },
            {"paper_id": "10.1000/ex.13"},
            {"paper_id": "10.1000/ex.14"},
        ],
        n_repairs=1,
    ),
    Case("t17_cp1252.csv", [{"title": "Über Löhne", "authors": ("Müller, Ann",), "date": "2019"}], n_repairs=2),
    Case(
        "t21_broken_second_row.csv",
        [{"title": "First paper"}, {"title": 'Second "paper"', "authors": ('Writer, "Bo"',)}, {"title": "Third paper"}],
        n_repairs=1,
    ),
    Case(
        "r01_empty_tag_no_blank.ris",
        [
            {
                "title": "Outcome measures after stabilization",
                "authors": ("Author A.",),
                "codes": ("athlete",),
                "date": "",
                "abstract": "",
            }
        ],
    ),
    Case(
        "b01_scopus_repeated_field.bib",
        [{"paper_id": "10.1000/ex.2018.1", "authors": ("Author, A.", "Writer, B."), "series": "Journal of Examples"}],
        n_repairs=1,
    ),
    Case(
        "b02_sciencedirect_keywords.bib",
        [{"doi": "10.1000/ex.2017.2", "codes": ("Cloud computing", "Cloud service"), "date": "2017"}],
    ),
    Case("b04_same_entry_twice.bib", [{"title": "A study on user adaptive learning"}]),
    Case(
        "b05_no_key.bib",
        [{"title": "Prevalence and factors related to use"}, {"title": "Another paper without a key"}],
    ),
    Case(
        "b07_wos_space_in_field.bib",
        [{"title": "A paper of early access", "series": "JOURNAL OF EXAMPLES", "date": "2021"}],
    ),
    Case(
        "b09_months_strings_crossref.bib",
        [
            {"title": "Wages and jobs", "series": "American Example Review", "date": "2019-01-15"},
            {"paper_id": "a2", "series": "Proceedings of the Conference on Examples", "date": "2020"},
            {"paper_id": "proc20", "authors": ("Ed Itor",)},
            {"title": "A handbook", "authors": ("Ed Itor", "Co Editor"), "date": ""},
            {"paper_id": "a4", "title": "Entry in round brackets"},
            {"title": "50% of wages & 10% of jobs", "authors": ("World Bank", "International Monetary Fund")},
        ],
        n_repairs=1,
    ),
    Case("b11_key_with_spaces.bib", [{"paper_id": "10.1000/ex.2013.11", "authors": ("Author Ann", "Writer Bo")}]),
    Case(
        "d01_comments.rdf",
        [{"title": "Wages and jobs", "date": "2017-02-01"}, {"title": "Prices", "date": "2016-12-01"}],
    ),
    Case("d02_utf16.rdf", [{"title": "Über Löhne", "authors": ("Zoë Müller",)}]),
    Case("d03_dates.rdf", [{"date": "2002-08-17"}, {"date": "2002-08-01"}, {"date": "2002-08-01"}]),
    Case(
        "d04_html.rdf",
        [
            {
                "title": "Politique économique & salaires",
                "authors": ("André Müller",),
                "abstract": "On étudie les salaires.",
            }
        ],
    ),
    Case(
        "r02_na_doi.ris",
        [
            {"title": "Wheat straw decomposition after five years", "doi": ""},
            {"title": "Soil carbon under grass", "doi": ""},
        ],
    ),
    Case(
        "r03_rayyan_doi_and_link.ris", [{"paper_id": "10.1000/ex.2024.3", "doi": "10.1000/ex.2024.3", "date": "2024"}]
    ),
    Case(
        "f01_wiley.rss",
        [
            {
                "paper_id": "10.1000/tax.1",
                "abstract": "Based on recent molecular work, the limits of the genus are reassessed.",
                "authors": ("Ann Author", "Bo Writer", "Cy Scholar"),
                "series": "TAXON",
                "date": "2021-11-13",
            }
        ],
    ),
    Case(
        "f03_sciencedirect.rss",
        [
            {
                "abstract": "",
                "authors": ("Ann Author", "Bo Writer", "Cy Scholar"),
                "series": "Journal of Examples",
                "date": "2022-02",
            }
        ],
    ),
    Case(
        "f05_arxiv.rss",
        [
            {"paper_id": "arXiv:2609.01234", "abstract": "We do things.", "authors": ("Ann Author", "Bo Writer")},
            {"paper_id": "arXiv:2609.05678"},
        ],
    ),
    Case("r05_shared_url.ris", [{"authors": (name,)} for name in ("Author, Ann", "Writer, Bo", "Scholar, Cy")]),
    Case("r07_same_words.ris", [{"series": "Journal of Examples"}, {"series": "Annals of Samples"}]),
    Case("r12_keywords_on_lines.ris", [{"codes": ("article", "biostratigraphy", "Colorado")}]),
    Case("r15_authors_in_one_line.ris", [{"authors": ("Author, Ann", "Writer, Bo", "Scholar, Cy B.")}]),
    Case("r16_markup.ris", [{"title": WHALES, "abstract": "We find p < .001."}]),
    Case("r18_week1.ris", [{"paper_id": "1", "title": "Wages in week one"}, {"paper_id": "2"}]),
    Case("r18_week2.ris", [{"title": "Trade policy and rivers"}, {"title": "Bank runs after drought"}]),
    Case("r19_part_i_ii.ris", [{"doi": "10.1000/ex.19.1"}]),
    Case("r19_part_i_ii_b.ris", [{"doi": "10.1000/ex.19.2"}]),
    Case("r21_markup.ris", [{"title": WHALES, "abstract": "We find p < .001."}]),
    Case("r21_plain.ris", [{"title": WHALES, "abstract": "We find p < .001."}]),
    Case("r22_scopus.ris", [{"paper_id": "10.1000/ex.2024.4", "authors": ("Author, A.",)}]),
    Case(
        "t01_ebsco_dates.csv",
        [{"paper_id": "176404503", "doi": "10.1000/ex.1", "authors": ("Author, Ann", "Writer, Bo"), "date": "2024"}],
    ),
    Case("t02_embase_preface.csv", [{"title": "Structure of wages", "authors": ("Author A.", "Writer B.")}]),
    Case("t03_dimensions_preface.csv", [{"doi": "10.1000/ex.3", "date": "2024", "series": "Journal of Examples"}]),
    Case("t04_year_dot_0.csv", [{"date": "2019"}, {"date": ""}]),
    Case(
        "t06_dates_in_words.csv",
        [{"date": "2024"}, {"date": ""}, {"date": "2024-05-01"}, {"date": "2024-03"}],
        n_repairs=1,
    ),
    Case("t07_rayyan_and.csv", [{"authors": ("Author, A.", "Writer, B.", "Scholar, C."), "series": "Nat. Ex."}]),
    Case("t10_id_column_with_gaps.csv", [{"paper_id": "101"}, {"title": "Prices and jobs"}]),
    Case(
        "t11_na_doi.csv",
        [{"authors": ("Author, J.P.", "Writer, C.W."), "doi": ""}, {"doi": "10.1000/ex.15"}, {"doi": ""}],
    ),
    Case("t12a.csv", [{"paper_id": "001-1", "date": "2016-07-29", "authors": ("Ann Author", "Bo Writer")}]),
    Case("t12b.csv", [{"paper_id": "046-7", "date": "2016-03-17", "series": "arXiv: General Topology"}]),
    Case(
        "t13_asreview_ris_names.csv",
        [
            {
                "title": "Wages and jobs",
                "authors": ("Author, A.", "Writer, B."),
                "date": "2020",
                "series": "J. Ex.",
                "doi": "10.1000/ex.16",
            }
        ],
    ),
    Case(
        "t14_springer.csv",
        [
            {
                "authors": ("Araz R. Author", "Nigar T. Writer"),
                "doi": "10.1000/ex.17",
                "series": "Conference of Examples",
            }
        ],
    ),
    Case(
        "t15_wos_trailing_tab.tsv",
        [{"paper_id": "WOS:1", "authors": ("Author, A", "Writer, B")}, {"paper_id": "WOS:2", "doi": "10.1000/ex.19"}],
    ),
    Case(
        "t18_keywords_commas.csv",
        [{"codes": ("article", "cytology", "colonoscopy")}, {"codes": ("adult", "aged", "article")}],
    ),
    Case("t20_ieee_issue_date.csv", [{"date": "2020-04-06", "authors": ("A. Author", "B. Writer")}]),
]


def read(path: Path, choices: Choices = CHOICES) -> tuple[list[dict[str, object]], Findings]:
    """Return the fields of each paper of a file, and the problems found while reading it, skipping invalid records."""
    findings = Findings()
    listings = list(read_listings(path, choices, problems=findings.collect(keeps_going=True)))
    fields = [{name: getattr(listed.paper, name) for name in PAPER} for listed in listings]
    return fields, findings


PAPER = ("paper_id", "title", "abstract", "authors", "codes", "series", "date", "doi", "url", "type")


@needs_cases
@pytest.mark.parametrize("case", [pytest.param(case, id=case.file) for case in ROWS])
def test_each_case_file_has_the_expected_result(case):
    papers, findings = read(CASES / case.file)
    compared = [{name: paper[name] for name in right} for paper, right in zip(papers, case.papers, strict=False)]
    assert (len(papers), compared) == (len(case.papers), list(case.papers))
    assert (len(findings.skipped), len(findings.repairs)) == (case.n_left_out, case.n_repairs), findings.skipped


@needs_cases
@pytest.mark.parametrize("file", ["r02_na_doi.ris", "r07_same_words.ris", "t11_na_doi.csv", "b05_no_key.bib"])
def test_papers_of_a_file_have_distinct_ids(file):
    papers, _ = read(CASES / file)
    assert len({paper["paper_id"] for paper in papers}) == len(papers)


@needs_cases
def test_a_preprint_and_its_article_differ_also_without_ids(tmp_path):
    ids = set()
    for name in ("t12a.csv", "t12b.csv"):
        path = tmp_path / name
        path.write_text((CASES / name).read_text().replace("Lens ID", "Number"))
        papers, _ = read(path)
        ids |= {paper["paper_id"] for paper in papers}
    assert len(ids) == 2


@needs_cases
@pytest.mark.parametrize("name", ["s02_comments.run", "s02_comments.qrels", "s03_float.qrels", "s05_crlf_tabs.run"])
def test_runs_and_judgements_are_no_papers(name):
    with pytest.raises(UnreadableFileError, match=r"looks like a TREC (run|qrels file)\. "):
        list(read_listings(CASES / name, CHOICES))
