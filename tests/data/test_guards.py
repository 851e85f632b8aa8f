"""Rules that the database itself enforces, independently of the code."""

import re
from datetime import UTC, datetime

import numpy as np
import pytest
from sqlalchemy import LargeBinary, event, text
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import set_criteria
from presort.data.editing.drafts import save_draft
from presort.data.editing.hints import add_hint
from presort.data.editing.notes import add_notes
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import add_draw, mark_read
from presort.data.editing.rerankings import add_reranking
from presort.data.editing.skipping import skip
from presort.data.learning.rankings import add_rankings
from presort.data.mail.readers import add_readers
from presort.data.records import AlertEntry, Draft, Draw, Editorship, ImportSummary, Note, Report, Role
from presort.data.running import service
from presort.data.running.accounts import invite
from presort.data.running.alerts import log_alert
from presort.data.running.holidays import add_holiday
from presort.data.running.people import add_editorship, rename_editor
from presort.data.running.roles import grant
from presort.data.store import open_store
from presort.data.tables import Base
from presort.data.tables.guards import LOGS, MISPLACED, PACKED_LISTS
from presort.data.tables.positions import pack
from tests.data.workspaces import FIRST, SECOND, damage, ids, make_issue, make_ranking, say, send_out, take_in


@pytest.fixture(scope="module", params=["file", "postgresql"])
def full(tmp_path_factory, request):
    """Workspace with a row in each log. The tests' changes are refused and leave nothing."""
    url = request.getfixturevalue("schemas").lasting() if request.param == "postgresql" else ""
    store = open_store(tmp_path_factory.mktemp("full") / "workspace", url)
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    take_in(store, make_issue(3), make_issue(2, SECOND))
    add_rankings(store, [make_ranking(order=(3, 1, 2)), make_ranking("his", order=(1, 2, 3))])
    decisions.decide(store, [say("lab", "a1", "yes", shown=1)])
    add_notes(store, [Note("lab", FIRST, "a1", "tag", "survey", "Ann")])
    set_criteria(store, "lab", "What people earn.", person="Ann")
    add_hint(store, "lab", "mute", "war", person="Ann")
    save_draft(store, Draft("lab", FIRST, (1,)), person="Ann")
    send_out(store, "lab", shown=1)
    skip(store, "his", FIRST, person="Ann")
    mark_read(store, "his", FIRST, None, 1, person="Ann")
    add_draw(store, "his", FIRST, Draw(2, 0, 3, (1, 2)), person="Ann")
    add_reranking(store, "his", FIRST, 2, np.array([1, 3, 2]), n_decisions=1, person="Ann")
    reopen(store, "lab", FIRST, "One is missing.", person="Ann")
    add_editorship(store, Editorship("lab", "Ann", FIRST), person="Ann")
    add_holiday(store, FIRST, FIRST, person="Ann")
    log_alert(store, AlertEntry("lab", "silent", FIRST, SECOND, "2 issues", True, "", "Ann", datetime.now(UTC)))
    add_readers(store, "lab", [("ann@example.org", "")], person="Ann")
    service.set_rankers(store, "krichel-2007", (), person="Ann")
    grant(store, Role("Bo", "viewer", "lab"), person="Ann")
    invite(store, "Bo", person="Ann")
    with store.writing() as connection:
        service.log_import(connection, "week.csv", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="Ann")
    yield store
    store.close()


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "all at once"])
def test_a_log_only_grows(full, log, change):
    assert LOGS, "no table calls itself a log"
    column = "issue_id" if log == "listing" else "id"
    if change == "all at once":
        is_file = full.engine.dialect.name == "sqlite"
        change = "INSERT OR REPLACE INTO {} SELECT * FROM {}" if is_file else "TRUNCATE {} CASCADE"
    statement = change.format(log, column, column) if "SET" in change else change.format(log, log)
    with full.reading() as connection:
        assert connection.exec_driver_sql(f"SELECT count(*) FROM {log}").scalar_one(), "nothing is in it"
    with (
        pytest.raises(IntegrityError, match=r"rows are only ever added|the highest position of its issue plus 1"),
        full.writing() as connection,
    ):
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(
            "INSERT INTO decision (report_id, issue_id, paper_id, person_id, made_at, about, label, ranking_id, source)"
            " SELECT report_id, 2, paper_id, person_id, made_at, about, label, NULL, source FROM decision",
            id="decision-on-a-paper-of-another-issue",
        ),
        pytest.param(
            "INSERT INTO decision (report_id, issue_id, paper_id, person_id, made_at, about, label, ranking_id, source)"
            " SELECT report_id, issue_id, paper_id, person_id, made_at, about, label, 2, source FROM decision",
            id="decision-in-a-ranking-of-another-report",
        ),
        pytest.param(
            "INSERT INTO decision (report_id, issue_id, paper_id, person_id, made_at, about, label, source)"
            " SELECT report_id, issue_id, paper_id, person_id, made_at, about, label, 'dream' FROM decision",
            id="decision-from-nowhere",
        ),
        pytest.param(
            "INSERT INTO paper_note (report_id, issue_id, paper_id, person_id, made_at, kind, text)"
            " SELECT report_id, 2, paper_id, person_id, made_at, kind, text FROM paper_note",
            id="note-on-a-paper-of-another-issue",
        ),
        pytest.param(
            "INSERT INTO report_issue (report_id, issue_id, ranking_id, person_id, published_at, published, source)"
            " SELECT 1, 1, 2, 1, '', published, 'desk' FROM reopened_issue",
            id="published-with-a-ranking-of-another-report",
        ),
        pytest.param("INSERT INTO listing VALUES (2, 4, 1)", id="gap-in-a-list"),
        pytest.param("INSERT INTO listing VALUES (2, 2, 1)", id="occupied-position"),
        pytest.param("DELETE FROM paper", id="deletion-of-listed-papers"),
        pytest.param("DELETE FROM ranking", id="deletion-of-shown-rankings"),
    ],
)
def test_invalid_rows_are_refused(full, statement):
    with pytest.raises(IntegrityError), full.writing() as connection:
        connection.exec_driver_sql(statement)
    assert damage(full) == []


PACKED = {  # a row for each column of packed positions, for the first issue, which has three papers
    ("ranking", "positions"): (
        "INSERT INTO ranking (report_id, issue_id, ranker, trained_before, decisions_up_to, n_relevant, made_at,"
        " scores, positions) VALUES (1, 1, 'krichel-2007', '2026-11-02', 0, 0, '', :none, {})"
    ),
    ("outcome", "places"): "INSERT INTO outcome (ranking_id, n_papers, scored_at, places) VALUES (1, 3, '', {})",
    ("report_issue", "published"): (
        "INSERT INTO report_issue (report_id, issue_id, person_id, published_at, source, published)"
        " VALUES (1, 1, 1, '', 'desk', {})"
    ),
    ("report_issue", "unread"): (
        "INSERT INTO report_issue (report_id, issue_id, person_id, published_at, source, published, unread)"
        " VALUES (1, 1, 1, '', 'desk', :none, {})"
    ),
    ("first_publication", "unread"): (
        "INSERT INTO first_publication (report_id, issue_id, source, decisions_up_to, hints_up_to, rankings_up_to,"
        " n_papers, unread) VALUES (2, 1, 'desk', 0, 0, 0, 3, {})"
    ),
    ("reopened_issue", "published"): (
        "INSERT INTO reopened_issue (report_id, issue_id, person_id, published_at, note, reopened_by, reopened_at,"
        " reason, source, published, n_papers, unread, ended, decisions_up_to)"
        " VALUES (1, 1, 1, '', '', 1, '', '', 'desk', {}, 3, :none, 'all', 0)"
    ),
    ("reopened_issue", "unread"): (
        "INSERT INTO reopened_issue (report_id, issue_id, person_id, published_at, note, reopened_by, reopened_at,"
        " reason, source, published, unread, n_papers, ended, decisions_up_to)"
        " VALUES (1, 1, 1, '', '', 1, '', '', 'desk', :none, {}, 3, 'all', 0)"
    ),
    ("draft", "positions"): (
        "INSERT INTO draft (report_id, issue_id, person_id, made_at, note, private_note, positions)"
        " VALUES (1, 1, 1, '', '', '', {})"
    ),
    ("draw", "positions"): (
        "INSERT INTO draw (report_id, issue_id, ranking_id, n_read, n_rest, person_id, made_at, positions)"
        " VALUES (1, 1, 1, 0, 3, 1, '', {})"
    ),
    ("reranking", "positions"): (
        "INSERT INTO reranking (report_id, issue_id, ranking_id, n_decisions, decisions_up_to, person_id, made_at,"
        " positions) VALUES (1, 1, 1, 1, 1, 1, '', {})"
    ),
}
WRONG = {
    "none": pack([0]),
    "below-none": pack([-1, 1]),
    "not-in-the-issue": pack([1, 4]),
    "far-beyond": pack([2**24 + 1, 1]),
    "one-twice": pack([1, 2, 1]),
    "more-than-there-are": pack([1, 2, 3, 1]),
    "half-a-position": pack([1, 2])[:-2],
}


def test_every_list_of_positions_is_guarded():
    columns = {
        (table.name, column.name)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
        and table.name not in ("current_decisions", "paper_index", "paper_tokens", "paper_vector")
        and column.name != "scores"
    }
    assert columns == set(PACKED) == {(one.table, one.column) for one in PACKED_LISTS}


@pytest.mark.parametrize("cell", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize(("table", "column"), PACKED)
def test_a_list_that_names_anything_but_papers_of_its_issue_once_is_refused(full, table, column, cell):
    """Also if another program writes it."""
    refused = re.escape(MISPLACED.format(table=table, column=column))
    insert, none = text(PACKED[table, column].format(":cell")), {"none": b""}
    update = text(f"UPDATE {table} SET {column} = :cell")
    with full.connection() as connection, connection.begin() as everything:
        with pytest.raises(IntegrityError, match=refused), connection.begin_nested():
            connection.execute(insert, none | {"cell": cell})
        for fine in (pack([2, 1, 3]), pack([])):
            with connection.begin_nested() as one:
                connection.execute(insert, none | {"cell": fine})
                with (
                    pytest.raises(IntegrityError, match=f"{refused}|rows are only ever added"),
                    connection.begin_nested(),
                ):
                    connection.execute(update, {"cell": cell})
                one.rollback()
        everything.rollback()


def test_a_ranking_has_no_gap(full):
    with pytest.raises(IntegrityError, match=r"ranking\.positions contains a position that is repeated"):
        add_rankings(full, [make_ranking(order=(3, 1))])


def test_an_import_checks_what_it_points_to(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))

    @event.listens_for(store.engine, "before_cursor_execute", retval=True)
    def break_it(_connection, _cursor, sql, parameters, *_):
        is_selections = sql.lstrip().startswith("INSERT INTO decision")
        return sql.replace("r.id, i.id, l.paper_id,", "r.id, i.id, 77,", 1) if is_selections else sql, parameters

    with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        take_in(store, make_issue(2, SECOND, selected={"lab": [1]}))
    event.remove(store.engine, "before_cursor_execute", break_it)
    assert (damage(store), len(catalogue.issues(store))) == ([], 1)


def test_a_person_can_still_be_erased(full):
    rename_editor(full, "Ann", "somebody")
    with full.writing() as connection:
        connection.execute(text("UPDATE person SET name = '', affiliation = '' WHERE name = 'somebody'"))
    assert ids(full, FIRST) == ["a1", "a2", "a3"]
