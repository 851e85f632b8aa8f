"""Sources of decisions: a file never overrides an editor, and a later file completes an earlier one."""

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.decisions import minutes_spent
from presort.data.editing.drafts import save_draft
from presort.data.editing.log import decisions_since, published_issues
from presort.data.editing.notes import add_notes
from presort.data.editing.publications import publication_log, reopen
from presort.data.editing.read_papers import add_draw, mark_read
from presort.data.editing.skipping import skip
from presort.data.editing.work import minutes_at_desk
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Draft, Draw, Note, Report
from tests.data.workspaces import FIRST, make_issue, make_ranking, say, send_out

EDITOR, DIRECTOR = "editor", "import"  # name in the log, for pages and commands


@pytest.fixture
def at_hand(store):
    """An issue of three papers, and a report."""
    commit_import(store, make_issue(3), person=DIRECTOR)
    catalogue.add_reports(store, [Report("lab", "Labour")])
    return store


def take_in(store, *positions, person):
    return commit_import(store, make_issue(3, selected={"lab": positions}), person=person).summary


@pytest.mark.parametrize("importer", [EDITOR, DIRECTOR])
def test_a_file_overrules_no_decision_even_of_the_same_person(at_hand, importer):
    decisions.decide(at_hand, [say("lab", "a2", "no", person=EDITOR)])
    summary = take_in(at_hand, 1, 2, person=importer)
    assert (summary.new_selections, summary.selections_left) == (0, 2)
    assert decisions.labels(at_hand, "lab", FIRST) == {"a2": "no"}
    assert publications.published(at_hand, "lab") == {}


@pytest.mark.parametrize("importer", [EDITOR, DIRECTOR])
def test_a_report_issue_published_at_the_desk_gains_no_selections(at_hand, importer):
    decisions.decide(at_hand, [say("lab", "a2", "yes", person=EDITOR)])
    send_out(at_hand, "lab", person=EDITOR)
    assert take_in(at_hand, 1, 2, person=importer).new_selections == 0
    assert decisions.labels(at_hand, "lab", FIRST) == {"a2": "yes"}
    assert publications.published(at_hand, "lab")[FIRST].published == (2,)


@pytest.mark.parametrize("first", [EDITOR, DIRECTOR])
@pytest.mark.parametrize("second", [EDITOR, DIRECTOR])
def test_a_later_file_completes_an_earlier_one(at_hand, first, second):
    assert take_in(at_hand, 1, person=first).new_selections == 1
    summary = take_in(at_hand, 1, 3, person=second)
    assert (summary.new_selections, summary.selections_left) == (1, 0)
    assert decisions.labels(at_hand, "lab", FIRST) == {"a1": "yes", "a3": "yes"}


def begin_draft(store):
    save_draft(store, Draft("lab", FIRST, (2,)), person=EDITOR)


def begin_notes(store):
    add_notes(store, [Note("lab", FIRST, "a1", "tag", "survey", EDITOR)])


def begin_again(store):
    take_in(store, 1, person=EDITOR)
    reopen(store, "lab", FIRST, "One is missing.", person=EDITOR)


def begin_reading(store):
    mark_read(store, "lab", FIRST, None, 2, person=EDITOR)


def begin_draw(store):
    rankings.add_rankings(store, [make_ranking(order=(1, 2, 3))])
    number = rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"].id
    add_draw(store, "lab", FIRST, Draw(number, 1, 2, (2,)), person=EDITOR)


def pass_over(store):
    skip(store, "lab", FIRST, person=EDITOR)


@pytest.mark.parametrize("begin", [begin_draft, begin_notes, begin_again, begin_reading, begin_draw, pass_over])
def test_a_file_publishes_no_issue_that_an_editor_has_begun(at_hand, begin):
    begin(at_hand)
    assert take_in(at_hand, 2, person=EDITOR).selections_left == 1
    assert publications.published(at_hand, "lab") == {}


def test_a_note_on_an_imported_issue_does_not_block_other_files(at_hand):
    take_in(at_hand, 1, person=DIRECTOR)
    add_notes(at_hand, [Note("lab", FIRST, "a1", "tag", "survey", EDITOR)])
    assert take_in(at_hand, 1, 2, person=DIRECTOR).new_selections == 1


def test_a_selection_withdrawn_by_an_editor_stays_withdrawn(at_hand):
    decisions.decide(at_hand, [say("lab", "a2", "yes"), say("lab", "a2", "no")])
    assert take_in(at_hand, 2, person=DIRECTOR).selections_left == 1


def test_the_log_has_the_source_of_each_decision(at_hand):
    take_in(at_hand, 1, person=EDITOR)
    reopen(at_hand, "lab", FIRST, "One is missing.", person=EDITOR)
    decisions.decide(at_hand, [say("lab", "a2", "yes", person=EDITOR)])
    decisions.decide(at_hand, [say("lab", "a1", "no", person=EDITOR, about="publish")])
    send_out(at_hand, "lab", person=EDITOR)
    sources = [(entry.paper_id, entry.about, entry.source) for entry in decisions_since(at_hand, "lab", FIRST, 0)]
    assert sources[:3] == [("a1", "relevant", "file"), ("a2", "relevant", "desk"), ("a1", "publish", "desk")]
    assert sorted(sources[3:]) == [("a1", "publish", "rule"), ("a2", "publish", "rule")]
    assert [one.report_issue.source for one in publication_log(at_hand, "lab", FIRST)] == ["file", "desk"]


def test_published_papers_are_counted_by_source(at_hand):
    """Nothing was published of the issue published at the desk. Of a file, all selections were."""
    decisions.decide(at_hand, [say("lab", "a2", "yes", person=EDITOR)])
    decisions.decide(at_hand, [say("lab", "a2", "no", person=EDITOR, about="publish")])
    send_out(at_hand, "lab", person=EDITOR)
    commit_import(at_hand, make_issue(3, selected={"his": [1, 3]}), person=EDITOR)
    assert [(one.report, one.n_published) for one in published_issues(at_hand, ["his", "lab"], 9)] == [
        ("his", 2),
        ("lab", 0),
    ]


def test_imported_decisions_took_no_time(at_hand):
    take_in(at_hand, 1, person=EDITOR)
    reopen(at_hand, "lab", FIRST, "One is missing.", person=EDITOR)
    decisions.decide(at_hand, [say("lab", "a2", "no", person=EDITOR)])
    assert minutes_spent(at_hand, "lab", FIRST) == 0
    assert minutes_at_desk(at_hand, FIRST) == {}
