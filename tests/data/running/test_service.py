"""Rankers in use, colours of reports, and the log of imports."""

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.learning.rankings import add_rankings, find_replay
from presort.data.records import ImportSummary, Report
from presort.data.running import service
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, make_issue, make_ranking, take_in


@pytest.fixture
def begun(store):
    """Three issues and a report."""
    take_in(store, make_issue(2), make_issue(2, SECOND), make_issue(2, THIRD))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    return store


def test_no_ranker_is_in_use_until_one_is_chosen(store):
    assert (service.active_ranker(store), service.shadows(store), service.ranker_choices(store)) == (None, (), [])
    assert service.newest_ranked_issue(store) is None


def test_a_choice_of_rankers_is_logged_with_author_and_time_and_the_newest_is_current(store):
    before = datetime.now(UTC).replace(microsecond=0)
    service.set_rankers(store, "a", ["b", "a", "c", "b"], person="Ann")
    service.set_rankers(store, "b", [], person="Bo")
    first, second = service.ranker_choices(store)
    assert (first.active, first.shadows, first.person, first.after) == ("a", ("b", "c"), "Ann", None)
    assert (second.active, second.shadows, second.person, second.after) == ("b", (), "Bo", None)
    assert before <= first.made_at <= second.made_at
    assert (service.active_ranker(store), service.shadows(store)) == ("b", ())


def test_an_unchanged_choice_is_not_logged_again(store):
    for _ in range(2):
        service.set_rankers(store, "a", ["b"], person="Ann")
    assert len(service.ranker_choices(store)) == 1


def test_a_new_active_ranker_is_no_longer_a_shadow(store):
    service.set_active_ranker(store, "a", person="Ann")
    service.set_rankers(store, "a", ["b", "c"], person="Ann")
    service.set_active_ranker(store, "b", person="Ann")
    assert (service.active_ranker(store), service.shadows(store)) == ("b", ("c",))


def test_a_choice_applies_to_issues_after_the_newest_ranked_one(begun):
    service.set_rankers(begun, "a", [], person="Ann")
    replay = find_replay(begun, FIRST, THIRD, 1)  # editors don't see replays
    for day, walk in ((SECOND, None), (THIRD, replay)):
        add_rankings(begun, [make_ranking("lab", day, order=[1, 2], replay=walk)])
    service.set_rankers(begun, "b", ["a"], person="Ann")
    assert service.newest_ranked_issue(begun) == SECOND
    assert [service.active_ranker(begun, day) for day in (FIRST, SECOND, THIRD, None)] == ["a", "a", "b", "b"]
    assert [service.shadows(begun, day) for day in (SECOND, THIRD)] == [(), ("a",)]


def test_no_ranker_is_in_use_for_issues_ranked_before_the_first_choice(begun):
    add_rankings(begun, [make_ranking("lab", SECOND, order=[1, 2])])
    service.set_rankers(begun, "a", ["b"], person="Ann")
    assert [service.active_ranker(begun, day) for day in (SECOND, THIRD)] == [None, "a"]
    assert service.shadows(begun, SECOND) == ()


def test_a_mistaken_choice_can_be_corrected_before_the_next_issue(begun):
    service.set_rankers(begun, "a", [], person="Ann")
    add_rankings(begun, [make_ranking("lab", SECOND, order=[1, 2])])
    for name in ("b", "a"):
        service.set_active_ranker(begun, name, person="Ann")
    assert [service.active_ranker(begun, day) for day in (SECOND, THIRD)] == ["a", "a"]


def test_a_colour_is_set_and_removed(begun):
    assert service.colours(begun) == {}
    service.set_colour(begun, "lab", " #00AAff ")
    assert service.colours(begun) == {"lab": "#00aaff"}
    service.set_colour(begun, "lab", "")
    assert service.colours(begun) == {}


@pytest.mark.parametrize(
    ("report", "colour", "message"),
    [
        pytest.param("lab", "red", "'red' is not a colour. Use #", id="a-name"),
        pytest.param("lab", "#12345", "is not a colour", id="too-short"),
        pytest.param("lab", "#1234567", "is not a colour", id="too-long"),
        pytest.param("lab", "#12345g", "is not a colour", id="no-digit"),
        pytest.param("lab", "red;background:url(x)", "is not a colour", id="style"),
        pytest.param("his", "#123456", "There is no report 'his'", id="no-report"),
    ],
)
def test_an_invalid_colour_is_refused(begun, report, colour, message):
    with pytest.raises(RefusedError, match=message):
        service.set_colour(begun, report, colour)
    assert service.colours(begun) == {}


def test_a_retired_report_is_restored_unchanged(begun):
    take_in(begun, make_issue(2, selected={"lab": [1]}))
    service.set_colour(begun, "lab", "#123456")
    catalogue.retire_report(begun, "lab")
    assert catalogue.reports(begun) == []
    for _ in range(2):
        service.restore_report(begun, "lab")
    assert catalogue.reports(begun) == [Report("lab", "Labour")]
    assert service.colours(begun) == {"lab": "#123456"}
    assert decisions.n_relevant(begun)["lab"] == 1
    with pytest.raises(RefusedError, match="no report 'his'"):
        service.restore_report(begun, "his")


def test_retiring_or_restoring_a_report_twice_is_logged_once(begun):
    for change in (catalogue.retire_report, service.restore_report):
        change(begun, "lab")
        before = contents(begun)
        change(begun, "lab")
        assert contents(begun) == before


def test_the_import_log_has_user_file_and_changes_newest_first(store):
    assert service.imports(store) == []
    first, second = ImportSummary(1, 2, 3, 4, 5, 6, 7, 8), ImportSummary(9, 0, 0, 0, 0, 0, 0, 0)
    with store.writing() as connection:
        service.log_import(connection, "week.csv", first, person="Ann")
        service.log_import(connection, "a\x1b[31m\nb.csv", second, person="Bo")
    newest, oldest = service.imports(store)
    assert (oldest.file, oldest.summary, oldest.person) == ("week.csv", first, "Ann")
    assert (newest.file, newest.summary, newest.person) == ("a [31m b.csv", second, "Bo")
    assert oldest.made_at <= newest.made_at
    assert list(asdict(first)) == service.COUNTS


def test_no_log_contains_names(begun):
    service.set_rankers(begun, "a", [], person="Ann Lee")
    with begun.writing() as connection:
        service.log_import(connection, "week.csv", ImportSummary(1, 0, 0, 0, 0, 0, 0, 0), person="Ann Lee")
    holding = {table for table, rows in contents(begun).items() if "Ann Lee" in str(rows)}
    assert holding == {"person"}
