"""Papers imported again under another id: stored, but not listed again."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

import presort.data.intake.commit_import
from presort.data import catalogue
from presort.data.duplicates.listings import duplicates, separate
from presort.data.editing import decisions
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportSummary, ListedPaper, Origin, Paper, PaperChange
from presort.data.store import Store
from presort.data.tables import PaperRow
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, damage, ids, make_listed, n_unlisted, take_in

TITLE = "Minimum wages and the jobs of young people"
AUTHORS = ("Ann M. Lee", "Bo van der Ek")
KNOWN = make_listed("p1", title=TITLE, abstract="We count jobs.", authors=AUTHORS)
COPY = make_listed("q1", SECOND, title="Minimun wages and the jobs of young people", authors=("Lee, A.", "Ek, B."))
OTHER = make_listed("q2", SECOND, title="Trade and trust in towns", authors=("Cy Oz",))


def duplicate_of(store: Store, issue=SECOND) -> dict[str, str]:
    return {copy.paper.paper_id: copy.known.paper_id for copy in duplicates(store, issue)}


def test_a_duplicate_is_stored_but_not_listed(store):
    take_in(store, [KNOWN])
    summary = take_in(store, [COPY, OTHER])
    assert summary == ImportSummary(2, 1, 1, 0, 1, 0, 0, 0, matched=1)
    assert ids(store, SECOND) == ["q2"]
    assert duplicate_of(store) == {"q1": "p1"}
    assert catalogue.paper(store, "q1") == COPY.paper
    assert damage(store) == []


def test_the_import_report_names_papers_with_file_and_row(store):
    take_in(store, [KNOWN, replace(OTHER, issue=FIRST)])
    rows = [
        replace(COPY, origin=Origin("week.zip/a.rdf", 12)),
        replace(OTHER, origin=Origin("week.zip/b.rdf", 3), paper=replace(OTHER.paper, abstract="They trust.")),
        make_listed("q3", SECOND),
        replace(make_listed("q4", SECOND), origin=Origin("week.zip/b.rdf")),
        replace(make_listed("q4", THIRD, title="About q4: Once more"), origin=Origin("week.zip/c.rdf", 1)),
    ]
    report = commit_import(store, rows, person="files")
    assert report.new == (
        PaperChange("q3", "About q3", None),
        PaperChange("q4", "About q4: Once more", Origin("week.zip/b.rdf")),
    )
    assert report.updated == (PaperChange("q2", OTHER.paper.title, Origin("week.zip/b.rdf", 3)),)
    origin = Origin("week.zip/a.rdf", 12)
    assert report.matched == (PaperChange("q1", COPY.paper.title, origin, "p1", "title and authors"),)
    summary = report.summary
    assert (summary.new_papers, summary.updated_papers, summary.matched) == (2, 1, 1)


def test_importing_a_file_again_changes_nothing(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY, OTHER])
    before = contents(store)
    report = commit_import(store, [COPY, OTHER], person="files")
    assert report.summary == ImportSummary(2, 0, 0, 0, 0, 0, 0, 0)
    assert (report.new, report.updated, report.matched) == ((), (), ())
    assert contents(store) == before


def test_a_duplicate_is_not_listed_in_later_issues(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY, OTHER])
    later = [replace(COPY, issue=THIRD), replace(OTHER, issue=THIRD)]
    assert take_in(store, later) == ImportSummary(2, 1, 0, 0, 1, 0, 0, 0, matched=1)
    assert ids(store, THIRD) == ["q2"]
    assert duplicate_of(store, THIRD) == duplicate_of(store) == {"q1": "p1"}


def test_a_duplicate_in_two_issues_of_a_file_is_listed_in_neither(store):
    take_in(store, [KNOWN])
    assert take_in(store, [COPY, replace(COPY, issue=THIRD), OTHER]).matched == 1
    assert (ids(store, SECOND), duplicate_of(store), duplicate_of(store, THIRD)) == (["q2"], {"q1": "p1"}, {"q1": "p1"})


def test_the_known_paper_itself_is_listed_again(store):
    take_in(store, [KNOWN])
    assert take_in(store, [replace(KNOWN, issue=SECOND)]).matched == 0
    assert ids(store, SECOND) == ["p1"]


AGAIN = replace(KNOWN, issue=SECOND, is_only_if_new=True)


def test_papers_repeated_by_an_archive_are_not_listed_again(store):
    take_in(store, [KNOWN])
    retitled = replace(AGAIN, paper=replace(KNOWN.paper, title="Retitled"), origin=Origin("all.rdf", 7))
    report = commit_import(store, [retitled, replace(OTHER, is_only_if_new=True)], person="files")
    assert report.seen == (PaperChange("p1", "Retitled", Origin("all.rdf", 7)),)
    assert (ids(store, SECOND), report.summary.updated_papers) == (["q2"], 1)
    assert duplicate_of(store) == {}, "it is the paper itself, no copy"


def test_an_issue_without_new_papers_is_not_created(store):
    take_in(store, [KNOWN])
    before = contents(store)
    assert take_in(store, [AGAIN]) == ImportSummary(1, 0, 0, 0, 0, 0, 0, 0)
    assert contents(store) == before


@pytest.mark.parametrize(
    ("again", "is_matched"),
    [
        pytest.param(replace(AGAIN, is_only_if_new=False), True, id="according-to-the-file"),
        pytest.param(replace(AGAIN, selected_by=("lab",)), True, id="selected-from-it"),
        pytest.param(AGAIN, False, id="not-matched"),
        pytest.param(replace(AGAIN, issue=FIRST - timedelta(weeks=1)), True, id="listed-later-only"),
    ],
)
def test_a_paper_may_be_listed_again(store, again, is_matched):
    take_in(store, [KNOWN])
    report = commit_import(store, [again], person="files", is_matched=is_matched)
    assert (report.seen, ids(store, again.issue)) == ((), ["p1"])


def test_importing_the_same_file_again_removes_nothing(store):
    take_in(store, [KNOWN])
    both = [replace(AGAIN, selected_by=("lab",)), replace(OTHER, is_only_if_new=True)]
    take_in(store, both)
    before = contents(store)
    report = commit_import(store, [AGAIN, both[1]], person="files")
    assert (report.seen, contents(store)) == ((), before)


def test_the_first_of_two_duplicates_in_a_file_is_listed(store):
    take_in(store, [make_listed("x")])
    first = replace(COPY, paper=replace(COPY.paper, paper_id="q0"))
    assert take_in(store, [first, OTHER, COPY]).matched == 1
    assert (ids(store, SECOND), duplicate_of(store)) == (["q0", "q2"], {"q1": "q0"})


def test_a_duplicate_of_a_duplicate_refers_to_the_original(store):
    take_in(store, [KNOWN])
    versions = [make_listed(f"arXiv:1701.1v{n}", SECOND, title=TITLE, authors=AUTHORS) for n in (1, 2)]
    take_in(store, versions)
    take_in(store, [make_listed("arXiv:1701.1v3", THIRD, title="Retitled from end to end")])
    assert duplicate_of(store) == {"arXiv:1701.1v1": "p1", "arXiv:1701.1v2": "p1"}
    assert duplicate_of(store, THIRD) == {"arXiv:1701.1v3": "p1"}


def test_the_first_import_is_not_searched_for_duplicates(store):
    assert take_in(store, [KNOWN, replace(COPY, issue=FIRST)]).matched == 0
    assert ids(store, FIRST) == ["p1", "q1"]


def test_matching_can_be_switched_off(store):
    take_in(store, [KNOWN])
    report = commit_import(store, [COPY], person="files", is_matched=False)
    assert (report.summary.matched, ids(store, SECOND)) == (0, ["q1"])


def test_known_duplicates_remain_duplicates_without_matching(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY])
    commit_import(store, [COPY], person="files", is_matched=False)
    assert (ids(store, SECOND), duplicate_of(store)) == ([], {"q1": "p1"})


def test_a_selected_paper_is_always_listed(store):
    take_in(store, [KNOWN])
    twice = [replace(COPY, selected_by=("lab",)), replace(COPY, issue=THIRD), OTHER]
    assert take_in(store, twice).matched == 0
    assert (ids(store, SECOND), ids(store, THIRD)) == (["q1", "q2"], ["q1"])
    assert decisions.labels(store, "lab", SECOND) == {"q1": "yes"}


def test_a_paper_can_duplicate_a_selected_one_further_down_the_file(store):
    take_in(store, [make_listed("x")])
    later = ListedPaper(KNOWN.paper, SECOND, ("lab",))
    assert take_in(store, [COPY, later]).matched == 1
    assert (ids(store, SECOND), duplicate_of(store)) == (["p1"], {"q1": "p1"})


def test_a_duplicate_selected_by_a_later_file_is_listed(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY, OTHER])
    take_in(store, [replace(COPY, issue=THIRD)])
    selected = [replace(COPY, selected_by=("lab", "his")), make_listed("q3", SECOND)]
    summary = take_in(store, selected)
    assert (summary.new_listings, summary.new_selections, summary.matched) == (3, 2, 0)
    assert (ids(store, SECOND), ids(store, THIRD)) == (["q2", "q1", "q3"], ["q1"])
    assert duplicate_of(store) == duplicate_of(store, THIRD) == {}
    assert decisions.labels(store, "lab", SECOND) == {"q1": "yes"}


@pytest.mark.parametrize(
    ("known", "new"),
    [
        pytest.param("RePEc:nbr:nberwo:1", "repec:NBR:nberwo:1", id="handle-in-different-case"),
        pytest.param("http://arxiv.org/abs/1701.00317v1", "oai:arXiv.org:1701.00317", id="version"),
    ],
)
def test_a_duplicate_is_found_by_its_id(store, known, new):
    take_in(store, [make_listed(known, title="Wages")])
    (found,) = commit_import(store, [make_listed(new, SECOND, title="Jobs")], person="files").matched
    assert (found.duplicate_of, found.how) == (known, "id")


def with_doi(listed: ListedPaper, doi: str) -> ListedPaper:
    return replace(listed, paper=replace(listed.paper, doi=doi))


@pytest.mark.parametrize(
    ("known", "new"),
    [
        pytest.param("https://doi.org/10.1257/AER.1", "doi:10.1257/aer.1", id="written-differently"),
        pytest.param("10.1257/aer.1", "10.1257/AER.1", id="in-other-capitals"),
    ],
)
def test_a_duplicate_is_found_by_the_doi_in_its_file(store, known, new):
    take_in(store, [with_doi(KNOWN, known)])
    retitled = make_listed("q1", SECOND, title="Pay and work", abstract="We count jobs.")
    (found,) = commit_import(store, [with_doi(retitled, new)], person="files").matched
    assert (found.duplicate_of, found.how) == ("p1", "doi")


def test_papers_that_share_only_a_doi_are_listed_and_reported(store):
    take_in(store, [with_doi(KNOWN, "10.5555/book")])
    report = commit_import(store, [with_doi(OTHER, "10.5555/book")], person="files")
    assert [(change.paper_id, change.duplicate_of, change.how) for change in report.shared] == [("q2", "p1", "doi")]
    assert (ids(store, SECOND), report.matched, report.possible) == (["q2"], (), ())


DOUBT = replace(COPY, paper=replace(COPY.paper, title=TITLE, abstract="Old trees grow near rivers."))


def test_a_possible_duplicate_is_listed_and_reported(store):
    take_in(store, [KNOWN])
    report = commit_import(store, [replace(DOUBT, origin=Origin("week.rdf", 3))], person="files")
    assert report.possible == (PaperChange("q1", TITLE, Origin("week.rdf", 3), "p1", "title and authors"),)
    assert (ids(store, SECOND), report.summary.matched) == (["q1"], 0)


def test_the_original_of_a_duplicate_is_read_under_the_lock(store, monkeypatch):
    """A user separates a paper from its duplicate after another paper was found to resemble it."""
    take_in(store, [KNOWN])
    take_in(store, [COPY])
    resolve = presort.data.intake.commit_import._write_new_papers

    def separate_first(*arguments):
        separate(store, "q1", person="Ann")
        resolve(*arguments)

    monkeypatch.setattr(presort.data.intake.commit_import, "_write_new_papers", separate_first)
    take_in(store, [replace(COPY, paper=replace(COPY.paper, paper_id="q9"), issue=THIRD)])
    assert duplicate_of(store, THIRD) == {"q9": "q1"}


def dois(store: Store) -> list[str]:
    with store.reading() as connection:
        return list(connection.execute(select(PaperRow.doi).order_by(PaperRow.id)).scalars())


def test_a_doi_can_be_added_later_and_is_not_deleted(store):
    listed = make_listed("p1")
    take_in(store, [listed])
    assert take_in(store, [with_doi(listed, "https://doi.org/10.1257/AER.1")]).updated_papers == 1
    for nothing in ("", "none"):
        assert take_in(store, [with_doi(listed, nothing)]).updated_papers == 0
    assert take_in(store, [with_doi(listed, "doi:10.1257/aer.1"), listed]).updated_papers == 0
    assert dois(store) == ["10.1257/aer.1"]


def test_texts_of_a_duplicate_are_updated(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY])
    assert take_in(store, [replace(COPY, paper=replace(COPY.paper, abstract="We count."))]).updated_papers == 1
    assert duplicates(store, SECOND)[0].paper.abstract == "We count."


def test_an_issue_of_duplicates_only_is_not_created(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY])
    assert [issue.date for issue in catalogue.issues(store)] == [FIRST]
    take_in(store, [OTHER])
    assert (ids(store, SECOND), duplicate_of(store)) == (["q2"], {"q1": "p1"})


@pytest.mark.usefixtures("small_chunks")
def test_deleting_leftovers_keeps_duplicates(store):
    take_in(store, [KNOWN])
    take_in(store, [COPY, OTHER])
    with pytest.raises(ValueError, match="broken"):
        commit_import(store, broken(), person="files")
    assert (n_unlisted(store), duplicate_of(store)) == (1, {"q1": "p1"})


def broken():
    yield from [make_listed(f"r{n}", THIRD) for n in range(7)]
    raise ValueError("broken")


def test_short_titles_without_authors_make_no_duplicate(store):
    take_in(store, [ListedPaper(Paper("p1", "Editorial"), FIRST), ListedPaper(Paper("p2", "Wages"), FIRST)])
    take_in(store, [ListedPaper(Paper("q1", "Editorial"), SECOND), ListedPaper(Paper("q2", "Wages"), SECOND)])
    assert ids(store, SECOND) == ["q1", "q2"]
