from datetime import UTC, datetime

import pytest

from presort.data import catalogue
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.errors import RefusedError
from presort.data.records import Report
from presort.data.store import Store
from tests.data.workspaces import contents


@pytest.fixture
def begun(store: Store) -> Store:
    """Two reports without criteria."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def test_no_criteria_yet(begun):
    assert criteria(begun, "lab") is None
    set_criteria(begun, "lab", " ", person="Ann")
    assert criteria(begun, "lab") is None


def test_the_newest_text_counts_and_the_log_keeps_all(begun):
    set_criteria(begun, "lab", "What people earn.", person="Ann")
    set_criteria(begun, "lab", "\nWhat people  earn,\n\nand why. ", person="Bo")
    found = criteria(begun, "lab")
    assert (found.text, found.person) == ("What people earn,\n\nand why.", "Bo")
    assert abs((datetime.now(UTC) - found.made_at).total_seconds()) < 600
    assert criteria(begun, "his") is None
    assert [row[-1] for row in contents(begun)["criteria"]] == ["What people earn.", found.text]


def test_saving_the_same_text_again_keeps_its_author(begun):
    set_criteria(begun, "lab", "What people earn.", person="Ann")
    set_criteria(begun, "lab", "What people earn. ", person="Bo")
    assert criteria(begun, "lab").person == "Ann"


def test_criteria_changed_by_somebody_else_are_not_replaced(begun):
    set_criteria(begun, "lab", "What people earn.", person="Ann", shown="")
    with pytest.raises(RefusedError, match="changed in the meantime"):
        set_criteria(begun, "lab", "Wages.", person="Bo", shown="")
    set_criteria(begun, "lab", "What people earn.", person="Bo", shown="")  # the same text
    set_criteria(begun, "lab", "Wages.", person="Bo", shown="What people earn.")
    assert [row[-1] for row in contents(begun)["criteria"]] == ["What people earn.", "Wages."]


def test_criteria_can_be_removed(begun):
    set_criteria(begun, "lab", "What people earn.", person="Ann")
    set_criteria(begun, "lab", "", person="Bo")
    found = criteria(begun, "lab")
    assert (found.text, found.person) == ("", "Bo")


def test_the_longest_text(begun):
    set_criteria(begun, "lab", "x" * 5_000, person="Ann")
    assert len(criteria(begun, "lab").text) == 5_000


@pytest.mark.parametrize(
    ("report", "text", "message"),
    [
        pytest.param(
            "lab", "x" * 5_001, "The criteria can have at most 5,000 characters. This text has 5,001", id="long"
        ),
        pytest.param("no", "What people earn.", "There is no report 'no'", id="report"),
    ],
)
def test_wrong_criteria_are_refused_and_nothing_is_kept(begun, report, text, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        set_criteria(begun, report, text, person="New")
    assert contents(begun) == before


def test_asking_for_an_unknown_report_is_refused(begun):
    with pytest.raises(RefusedError, match="There is no report 'no'"):
        criteria(begun, "no")
