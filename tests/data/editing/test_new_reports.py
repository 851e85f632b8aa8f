"""A new report with its description, first example, editor and first issue."""

from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing.criteria import criteria
from presort.data.editing.hints import hints
from presort.data.editing.new_reports import NewReport, add_report
from presort.data.editing.pending import pending
from presort.data.errors import RefusedError
from presort.data.mail.editors import editor_addresses
from presort.data.records import Editorship, Report
from presort.data.running.people import add_editorship, editors_on, editorships, set_editors
from tests.data.workspaces import FIRST, SECOND, contents, make_issue, take_in

ABOUT = "Wages, jobs and trade unions.\nWe study pay."
NEW = NewReport("lab", "Labour", ABOUT, "Ann", "ann@example.org")


@pytest.fixture
def begun(store):
    """Two issues and no report."""
    take_in(store, make_issue(3), make_issue(2, SECOND))
    return store


def test_a_new_report_has_everything_that_its_first_list_needs(begun):
    assert add_report(begun, NEW, person="Dora") == Report("lab", "Labour")
    assert criteria(begun, "lab").text == ABOUT
    assert hints(begun)["lab"].seeds == (ABOUT,)
    assert editorships(begun) == [Editorship("lab", "Ann", date.today())]
    assert editor_addresses(begun) == {"Ann": "ann@example.org"}
    (one,) = pending(begun, ["lab"], today=SECOND + timedelta(days=300))
    assert (one.issue, one.days_counted) == (SECOND, 0), "it came before the report"


@pytest.mark.parametrize(
    ("new", "message"),
    [
        pytest.param(NewReport("lab", editor="Ann", address="nowhere"), "nowhere", id="address"),
        pytest.param(NewReport("lab", about="long " * 2_000), "characters", id="too-long"),
        pytest.param(NewReport("lab", about=ABOUT, editor="manage"), "manage", id="reserved-name"),
        pytest.param(NewReport("lab", address="ann@example.org"), "Enter the editor's name", id="address-of-nobody"),
        pytest.param(NewReport("a b"), "'a b'", id="code"),
    ],
)
def test_a_new_report_is_added_completely_or_not_at_all(begun, new, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        add_report(begun, new, person="Dora")
    assert contents(begun) == before


@pytest.mark.parametrize(
    ("first", "issues"),
    [
        pytest.param(FIRST, [FIRST, SECOND], id="older"),
        pytest.param(SECOND, [SECOND], id="newest"),
        pytest.param(SECOND + timedelta(days=1), [], id="the-next"),
        pytest.param(None, [SECOND], id="by-default"),
    ],
)
def test_a_new_report_begins_with_the_given_first_issue(begun, first, issues):
    add_report(begun, NewReport("lab", first_issue=first), person="Dora")
    assert [one.issue for one in pending(begun, ["lab"], today=SECOND)] == issues


@pytest.mark.parametrize(("days", "n_late"), [(0, 1), (1, 0)], ids=["its-first", "before-its-first"])
def test_a_new_report_is_late_only_with_its_own_issues(begun, days, n_late):
    third = SECOND + timedelta(weeks=1)
    add_report(begun, NewReport("lab", first_issue=third + timedelta(days=days)), person="Dora")
    take_in(begun, make_issue(2, third))
    found = pending(begun, ["lab"], today=third + timedelta(days=60))
    assert sum(one.days_counted > 0 for one in found) == n_late


def test_a_retired_report_comes_back_only_if_it_is_expected(begun):
    add_report(begun, NEW, person="Dora")
    catalogue.retire_report(begun, "lab")
    with pytest.raises(RefusedError, match="retired"):
        add_report(begun, NEW, person="Dora")
    add_report(begun, NEW, person="Dora", returning=["lab"])
    assert [one.editor for one in editorships(begun)] == ["Ann"], "who edits it still is not named again"


def test_a_retired_report_comes_back_while_its_editor_is_away(begun):
    today = date.today()
    add_report(begun, NEW, person="Dora")
    add_editorship(begun, Editorship("lab", "Bo", today, today, away="Ann"), person="Dora")
    before = editorships(begun)
    catalogue.retire_report(begun, "lab")
    add_report(begun, NEW, person="Dora", returning=["lab"])
    assert editorships(begun) == before


def test_a_change_of_editors_can_be_undone(begun):
    today = SECOND
    add_report(begun, NewReport("lab"), person="Dora")
    ann, bo = Editorship("lab", "Ann", FIRST), Editorship("lab", "Bo", today)
    for one in (ann, bo):
        add_editorship(begun, one, person="Dora")
    set_editors(begun, "lab", ["Cy"], person="Dora", today=today)
    known = editorships(begun)
    assert (editors_on(known, "lab", today), editors_on(known, "lab", today - timedelta(days=1))) == (["Cy"], ["Ann"])
    set_editors(begun, "lab", ["Ann", "Bo"], person="Dora", today=today)
    assert editorships(begun) == [ann, bo]
