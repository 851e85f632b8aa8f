"""Snapshots and transactions of a store: all reads, or all reads and writes, in one transaction."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.records import Report
from presort.data.store import open_store


@contextmanager
def counted_transactions(store):
    """Yield a list that gets an item for each transaction."""
    begun = []

    def count(connection):
        begun.append(connection)

    event.listen(store.engine, "begin", count)
    yield begun
    event.remove(store.engine, "begin", count)


def codes(store):
    return [report.code for report in catalogue.reports(store)]


def add(store, *names):
    catalogue.add_reports(store, [Report(name, name) for name in names])


def test_reads_share_a_transaction_that_begins_with_the_first_read(store):
    with counted_transactions(store) as begun, store.snapshot() as snapshot:
        assert not begun
        for _ in range(3):
            assert codes(snapshot) == []
        with snapshot.reading() as one, snapshot.reading() as other:
            assert one is other
        assert len(begun) == 1


def test_changes_by_others_are_seen_only_after_the_snapshot(store):
    with store.snapshot() as snapshot:
        assert codes(snapshot) == []
        add(store, "lab")
        assert codes(snapshot) == []
        assert codes(store) == ["lab"]
    assert codes(snapshot) == ["lab"], "it goes on as the store itself"


def test_own_changes_are_seen(store):
    with store.snapshot() as snapshot:
        assert codes(snapshot) == []
        add(snapshot, "lab")
        assert codes(snapshot) == ["lab"]


def test_a_cached_result_is_read_again_after_a_change_an_error_and_the_end(store):
    with store.snapshot() as snapshot, counted_transactions(store) as begun:
        assert [snapshot.read_once("codes", codes) for _ in range(3)] == [[], [], []]
        assert len(begun) == 1
        add(store, "mac")
        assert snapshot.read_once("codes", codes) == []
        add(snapshot, "lab")
        assert snapshot.read_once("codes", codes) == ["lab", "mac"]
        with pytest.raises(RefusedError), snapshot.reading():
            raise RefusedError("No.")
        add(store, "his")
        assert snapshot.read_once("codes", codes) == ["his", "lab", "mac"]
    add(store, "env")
    assert snapshot.read_once("codes", codes) == codes(store)


def test_a_snapshot_continues_after_an_error(store):
    with store.snapshot() as snapshot:
        with pytest.raises(DBAPIError), snapshot.reading() as connection:
            connection.execute(text("SELECT 1 FROM nowhere"))
        assert codes(snapshot) == []
        with pytest.raises(RefusedError), snapshot.reading():
            raise RefusedError("No.")
        assert codes(snapshot) == []


def test_an_error_in_the_block_ends_the_transaction(store):

    def fail(snapshot):
        assert codes(snapshot) == []
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.snapshot() as snapshot:
        fail(snapshot)
    add(store, "lab")
    assert codes(snapshot) == ["lab"]


def test_a_snapshot_within_a_snapshot_is_the_same(store):
    with counted_transactions(store) as begun, store.snapshot() as outer:
        assert codes(outer) == []
        with outer.snapshot() as inner:
            assert codes(inner) == []
        assert codes(outer) == []
        assert len(begun) == 1
    with store.transaction() as transaction, transaction.snapshot() as inner:
        add(transaction, "lab")
        assert codes(inner) == ["lab"], "in a transaction it reads what that wrote"


def test_other_threads_neither_read_in_it_nor_end_it(store):
    with counted_transactions(store) as begun, store.snapshot() as snapshot, ThreadPoolExecutor(1) as other:
        assert codes(snapshot) == []
        other.submit(add, snapshot, "lab").result()
        other.submit(snapshot.end_snapshot).result()
        assert other.submit(codes, snapshot).result() == ["lab"]
        assert codes(snapshot) == []
        assert len(begun) == 3, "that of the snapshot, of the write, and of the read in the other thread"


def test_a_write_needs_no_second_connection(store):
    with store.snapshot() as snapshot:
        assert codes(snapshot) == []
        with snapshot.writing():
            assert store.engine.pool.checkedout() == 1
    assert store.engine.pool.checkedout() == 0


def test_a_visitors_snapshot_checks_rights(store):
    class Nobody:
        def demand(self, connection, right, of):
            raise PermissionError

    with store.snapshot() as snapshot, pytest.raises(PermissionError):
        codes(snapshot.with_guard(Nobody()))


def test_a_transaction_reads_its_own_writes_and_commits_once(store):
    before = catalogue.revision(store)
    with counted_transactions(store) as begun, store.transaction() as transaction:
        add(transaction, "lab")
        assert codes(transaction) == ["lab"]
        add(transaction, "mac")
    assert len(begun) == 1
    assert codes(store) == codes(transaction) == ["lab", "mac"]
    assert catalogue.revision(store) == before + 1


def test_a_transaction_keeps_nothing_after_an_error(store):
    def fail(transaction):
        add(transaction, "lab")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.transaction() as transaction:
        fail(transaction)
    assert codes(store) == codes(transaction) == []


def test_a_caught_error_undoes_one_write_of_a_transaction(store):
    def rename_and_refuse(transaction):
        with transaction.writing() as connection:
            connection.execute(text("UPDATE report SET code = 'pub'"))
            raise RefusedError("No.")

    with store.transaction() as transaction:
        add(transaction, "lab")
        with pytest.raises(RefusedError):
            rename_and_refuse(transaction)
        add(transaction, "mac")
    assert codes(store) == ["lab", "mac"]


def test_each_write_of_a_transaction_asks_for_its_right(store):
    class Nobody:
        def demand(self, connection, right, of):
            raise PermissionError

    with store.transaction() as transaction, pytest.raises(PermissionError):
        add(transaction.with_guard(Nobody()), "lab")
    assert codes(store) == []


@pytest.mark.whole
def test_a_write_on_postgresql_does_not_wait_for_fifty_pages(schemas, tmp_path):
    with closing(open_store(tmp_path, schemas.lasting())) as store, ExitStack() as pages:
        for _ in range(50):
            catalogue.reports(pages.enter_context(store.snapshot()))  # begins its transaction
        add(store, "lab")
        assert codes(store) == ["lab"]
