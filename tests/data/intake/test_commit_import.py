from dataclasses import asdict, replace

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import outcomes, rankings
from presort.data.records import ImportSummary, Origin, Paper, Ranking, Report, ReportIssue
from tests.data.workspaces import (
    FIRST,
    SECOND,
    contents,
    damage,
    ids,
    make_issue,
    make_listed,
    say,
    send_out,
    take_in,
)

NOTHING = ImportSummary(0, 0, 0, 0, 0, 0, 0, 0)


def test_everything_is_stored(store):
    full = make_listed(
        "a1",
        selected_by=("lab", "his"),
        title="Wages",
        abstract="We show.",
        authors=("Ann Lee", "Bo Chen"),
        codes=("J31",),
        series="Papers",
        date="2026-10-30",
    )
    summary = take_in(store, [full, make_listed("a2"), make_listed("a1", SECOND, title="Wages", selected_by=("lab",))])
    assert summary == ImportSummary(
        listings=3,
        new_issues=2,
        new_papers=2,
        updated_papers=0,
        new_listings=3,
        new_reports=2,
        new_selections=3,
        selections_left=0,
    )
    assert catalogue.papers(store, FIRST) == [full.paper, Paper("a2", "About a2")]
    assert catalogue.papers(store, SECOND) == [full.paper]
    assert catalogue.reports(store) == [Report("his", "his"), Report("lab", "lab")]
    assert decisions.labels(store, "lab", FIRST) == {"a1": "yes"}
    assert publications.published(store, "lab") == {
        day: ReportIssue("lab", day, (), "files", source="file", n_papers=n) for day, n in {FIRST: 2, SECOND: 1}.items()
    }
    assert list(publications.published(store, "his")) == [FIRST]


def test_a_paper_twice_in_an_issue_keeps_its_place_and_its_last_description(store):
    first = make_listed("a1", title="Wages and jobs", abstract="We show.", selected_by=("lab", "his"))
    again = make_listed("a1", title="Wages and jobs: What we know", selected_by=("lab", "mac"))
    summary = take_in(store, [first, make_listed("a2"), again])
    assert (summary.listings, summary.new_papers, summary.new_listings, summary.new_selections) == (2, 2, 2, 3)
    assert catalogue.papers(store, FIRST) == [
        Paper("a1", "Wages and jobs: What we know", abstract="We show."),
        Paper("a2", "About a2"),
    ]
    assert all(decisions.labels(store, report, FIRST) == {"a1": "yes"} for report in ("lab", "his", "mac"))
    assert asdict(take_in(store, [first, again])) == {**asdict(NOTHING), "listings": 1}


def test_a_paper_left_to_its_editor_counts_once(store):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    send_out(store, "lab")
    again = [make_listed("a1", title=title, selected_by=("lab",)) for title in ("About a1", "About a1: What we know")]
    assert take_in(store, again).selections_left == 1


def test_an_empty_import_changes_nothing(store):
    assert take_in(store) == NOTHING
    assert catalogue.issues(store) == []


def test_papers_without_selections(store):
    take_in(store, make_issue(2))
    assert (ids(store, FIRST), catalogue.reports(store)) == (["a1", "a2"], [])


def test_issues_in_any_order_of_rows(store):
    mixed = [listed for pair in zip(make_issue(3, SECOND), make_issue(3), strict=True) for listed in pair]
    take_in(store, mixed)
    assert (ids(store, FIRST), ids(store, SECOND)) == (["a1", "a2", "a3"], ["b1", "b2", "b3"])


@pytest.mark.usefixtures("small_chunks")
def test_many_chunks_keep_their_order_and_selections(store):
    take_in(store, make_issue(20, selected={"lab": [1, 4, 20]}))
    assert ids(store, FIRST) == [f"a{position}" for position in range(1, 21)]
    assert set(decisions.labels(store, "lab", FIRST)) == {"a1", "a4", "a20"}


@pytest.mark.usefixtures("small_chunks")
def test_the_same_twice_changes_nothing(store):
    issues = make_issue(5, selected={"lab": [1, 4], "his": [4]}), make_issue(4, SECOND, selected={"his": [2]})
    take_in(store, *issues)
    before = contents(store)
    assert asdict(take_in(store, *issues)) == asdict(NOTHING) | {"listings": 9}
    assert contents(store) == before


def test_new_papers_of_a_known_issue_come_last(store):
    take_in(store, make_issue(3))
    longer = [make_listed("new1"), *make_issue(3), make_listed("new2")]
    assert take_in(store, longer).new_listings == 2
    assert ids(store, FIRST) == ["a1", "a2", "a3", "new1", "new2"]


def test_later_selections_of_a_known_issue_are_added(store):
    take_in(store, make_issue(3, selected={"lab": [1]}))
    assert take_in(store, make_issue(3, selected={"lab": [1, 2]})).new_selections == 1
    assert decisions.labels(store, "lab", FIRST) == {"a1": "yes", "a2": "yes"}


def test_changed_texts_are_updated(store):
    take_in(store, [make_listed("a1", abstract="Old.", authors=("Ann",)), make_listed("a2")])
    summary = take_in(
        store, [make_listed("a1", SECOND, title="Now about a1", abstract="Old, but newer.", codes=("J31",))]
    )
    assert (summary.updated_papers, summary.new_papers, summary.new_listings) == (1, 0, 1)
    assert catalogue.papers(store, FIRST)[0] == Paper("a1", "Now about a1", "Old, but newer.", ("Ann",), ("J31",))


@pytest.mark.parametrize("is_in_one_file", [True, False], ids=["in-one-file", "in-the-next"])
def test_different_papers_with_the_same_number_are_imported_separately(store, is_in_one_file):
    """Otherwise one week's papers would replace the texts of another's, and no new paper would be listed."""
    first = [make_listed(str(number), title=f"Wages in country {number}") for number in (1, 2)]
    titles = ["Monetary policy of banks", "Wages in country 2: A reply to all"]
    second = [
        replace(make_listed(str(number), SECOND, title=title), origin=Origin("week.csv", number))
        for number, title in zip((1, 3), titles, strict=True)
    ]
    if not is_in_one_file:
        take_in(store, first)
    report = commit_import(store, [*first, *second] if is_in_one_file else second, person="files")
    (shared,) = report.shared
    assert (shared.title, shared.origin, shared.duplicate_of, shared.how) == (
        titles[0],
        Origin("week.csv", 1),
        "1",
        "id",
    )
    assert ids(store, SECOND) == [shared.paper_id, "3"]
    assert [paper.title for paper in catalogue.papers(store, FIRST)] == ["Wages in country 1", "Wages in country 2"]
    assert [paper.title for paper in catalogue.papers(store, SECOND)] == titles
    before = contents(store)
    again = commit_import(store, second[::-1], person="files")
    assert (again.shared, again.possible, contents(store)) == ((), (), before)


URL = "https://conference.example.org/2026"
TALKS = [
    make_listed(URL, title="Minimum wages in small towns", authors=("Ann Lee",)),
    make_listed(URL, title="Tariffs and the price of bread", authors=("Bo Ek",)),
    make_listed(URL, title="Banks and drought", authors=("Cy Oz",)),
]


def test_different_papers_with_the_same_url_are_imported_separately(store):
    report = commit_import(store, TALKS, person="files")
    assert [paper.title for paper in catalogue.papers(store, FIRST)] == [listed.paper.title for listed in TALKS]
    assert [change.title for change in report.shared] == [listed.paper.title for listed in TALKS[1:]]
    assert (report.twice, report.possible) == ((), ())
    assert damage(store) == []


@pytest.mark.parametrize("order", [(2, 1, 0), (1,), (2, 0)])
def test_papers_with_the_same_url_are_recognised_in_any_order(store, order):
    take_in(store, TALKS)
    before = contents(store)
    report = commit_import(store, [TALKS[place] for place in order], person="files")
    assert (report.new, report.updated, report.shared, contents(store)) == ((), (), (), before)


def test_papers_with_generic_titles_are_distinguished_by_their_abstracts(store):
    both = [
        make_listed("title:1", title="Editorial", abstract=abstract, series=series, date="2020")
        for abstract, series in (("On wages.", "Journal of X"), ("On prices.", "Annals of Y"))
    ]
    take_in(store, both)
    assert [paper.abstract for paper in catalogue.papers(store, FIRST)] == ["On wages.", "On prices."]
    assert take_in(store, both).new_papers == 0


def test_the_same_author_and_url_make_a_possible_duplicate(store):
    other = replace(TALKS[0], paper=replace(TALKS[0].paper, title="Tariffs and the price of bread"))
    report = commit_import(store, [TALKS[0], other], person="files")
    assert [(change.title, change.duplicate_of, change.how) for change in report.possible] == [
        ("Tariffs and the price of bread", URL, "id")
    ]
    assert len(ids(store, FIRST)) == 2


def test_a_handle_means_one_paper_whatever_its_title(store):
    take_in(store, [make_listed("RePEc:x:y:1", title="Wages")])
    assert take_in(store, [make_listed("RePEc:x:y:1", SECOND, title="Trade and trust")]).updated_papers == 1


FULL_TEXTS = {"abstract": "We show.", "authors": ("Ann",), "codes": ("J31",), "series": "Papers", "date": "2026-10-30"}


@pytest.mark.parametrize("column", FULL_TEXTS)
def test_an_empty_cell_never_deletes_a_text(store, column):
    take_in(store, [make_listed("a1", **FULL_TEXTS)])
    fewer = {name: text for name, text in FULL_TEXTS.items() if name != column}
    assert take_in(store, [make_listed("a1", **fewer)]).updated_papers == 0
    assert catalogue.papers(store, FIRST) == [Paper("a1", "About a1", **FULL_TEXTS)]


def test_an_empty_cell_deletes_no_text_of_an_earlier_row(store):
    take_in(store, [make_listed("a1", **FULL_TEXTS), make_listed("a1", SECOND, title="About a1: Newer words")])
    assert catalogue.papers(store, FIRST) == [Paper("a1", "About a1: Newer words", **FULL_TEXTS)]


@pytest.mark.parametrize("label", ["yes", "no", "maybe", "undecided"])
def test_a_file_never_overrules_an_editor(store, label):
    """After a decision at the desk, files don't change this report issue.

    Other reports accept the file's selections.
    """
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macro")])
    decisions.decide(store, [say("lab", "a1", label)])
    assert take_in(store, make_issue(2, selected={"lab": [1, 2], "mac": [2]})).new_selections == 1
    assert decisions.labels(store, "lab", FIRST) == ({} if label == "undecided" else {"a1": label})
    assert publications.published(store, "lab") == {}
    assert decisions.labels(store, "mac", FIRST) == {"a2": "yes"}
    assert list(publications.published(store, "mac")) == [FIRST]


def test_outcomes_are_recomputed_after_later_selections(store):
    take_in(store, make_issue(3, selected={"lab": [3]}))
    order = np.array([1, 2, 3], dtype=np.int32)
    rankings.add_rankings(store, [Ranking("lab", FIRST, "r", FIRST, 0, 0, order, np.empty(0))])

    def places():
        outcomes.score_published_issues(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)
        return [x.places.tolist() for x in outcomes.scored_rankings(store)]

    assert places() == [[3]]
    take_in(store, make_issue(3, selected={"lab": [1, 3]}))
    assert places() == [[1, 3]]


def test_a_published_report_issue_is_not_changed(store):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    send_out(store, "lab")
    assert take_in(store, make_issue(2, selected={"lab": [2]})).selections_left == 1
    assert decisions.labels(store, "lab", FIRST) == {}
    assert publications.published(store, "lab") == {FIRST: ReportIssue("lab", FIRST, (), "Ann", n_papers=2)}


def test_a_reopened_report_issue_is_not_changed_by_files(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    reopen(store, "lab", FIRST, "one is missing", person="Ann")
    assert take_in(store, make_issue(2, selected={"lab": [1, 2]})).selections_left == 1
    assert decisions.labels(store, "lab", FIRST) == {"a1": "yes"}
    assert publications.published(store, "lab") == {}


def test_only_report_issues_with_selections_in_the_file_are_published(store):
    take_in(store, make_issue(2, selected={"lab": [1]}), make_issue(2, SECOND, selected={"his": [1]}))
    assert (list(publications.published(store, "lab")), list(publications.published(store, "his"))) == (
        [FIRST],
        [SECOND],
    )
    with pytest.raises(RefusedError, match="was published on"):
        decisions.decide(store, [say("lab", "a2", "yes")])
