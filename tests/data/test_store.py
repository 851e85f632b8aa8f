import shutil
from datetime import date

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

import presort.data.workspace.folder
from presort.data import catalogue
from presort.data.editing import decisions, drafts, log, notes, publications
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.editing.hints import add_hint, hints
from presort.data.editing.pending import pending
from presort.data.editing.preferences import preference, set_preference
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.learning.tokens import keep_tokens
from presort.data.records import Draft, Note, PaperTokens, Report
from presort.data.store import find_store, open_store
from tests.data.workspaces import FIRST, SECOND, contents, make_issue, say, send_out, take_in


def pragma(engine: Engine, name: str) -> object:
    with engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


@pytest.mark.of_file
@pytest.mark.parametrize(
    ("name", "ours", "plain"),
    [
        pytest.param("journal_mode", "wal", "delete", id="write-ahead-log"),
        pytest.param("foreign_keys", 1, 0, id="foreign-keys"),
        pytest.param("busy_timeout", 10_000, 5_000, id="busy-timeout"),
    ],
)
def test_pragmas_are_on_for_our_engine_alone(store, other_engine, name, ours, plain):
    assert pragma(store.engine, name) == ours
    assert pragma(other_engine, name) == plain


@pytest.mark.of_file
def test_every_connection_syncs_fully(store):
    with store.connection() as one, store.connection() as other:
        for connection in (one, other):
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_broken_reference_is_refused(store):
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"), store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO listing VALUES (7, 1, 7)")


@pytest.mark.of_file
def test_a_read_only_connection_refuses_writes(store):
    def write_nevertheless():
        with store.writing() as connection:
            connection.exec_driver_sql("PRAGMA query_only=ON")
            connection.exec_driver_sql("DELETE FROM paper")

    with pytest.raises(WorkspaceError, match=r"can't be written to\. Check the permissions"):
        write_nevertheless()


def test_the_revision_grows_with_every_change_and_never_with_a_read(store):
    changes = [
        lambda: take_in(store, make_issue(3, selected={"lab": [1]}), make_issue(2, SECOND)),
        lambda: decisions.decide(store, [say("lab", "b1", "yes", SECOND)]),
        lambda: send_out(store, "lab", SECOND, order=(1,)),
        lambda: catalogue.add_reports(store, [Report("his", "History")]),
        lambda: catalogue.rename_report(store, "his", "Past"),
        lambda: catalogue.retire_report(store, "his"),
        lambda: catalogue.set_setting(store, "demo", "1"),
        lambda: rankings.find_replay(store, FIRST, SECOND, 1),
        lambda: drafts.save_draft(store, Draft("his", SECOND, (2, 1)), person="Ann"),
        lambda: publications.reopen(store, "lab", SECOND, "One is missing.", person="Ann"),
        lambda: notes.add_notes(store, [Note("lab", SECOND, "b1", "tag", "survey", "Ann")]),
        lambda: set_criteria(store, "lab", "What people earn.", person="Ann"),
        lambda: set_preference(store, "Ann", "level", "95"),
        lambda: add_hint(store, "lab", "mute", "bitcoin", person="Ann"),
        lambda: keep_tokens(store, lambda paper: PaperTokens([paper.title], [], [], []), "1"),
    ]
    looks = [
        lambda: read_history(store, date.max, tokens="1"),
        lambda: keep_tokens(store, lambda paper: PaperTokens([paper.title], [], [], []), "1"),
        lambda: hints(store),
        lambda: catalogue.papers(store, FIRST),
        lambda: catalogue.reports(store),
        lambda: decisions.labels(store, "lab", FIRST),
        lambda: publications.published(store, "lab"),
        lambda: publications.publication_log(store, "lab", SECOND),
        lambda: drafts.draft(store, "his", SECOND),
        lambda: drafts.to_publish(store, "his", SECOND, (1, 2)),
        lambda: log.decisions_since(store, "lab", SECOND, 0),
        lambda: decisions.minutes_spent(store, "lab", SECOND),
        lambda: notes.paper_notes(store, "lab", SECOND),
        lambda: criteria(store, "lab"),
        lambda: preference(store, "Ann", "level"),
        lambda: pending(store, ["lab"], today=SECOND),
        lambda: outcomes.scored_rankings(store),
        lambda: outcomes.score_published_issues(store, lambda order, relevant: relevant),
    ]
    numbers = [catalogue.revision(store)]
    for change in changes:
        change()
        numbers.append(catalogue.revision(store))
    assert numbers == sorted(set(numbers))
    for look in looks:
        look()
    assert catalogue.revision(store) == numbers[-1]


def test_another_process_sees_the_revision_grow(store):
    before = catalogue.revision(store)
    other = find_store(store.folder)
    catalogue.set_setting(other, "demo", "1")
    other.close()
    assert catalogue.revision(store) > before


def test_an_error_inside_writing_keeps_nothing(store):
    take_in(store, make_issue(1))
    before, number = contents(store), catalogue.revision(store)

    def fail_half_way():
        with store.writing() as connection:
            connection.exec_driver_sql("UPDATE paper SET title = 'lost'")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert (contents(store), catalogue.revision(store)) == (before, number)
    catalogue.set_setting(store, "demo", "1")  # the lock was released


def test_a_reader_sees_one_state_while_another_writes(store):
    take_in(store, make_issue(1))
    other = find_store(store.folder)
    with store.reading() as connection:
        count = text("SELECT count(*) FROM issue")
        assert connection.execute(count).scalar() == 1
        commit_import(other, make_issue(1, SECOND), person="files")
        assert connection.execute(count).scalar() == 1
    assert len(catalogue.issues(store)) == 2
    other.close()


def test_the_second_of_two_writers_gets_an_error(store, monkeypatch):
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    other = find_store(store.folder)
    with store.writing():
        assert catalogue.issues(other) == []  # reading continues
        with pytest.raises(WorkspaceError, match="has been locked by another process"):
            catalogue.set_setting(other, "demo", "1")
    catalogue.set_setting(other, "demo", "2")
    assert catalogue.setting(store, "demo") == "2"
    other.close()


@pytest.mark.of_file
def test_a_full_disk_is_reported_and_nothing_is_stored(store):
    before = contents(store)

    def write_a_lot():
        with store.writing() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1")
            connection.exec_driver_sql("INSERT INTO setting VALUES ('long', hex(zeroblob(1000000)))")

    with pytest.raises(WorkspaceError, match=r"the disk is full\. The last change was not saved"):
        write_a_lot()
    assert contents(store) == before


def test_a_wrong_statement_stays_a_bug(store):
    with pytest.raises(DBAPIError, match=r"no such table|does not exist"), store.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM customer")


def delete_file(store):
    store.database.path.unlink()


def replace_file(store):
    copy = store.database.path.with_name("copy.db")
    shutil.copy(store.database.path, copy)
    copy.replace(store.database.path)


@pytest.mark.of_file
@pytest.mark.parametrize("lose", [delete_file, replace_file])
def test_a_file_no_longer_at_its_path_is_not_written(store, lose):
    catalogue.set_setting(store, "place", "here")
    lose(store)
    with pytest.raises(WorkspaceError, match=r"deleted or replaced while it was open.*Restart presort"):
        catalogue.set_setting(store, "place", "lost")
    assert store.database.path.exists() == (lose is replace_file)  # no empty file is created either


@pytest.mark.of_file
def test_a_file_lost_during_a_change_keeps_none_of_it(store):
    def change():
        with store.writing() as connection:
            connection.exec_driver_sql("INSERT INTO setting VALUES ('place', 'lost')")
            replace_file(store)

    with pytest.raises(WorkspaceError, match="was deleted or replaced"):
        change()
    other = find_store(store.folder)
    assert catalogue.setting(other, "place") is None
    other.close()


def test_a_workspace_differs_from_every_other_one_and_from_its_successor(store, tmp_path):
    own = catalogue.workspace_id(store)
    other = open_store(tmp_path / "other")
    assert catalogue.workspace_id(store) == own != catalogue.workspace_id(other)
    other.close()
