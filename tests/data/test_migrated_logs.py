"""What older files say in fewer words, put into the logs of today: reading, sizes, where a decision comes from."""

from contextlib import closing
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from presort.data.editing import decisions
from presort.data.editing.read_log import draws
from presort.data.editing.read_papers import read_positions
from presort.data.editing.reopening import reopen
from presort.data.learning import outcomes
from presort.data.records import Draw
from presort.data.store import FILE_NAME, Store, open_store
from presort.data.workspace.sqlite_database import SqliteDatabase
from tests.data.older_files import FILLED, fill, upgrade
from tests.data.workspaces import FIRST, SECOND

pytestmark = pytest.mark.of_file

# A third paper joins the first issue, which another ranker ranks anew; and an issue went out that nobody scored.
JOINED = [
    "INSERT INTO paper (id, paper_id, title, abstract, authors, codes, series, date) "
    "VALUES (3, 'p3', 'Pay', '', '', '', '', '')",
    "INSERT INTO listing (issue_id, position, paper_id) VALUES (1, 3, 3)",
    "INSERT INTO ranking (id, report_id, issue_id, ranker, trained_before, decisions_up_to, n_relevant, made_at, "
    "positions, scores) VALUES (3, 1, 1, 'other', '2026-11-02', 0, 0, '2026-11-09T07:00:00.000+00:00', "
    "x'030000000100000002000000', x'')",
    "INSERT INTO outcome VALUES (3, 3, x'02000000', '2026-11-09T09:00:00.000+00:00')",
    "INSERT INTO report_issue (report_id, issue_id, person_id, issued_at, published) "
    "VALUES (1, 2, 1, '2026-11-09T09:00:00.000+00:00', x'')",
]


def test_an_older_report_issue_has_as_many_papers_as_its_first_outcome_counts(tmp_path):
    """A ranking that was scored after a paper had joined has another outcome; it is made again, of the same papers."""
    older = Store(SqliteDatabase(tmp_path / FILE_NAME))
    for passed in ("0001", "0007"):
        upgrade(older, passed)
        with older.engine.begin() as connection:
            for statement in FILLED[passed].split(";\n") if passed == "0001" else JOINED:
                connection.execute(text(statement))
    older.close()

    store = open_store(tmp_path)
    assert [gone_out.n_papers for gone_out in decisions.issued(store, "lab").values()] == [2, 1]
    assert [(one.ranking_id, one.n_papers) for one in outcomes.scored_rankings(store)] == [(1, 2)]
    outcomes.score_issued(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)
    found = [(one.ranking_id, one.n_papers, one.places.tolist()) for one in outcomes.scored_rankings(store)]
    assert found == [(1, 2, [2]), (3, 2, [1]), (2, 1, [])]
    store.close()


def test_what_settings_kept_of_reading_moves_to_its_logs(tmp_path):
    older = Store(SqliteDatabase(tmp_path / FILE_NAME))
    upgrade(older, "0007")
    kept = {
        "read-to:lab:2026-11-02": '{"1": "p1", "received": "p2"}',
        "drawn:lab:2026-11-02": "[[1, 1, 3, [3, 1]], [1, 2, 1, [2]]]",
        "level:lab": "80",
    }
    with older.engine.begin() as connection:
        for statement in [
            "INSERT INTO issue VALUES (1, '2026-11-02')",
            "INSERT INTO report VALUES (1, 'lab', 'Labour', NULL, '')",
            *(f"INSERT INTO paper VALUES ({n}, 'p{n}', '', '', '', '', '', '', '')" for n in (1, 2, 3)),
            *(f"INSERT INTO listing (issue_id, position, paper_id) VALUES (1, {n}, {n})" for n in (1, 2, 3)),
            "INSERT INTO ranking VALUES (1, 1, 1, NULL, 'krichel-2007', '2026-11-02', 0, 0, "
            "'2026-11-02T07:00:00.000+00:00', x'020000000100000003000000', x'', 0, '')",
        ]:
            connection.exec_driver_sql(statement)
        for name, value in kept.items():
            connection.execute(text("INSERT INTO setting VALUES (:name, :value)"), {"name": name, "value": value})
    older.close()

    store = open_store(tmp_path)
    with store.reading() as connection:
        names = connection.exec_driver_sql("SELECT name FROM setting WHERE value = '1 in 100'").scalars().all()
        marks = connection.exec_driver_sql("SELECT ranking_id, place, person_id FROM read_mark ORDER BY id").all()
    assert names == ["may-miss:lab"]
    assert [tuple(mark) for mark in marks] == [(1, 2, None), (None, 2, None)]
    assert draws(store, "lab", FIRST) == [Draw(1, 1, 3, (3, 1)), Draw(1, 2, 1, (2,))]
    assert read_positions(store, "lab", FIRST).tolist() == [1, 2]
    store.close()


# Report 2: a file selected from issue 2 and issued it, which was reopened, decided on and issued at the desk. Report 1:
# the desk decided on issue 2, and then a file overruled it, as an older Presort let it.
MIXED = """
INSERT INTO decision (id, client_id, report_id, issue_id, paper_id, person_id, made_at, about, word, ranking_id) VALUES
    (11, NULL, 2, 2, 2, 1, '2026-11-10T08:00:00.000+00:00', 'relevant', 'yes', NULL),
    (12, 'c12', 2, 2, 2, 1, '2026-11-10T08:00:02.000+00:00', 'relevant', 'yes', NULL),
    (13, NULL, 2, 2, 2, 1, '2026-11-10T08:00:03.000+00:00', 'publish', 'no', NULL),
    (14, NULL, 2, 2, 2, 1, '2026-11-10T08:00:04.000+00:00', 'publish', 'no', NULL),
    (15, 'c15', 1, 2, 2, 1, '2026-11-10T08:00:05.000+00:00', 'relevant', 'no', NULL),
    (16, NULL, 1, 2, 2, 1, '2026-11-10T08:00:06.000+00:00', 'relevant', 'yes', NULL);
INSERT INTO reopened_issue VALUES (2, 2, 2, NULL, 1, '2026-11-10T08:00:00.000+00:00', x'', '',
    1, '2026-11-10T08:00:01.000+00:00', 'One is missing.');
INSERT INTO report_issue (report_id, issue_id, ranking_id, person_id, issued_at, published) VALUES
    (2, 2, NULL, 1, '2026-11-10T08:00:04.000+00:00', x''),
    (1, 2, NULL, 1, '2026-11-10T08:00:06.000+00:00', x'')
"""


def test_an_older_file_is_told_where_its_decisions_come_from(tmp_path):
    fill(tmp_path, "0007", MIXED)
    with closing(open_store(tmp_path)) as store, store.reading() as connection:

        def sources(query: str) -> dict[Any, str]:
            return dict(connection.exec_driver_sql(query).all())

        assert sources("SELECT id, source FROM decision") == {
            **{1: "desk", 2: "desk", 3: "desk"},
            **{11: "file", 12: "desk", 13: "desk", 14: "rule", 15: "desk", 16: "file"},
        }
        assert sources("SELECT report_id || ' ' || issue_id, source FROM report_issue") == {
            **{"1 1": "desk", "2 2": "desk", "1 2": "file"}
        }
        assert sources("SELECT id, source FROM reopened_issue") == {1: "desk", 2: "file"}


# Report 2 reopened what a file had selected from issue 1, and published it again without its negatives. It reopened
# issue 2, too, and has not published it since. Report 1 reopened what it had published at the desk.
REOPENED = """
INSERT INTO listing (issue_id, position, paper_id) VALUES (2, 2, 1);
INSERT INTO decision VALUES
    (31, NULL, 2, 1, 2, 1, '2026-11-03T08:00:00.000+00:00', 'relevant', 'yes', NULL, 'file', 0),
    (32, NULL, 2, 2, 2, 1, '2026-11-11T08:00:00.000+00:00', 'relevant', 'undecided', NULL, 'desk', 0);
INSERT INTO reopened_issue VALUES
    (2, 2, 1, NULL, 1, '2026-11-03T08:00:00.000+00:00', x'', '', 1, '2026-11-04T08:00:00.000+00:00', 'One.', 'file'),
    (3, 2, 2, NULL, 1, '2026-11-10T08:00:00.000+00:00', x'', '', 1, '2026-11-10T09:00:00.000+00:00', 'Two.', 'file'),
    (4, 1, 2, NULL, 1, '2026-11-10T08:00:00.000+00:00', x'', '', 1, '2026-11-10T09:00:00.000+00:00', 'Three.', 'desk');
INSERT INTO report_issue (report_id, issue_id, person_id, issued_at, published, note, source, n_papers, unread, ended)
    VALUES (2, 1, 1, '2026-11-04T09:00:00.000+00:00', x'', '', 'desk', 2, x'01000000', 'early')
"""


def test_of_an_import_that_was_reopened_all_was_read(tmp_path):
    fill(tmp_path, "0022", REOPENED)
    with closing(open_store(tmp_path)) as store:
        assert read_positions(store, "his", FIRST).tolist() == read_positions(store, "his", SECOND).tolist() == [1, 2]
        assert read_positions(store, "lab", SECOND).tolist() == [], "of the desk, the logs alone tell"
        with store.reading() as connection:
            columns = "SELECT id, n_papers, unread, ended, stop_at, decisions_up_to FROM reopened_issue WHERE id > 1"
            rows = connection.exec_driver_sql(f"{columns} ORDER BY id").all()
        assert [tuple(row) for row in rows] == [
            (2, 2, b"", "all", None, 31),
            (3, 2, b"", "all", None, 5),
            (4, 0, b"", "all", None, 0),
        ]
        reopen(store, "his", FIRST, "To mend it.", person="Ann")
        assert read_positions(store, "his", FIRST).tolist() == [1, 2], "also by what was stored as not read since"
