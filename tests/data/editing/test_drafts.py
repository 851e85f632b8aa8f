from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import draft, save_draft, to_publish
from presort.data.errors import RefusedError
from presort.data.records import Draft, Report, ReportIssue
from presort.data.store import Store
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, make_issue, say, send_out, take_in

EMPTY = Draft("lab", FIRST)


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues with five and three papers, and two reports."""
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def test_no_draft_yet(begun):
    assert draft(begun, "lab", FIRST) == EMPTY
    assert to_publish(begun, "lab", FIRST, (1, 2, 3)) == ()


def test_a_draft_is_returned_only_for_its_report_issue(begun):
    saved = Draft("lab", FIRST, (3, 1), "Dear readers,\n\na short one.", "Ask Bo.")
    save_draft(begun, saved, person="Ann")
    assert draft(begun, "lab", FIRST) == saved
    assert draft(begun, "lab", SECOND) == Draft("lab", SECOND)
    assert draft(begun, "his", FIRST) == Draft("his", FIRST)


def test_the_newest_draft_is_current_and_the_log_keeps_all(begun):
    for order, person in [((1,), "Ann"), ((2, 1), "Bo"), ((), "Ann")]:
        save_draft(begun, replace(EMPTY, order=order), person=person)
    assert draft(begun, "lab", FIRST) == EMPTY
    assert len(contents(begun)["draft"]) == 3


def test_the_same_draft_again_is_not_logged_again(begun):
    save_draft(begun, EMPTY, person="Ann")
    assert contents(begun)["draft"] == []
    saved = replace(EMPTY, order=(2, 1), note="A  note ")
    save_draft(begun, saved, person="Ann")
    save_draft(begun, saved, person="Bo")
    assert len(contents(begun)["draft"]) == 1
    assert draft(begun, "lab", FIRST).note == "A note"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(Draft("no", FIRST), "There is no report 'no'", id="report"),
        pytest.param(Draft("lab", THIRD), f"There is no issue of {THIRD}", id="issue"),
        pytest.param(
            replace(EMPTY, order=(1, 6)), f"The issue of {FIRST} has 5 papers, so position 6 is invalid", id="deep"
        ),
        pytest.param(
            replace(EMPTY, order=(0,)), f"The issue of {FIRST} has 5 papers, so position 0 is invalid", id="zero"
        ),
        pytest.param(replace(EMPTY, order=(1, 2, 1)), "The order contains a paper twice", id="twice"),
        pytest.param(
            replace(EMPTY, note="x" * 5_001), "A note to the readers can have at most 5,000 characters", id="note"
        ),
        pytest.param(
            replace(EMPTY, private_note="x" * 5_001), "A private note can have at most 5,000", id="private-note"
        ),
    ],
)
def test_a_wrong_draft_is_refused_and_nothing_is_kept(begun, wrong, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        save_draft(begun, wrong, person="New")
    assert contents(begun) == before


def test_a_draft_can_not_be_changed_after_publication(begun):
    save_draft(begun, replace(EMPTY, order=(2, 1)), person="Ann")
    send_out(begun, "lab")
    with pytest.raises(RefusedError, match=f"lab {FIRST} was published on"):
        save_draft(begun, EMPTY, person="Ann")
    assert draft(begun, "lab", FIRST).order == (2, 1)


def test_papers_are_published_in_the_drafts_order_and_then_as_shown(begun):
    decisions.decide(begun, [say("lab", f"a{n}", "yes") for n in (1, 2, 4, 5)])
    decisions.decide(begun, [say("lab", "a3", "maybe"), say("lab", "a5", "no", about="publish")])
    save_draft(begun, replace(EMPTY, order=(3, 4, 5), note="A short one."), person="Ann")
    assert to_publish(begun, "lab", FIRST, (5, 2, 4, 1, 3)) == (4, 2, 1)
    assert send_out(begun, "lab", order=(5, 2, 4, 1, 3)) == (4, 2, 1)
    assert publications.published(begun, "lab")[FIRST] == ReportIssue(
        "lab", FIRST, (4, 2, 1), "Ann", note="A short one.", n_papers=5
    )


def test_a_deselected_paper_can_be_selected_again(begun):
    words = [("yes", "relevant"), ("no", "publish"), ("yes", "publish")]
    decisions.decide(begun, [say("lab", "a1", word, about=about) for word, about in words])
    assert to_publish(begun, "lab", FIRST, ()) == (1,)


positions = st.integers(1, 5)


def test_exactly_the_selected_papers_are_published(begun):
    codes = (f"lab-{number}" for number in count())

    @given(
        st.permutations(range(1, 6)),
        st.lists(positions, unique=True),
        st.dictionaries(positions, st.sampled_from(["yes", "no", "maybe"])),
        st.dictionaries(positions, st.sampled_from(["yes", "no"])),
    )
    def agree(order, drafted, relevant, publish):
        report = next(codes)  # a new report issue in the same workspace
        catalogue.add_reports(begun, [Report(report, "Labour")])
        decisions.decide(begun, [say(report, f"a{n}", word) for n, word in relevant.items()])
        decisions.decide(begun, [say(report, f"a{n}", word, about="publish") for n, word in publish.items()])
        save_draft(begun, replace(EMPTY, report=report, order=tuple(drafted)), person="Ann")
        chosen = [n for n, word in relevant.items() if word == "yes" and publish.get(n) != "no"]
        placed = [n for n in drafted if n in chosen]
        expected = (*placed, *(n for n in order if n in chosen and n not in placed))
        assert to_publish(begun, report, FIRST, order) == expected

    agree()
