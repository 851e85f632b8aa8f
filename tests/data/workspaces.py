"""Shared helpers for tests of the data layer: small issues, all content of a workspace, and kill -9."""

import random
import shutil
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.errors import UnreadableFileError
from presort.data.importers.listings import read_listings
from presort.data.index import paper_index
from presort.data.index.paper_index import keys_of
from presort.data.intake.commit_import import commit_import
from presort.data.records import About, Decision, ImportSummary, Label, ListedPaper, Paper, Ranking
from presort.data.store import Store, find_store
from presort.data.tables import Base, postgresql
from presort.data.tables.guards import append_only_triggers
from tests.data.forks import run
from tests.postgresql_server import Schemas

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
FIRST, SECOND, THIRD = (date(2026, 11, 2) + timedelta(weeks=week) for week in range(3))


def address_of(folder: Path) -> str:
    """Return the address of the database of a test's workspace. Empty for a file in its folder."""
    return schemas[0].of(folder) if schemas else ""


schemas: list[Schemas] = []  # in use if this test runs on PostgreSQL

# argv: workspace, start of a statement, how many of them may run, then arguments of the code
KILLED = """
import os, signal, sys
from datetime import date
from pathlib import Path
from sqlalchemy import event
from presort.data.store import open_store

store = open_store(Path(sys.argv[1]), URL)
left = int(sys.argv[3])

@event.listens_for(store.engine, "after_cursor_execute")
def kill(connection, cursor, statement, *_):
    global left
    left -= statement.lstrip().startswith(sys.argv[2])
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def incompressible(n: int) -> str:
    """Return a label of `n` letters that can't be compressed, to fill the space of an index."""
    return "".join(random.Random(7).choices(ascii_lowercase, k=n))


def make_listed(
    paper_id: str, issue: date = FIRST, *, selected_by: tuple[str, ...] = (), title: str = "", **texts: Any
) -> ListedPaper:
    return ListedPaper(Paper(paper_id, title or f"About {paper_id}", **texts), issue, selected_by)


def make_issue(
    n_papers: int, issue: date = FIRST, *, selected: Mapping[str, Iterable[int]] | None = None
) -> list[ListedPaper]:
    """Return an issue of papers a1, a2, …; `selected` has the list positions that each report selected."""
    letter = "abc"[(issue - FIRST).days // 7]
    return [
        make_listed(
            f"{letter}{position}",
            issue,
            selected_by=tuple(report for report, positions in (selected or {}).items() if position in positions),
        )
        for position in range(1, n_papers + 1)
    ]


def take_in(store: Store, *issues: Iterable[ListedPaper]) -> ImportSummary:
    return commit_import(store, [listed for issue in issues for listed in issue], person="files").summary


def say(
    report: str,
    paper_id: str,
    label: Label,
    issue: date = FIRST,
    *,
    person: str = "Ann",
    client_id: str | None = None,
    about: About = "relevant",
    shown: int | None = None,
    is_alone: bool = False,
) -> Decision:
    return Decision(report, issue, paper_id, label, person, client_id, about, shown, is_alone=is_alone)


def send_out(
    store: Store,
    report: str,
    issue: date = FIRST,
    order: Sequence[int] = (),
    *,
    person: str = "Ann",
    shown: int | None = None,
) -> tuple[int, ...]:
    return publications.publish_report_issue(store, report, issue, order, ranking_id=shown, person=person)


def make_ranking(
    report: str = "lab",
    issue: date = FIRST,
    *,
    ranker: str = "krichel-2007",
    order: Sequence[int] = (1, 2, 3, 4),
    scores: list[float] | None = None,
    decisions_up_to: int = 0,
    hints_up_to: int = 0,
    n_past: int | None = None,
    replay: int | None = None,
) -> Ranking:
    return Ranking(
        report=report,
        issue=issue,
        ranker=ranker,
        trained_before=issue,
        decisions_up_to=decisions_up_to,
        n_relevant=3,
        positions=np.array(order, dtype=np.int32),
        scores=np.array(scores or []),
        hints_up_to=hints_up_to,
        n_past=n_past,
        replay=replay,
    )


@contextmanager
def rewriting(store: Store, log: str) -> Iterator[Connection]:
    """Yield a connection that may change log entries, for tests of old entries."""
    with store.writing() as connection:
        is_file = connection.dialect.name == "sqlite"
        for change in ("update", "delete") if is_file else postgresql.CHANGES:
            connection.exec_driver_sql(f"DROP TRIGGER {log}_{change}" + ("" if is_file else f" ON {log}"))
        yield connection
        for statement in append_only_triggers(log) if is_file else postgresql.append_only_triggers(log):
            connection.exec_driver_sql(statement)


def contents(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables except `revision`, which may grow without any other change."""
    tables = [table for table in Base.metadata.sorted_tables if table.name != "revision"]
    with store.reading() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in tables
        }


def index_of(papers: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the expected rows of the paper index, computed from all rows of papers."""
    places = defaultdict[tuple[str, str, int], list[int]](list)
    for number, paper_id, title, _, authors, *_, doi, _, _ in papers:
        block, place = divmod(number, paper_index.BLOCK)
        keys = keys_of(paper_id, title, authors, doi)
        for kind, key in [*(("word", word) for word in keys.words), ("id", keys.id), ("doi", keys.doi)]:
            places[kind, key, block] += [place] if key else []
    return [(*name, np.array(found, "<u2").tobytes()) for name, found in sorted(places.items()) if found]


def ids(store: Store, issue: date) -> list[str]:
    return [paper.paper_id for paper in catalogue.papers(store, issue)]


def n_unlisted(store: Store) -> int:
    rows = contents(store)
    return len({row[0] for row in rows["paper"]} - {row[2] for row in rows["listing"]})


@contextmanager
def copied(store: Store) -> Iterator[Store]:
    """Yield a copy of a workspace that nobody writes to."""
    with TemporaryDirectory() as folder:
        copy = find_store(Path(shutil.copytree(store.folder, folder, dirs_exist_ok=True)))
        try:
            yield copy
        finally:
            copy.close()


def damage(store: Store) -> list[Any]:
    """Return the damage that SQLite reports for the file. PostgreSQL checks itself."""
    if store.engine.dialect.name == "postgresql":
        return []
    with store.reading() as connection:
        found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return [line for line in found if line != "ok"] + list(broken)


def kill_after(workspace: Path, statement: str, count: int, code: str, *arguments: object) -> None:
    """Run `code` on a store in another process, which kills itself right after the `count`-th matching statement."""
    ended = run(f"URL = {address_of(workspace)!r}\n{KILLED}{code}", workspace, statement, count, *arguments)
    assert ended.code == -signal.SIGKILL, f"it was not killed: {ended.errors}"


def assert_damage_is_harmless(store: Store, path: Path, *, n_times: int) -> None:
    """Import a file with random bytes changed.

    It must be imported, or rejected with its name and line and leave nothing.
    """
    whole = path.read_bytes()
    dice = random.Random(1)
    n_refused = 0
    before = contents(store)
    for _ in range(n_times):
        damaged = bytearray(whole)
        for _ in range(dice.choice([1, 1, 2, 5])):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        refused = _refusal(store, path)
        after = contents(store)
        if refused:
            assert refused.startswith(path.name)
            assert after == before
            n_refused += 1
        before = after
    assert n_times / 5 < n_refused < n_times, "the damage is too light or too heavy to tell anything"


def _refusal(store: Store, path: Path) -> str:
    try:
        commit_import(store, read_listings(path), person="files")
    except UnreadableFileError as error:
        return str(error)
    return ""
