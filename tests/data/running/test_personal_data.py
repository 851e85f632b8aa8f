"""The export of all data stored about a person: every table with their ids, and nobody else's data."""

import json
import sqlite3
from contextlib import closing
from datetime import date

import pytest
from sqlalchemy import func, inspect, or_, select

from presort.data import catalogue
from presort.data.editing.preferences import set_preference
from presort.data.errors import RefusedError
from presort.data.mail import editors, notices, readers
from presort.data.records import Editorship, Identity, Notice, Report, Role
from presort.data.running import accounts, people, roles, weekly
from presort.data.running.audit import audit, people_in_log
from presort.data.running.personal_data import FORMAT, SOMEBODY, as_json, owners, person_data, reader_data
from presort.data.store import FILE_NAME, open_store
from presort.data.tables import Base
from tests.data.filled_workspace import fill
from tests.data.workspaces import contents

ADDRESS = "ann.unusual@example.org"
TABLES = Base.metadata.sorted_tables
PERSONAL = [table.name for table in TABLES if owners(table, "person")]
OF_READERS = [table.name for table in TABLES if owners(table, "reader")]


@pytest.fixture
def full(tmp_path):
    """Workspace with rows in every table, all about Ann, who also reads a report."""
    fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE person SET address = 'Ann@example.org' WHERE id = 1")
        connection.execute("UPDATE weekly_step SET message = 'Mail to Ann was refused.'")
        for table in ("paper_duplicate", "possible_duplicate"):
            column = "undone_by" if table == "paper_duplicate" else "decided_by"
            connection.execute(f"UPDATE {table} SET {column} = 1")
    with closing(open_store(tmp_path)) as store:
        yield store


def rows_of(found, table):
    return found["tables"][table]["rows"]


@pytest.mark.parametrize("table", [one for one in TABLES if one.name in {*PERSONAL, *OF_READERS}], ids=str)
def test_every_row_with_an_id_of_the_person_is_exported(full, table):
    own = [column == 1 for kind in ("person", "reader") for column in owners(table, kind)]
    with full.reading() as connection:
        expected = connection.execute(select(func.count()).select_from(table).where(or_(*own))).scalar()
    assert expected, f"give Ann a row in {table} in tests/data/filled_workspace.py"
    n_log = table.name == "change"  # the export itself
    found = person_data(full, "Ann", person="Dora")
    assert len(rows_of(found, table.name)) == expected + n_log
    assert found["tables"][table.name]["description"].endswith(".")


def test_every_text_with_the_name_or_the_address_is_in_an_exported_table(full):
    with full.reading() as connection:
        named = {
            table.name
            for table in TABLES
            for row in connection.execute(select(table))
            if any(isinstance(cell, str) and cell.lower() in ("ann", "ann@example.org", "ann lee") for cell in row)
        }
    named -= {"paper_index"}  # words of authors
    assert named <= {*PERSONAL, *OF_READERS, "weekly_step"}
    found = person_data(full, "Ann", person="Dora")
    assert rows_of(found, "weekly_step")[0]["message"] == "Mail to Ann was refused."


def test_tables_without_personal_data_are_listed():
    """A new table without ids of people fails this test until a developer has checked it for personal data."""
    others = {table.name for table in TABLES} - {*PERSONAL, *OF_READERS}
    papers = {"issue", "listing", "paper", "paper_index", "paper_tokens", "paper_vector", "token"}
    of_rankers = {"current_decisions", "first_publication", "outcome", "ranking", "replay", "stop_audit"}
    hashes = {"removed_account"}
    assert others == papers | of_rankers | hashes | {"report", "revision", "setting", "weekly_step"}


def test_ids_are_replaced_by_names_and_hashes_are_omitted(full):
    found = json.loads(as_json(person_data(full, "Ann", person="Dora")))
    assert (found["format"], found["name"]) == (FORMAT, "Ann")
    assert rows_of(found, "decision")[0] == {
        **{"id": 1, "client": "c1", "report": "lab", "issue": "2026-11-02", "paper": "p1", "person": "Ann"},
        **{"made_at": "2026-11-02T08:00:00+00:00", "about": "relevant", "label": "yes", "ranking": 1},
        **{"source": "desk", "is_alone": False, "reranking": None},
    }
    assert rows_of(found, "draft")[0]["positions"] == [1]
    assert set(rows_of(found, "invitation")[0]) == {"id", "member", "made_at"}
    assert "f00d" not in as_json(found)
    assert rows_of(found, "reader") == [{"id": 1, "address": "ann@example.org", "name": "Ann Lee"}]


def test_others_are_not_named(store):
    catalogue.add_reports(store, [Report("lab", "Labour")])
    roles.grant(store, Role("Bo Chen", "viewer", "lab"), person="Ann")
    roles.grant(store, Role("Ann", "director"), person="Bo Chen")
    accounts.accept(store, accounts.invite(store, "Bo Chen", person="Ann"), Identity("https://id.example", "bo-1"))
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Bo Chen")
    editors.set_address(store, "Ann", ADDRESS)
    readers.add_readers(store, "lab", [("bo@example.org", "Bo Chen")], person="Ann")
    notices.claim(store, [Notice("pending", date(2026, 1, 5), "lab", "Bo Chen")])
    set_preference(store, "Bo Chen", "plain", "true")
    weekly.begin(store, date(2026, 1, 5), "tell")
    weekly.end(store, date(2026, 1, 5), "tell", "failed", "Mail to Joann and bo@example.org was refused.")
    text = as_json(person_data(store, "Ann", person="Bo Chen"))
    found = json.loads(text)
    for other in ("Bo", "bo-1", "bo@example.org", "Joann"):
        assert other not in text
    granted, got = rows_of(found, "role")
    assert (granted["member"], granted["person"]) == (SOMEBODY, "Ann")
    assert (got["member"], got["person"]) == ("Ann", SOMEBODY)
    assert rows_of(found, "person")[0]["address"] == ADDRESS
    assert "reader" not in found["tables"]


def test_the_export_is_logged_and_changes_nothing_else(full):
    before = contents(full)
    person_data(full, "Ann", person="Dora")
    reader_data(full, "ANN@example.org", person="Dora")
    after = contents(full)
    assert {name for name in after if after[name] != before[name]} == {"change", "person"}  # Dora is new
    ((second, nobody), (first, ann)) = ((one.action, one.subject) for one in audit(full, 2, kinds=["other"]))
    assert (first, ann, nobody) == ("Exported personal data", "Ann", "")
    assert "reader" in second


def test_a_name_with_extra_spaces_is_exported_like_the_stored_name(full):
    found = person_data(full, " Ann ", person="Dora")
    assert found["name"] == "Ann"
    assert rows_of(found, "weekly_step") == rows_of(person_data(full, "Ann", person="Dora"), "weekly_step") != []
    assert " Ann " not in people_in_log(full)


def test_a_reader_export_has_only_their_own_data(full):
    found = reader_data(full, "ANN@example.org", person="Dora")
    assert set(found["tables"]) == {"reader", "readership", "mailing"}
    assert rows_of(found, "readership")[0]["person"] == SOMEBODY
    assert rows_of(found, "mailing")[0]["state"] == "sent"


def test_an_unknown_person_is_refused(full):
    with pytest.raises(RefusedError, match="There is no person 'Nora'"):
        person_data(full, "Nora", person="Dora")
    with pytest.raises(RefusedError, match=r"There is no reader nora@example\.org"):
        reader_data(full, "nora@example.org", person="Dora")


def test_bytes_in_these_tables_are_positions(full):
    """The export interprets bytes as list positions, so other bytes would be shown wrongly."""
    names = {
        column["name"]
        for table in {*PERSONAL, *OF_READERS}
        for column in inspect(full.engine).get_columns(table)
        if str(column["type"]) == "BLOB"
    }
    assert names == {"positions", "published", "unread"}
