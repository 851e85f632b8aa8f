"""Files of older versions, with rows in all tables, for tests."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import alembic.command
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from presort.data.store import FILE_NAME, Store, find_store, migration_config
from presort.data.workspace.sqlite_database import SqliteDatabase

REVISIONS = [script.revision for script in ScriptDirectory.from_config(migration_config()).walk_revisions()][::-1]

# One row or more of everything that each version added, as a file of that version holds it.
FILLED = {
    "0001": """
INSERT INTO setting VALUES ('demo', '1');
UPDATE revision SET number = 41;
INSERT INTO issue VALUES (1, '2026-11-02'), (2, '2026-11-09');
INSERT INTO paper VALUES (1, 'p1', 'Wages', 'We show.', 'Ann Lee' || char(10) || 'Bo Chen', 'J31', 'Papers', ''),
    (2, 'p2', 'Jobs', '', '', '', '', '2026-11-01');
INSERT INTO listing (issue_id, position, paper_id) VALUES (1, 1, 1), (1, 2, 2), (2, 1, 2);
INSERT INTO report VALUES (1, 'lab', 'Labour', NULL), (2, 'his', 'History', '2026-11-03T08:00:00.000+00:00');
INSERT INTO person VALUES (1, 'Ann');
INSERT INTO decision VALUES (1, 'c1', 1, 1, 1, 1, '2026-11-02T08:00:00.000+00:00', 'relevant', 'yes'),
    (2, 'c2', 1, 1, 2, 1, '2026-11-02T08:00:01.000+00:00', 'relevant', 'maybe'),
    (3, NULL, 1, 1, 2, 1, '2026-11-02T08:00:02.000+00:00', 'relevant', 'no');
INSERT INTO replay VALUES (1, '2026-11-02', '2026-11-09', 4, '2026-11-10T08:00:00.000+00:00');
INSERT INTO ranking VALUES
    (1, 1, 1, NULL, 'krichel-2007', '2026-11-02', 0, 0, '2026-11-02T07:00:00.000+00:00',
        x'0200000001000000', x'000000000000f03f000000000000e0bf'),
    (2, 1, 2, 1, 'krichel-2007', '2026-11-09', 3, 1, '2026-11-10T08:00:00.000+00:00', x'01000000', x'');
INSERT INTO outcome VALUES (1, 2, x'02000000', '2026-11-02T09:00:00.000+00:00');
INSERT INTO report_issue VALUES (1, 1, 1, 1, '2026-11-02T09:00:00.000+00:00', x'01000000')
""",
    "0002": """
INSERT INTO token VALUES (0, 'war'), (1, 'wages');
INSERT INTO paper_tokens VALUES (1, x'01000000', x'', x'', x'');
INSERT INTO hint VALUES (1, 2, 1, '2026-11-02T08:00:03.000+00:00', 'mute', 'war');
UPDATE ranking SET hints_up_to = 1 WHERE id = 2
""",
    "0003": """
UPDATE decision SET ranking_id = 1 WHERE id = 1;
UPDATE report_issue SET note = 'A short one.';
INSERT INTO paper_note VALUES (1, 'n1', 1, 1, 1, 1, '2026-11-02T08:00:04.000+00:00', 'tag', 'survey');
INSERT INTO criteria VALUES (1, 1, 1, '2026-11-02T08:00:05.000+00:00', 'What people earn.');
INSERT INTO preference VALUES (1, 'level', '95');
INSERT INTO draft VALUES (1, 1, 1, 1, '2026-11-02T08:00:06.000+00:00', x'01000000', 'A short one.', 'Ask Bo.');
INSERT INTO reopened_issue VALUES (1, 1, 1, NULL, 1, '2026-11-02T08:00:07.000+00:00', x'', '',
    1, '2026-11-02T08:00:08.000+00:00', 'Too early.')
""",
    "0004": "UPDATE ranking SET words = 'wages' || char(10) || 'minimum wage' WHERE id = 1",
    "0005": """
UPDATE report SET colour = '#0072b2' WHERE id = 1;
UPDATE person SET affiliation = 'University of X';
INSERT INTO ranker_choice VALUES (1, 'krichel-2007', 'presort-1', '2026-11-02', 1, '2026-11-03T08:00:00.000+00:00');
INSERT INTO editorship VALUES (1, 1, 1, NULL, '2026-01-05', NULL, 0, 1, '2026-11-03T08:00:01.000+00:00');
INSERT INTO holiday VALUES (1, '2026-12-24', '2026-12-31', 'Christmas', 0, 1, '2026-11-03T08:00:02.000+00:00');
INSERT INTO imported_file VALUES (1, 'week.csv', 1, '2026-11-03T08:00:03.000+00:00', 3, 2, 2, 0, 3, 1, 1, 0)
""",
    "0006": """
UPDATE paper SET doi = '10.1257/aer.1' WHERE id = 1;
INSERT INTO paper VALUES (3, 'p3', 'Wages', '', '', '', '', '', '10.1257/aer.1');
INSERT INTO paper_copy VALUES (3, 2, 1, 'doi', 1.0, '2026-11-09T08:00:00.000+00:00', NULL, NULL)
""",
    "0007": """
INSERT INTO reader VALUES (1, 'ann@example.org', 'Ann Lee');
INSERT INTO readership VALUES (1, 1, 1, 1, 1, '2026-11-03T08:00:04.000+00:00');
INSERT INTO mailing VALUES (1, 1, 1, 1, 'sent', '2026-11-03T08:00:05.000+00:00', '')
""",
    "0008": """
INSERT INTO decision VALUES
    (4, NULL, 2, 2, 2, 1, '2026-11-09T08:00:00.000+00:00', 'relevant', 'yes', NULL, 'file'),
    (5, NULL, 2, 2, 2, 1, '2026-11-09T08:00:00.000+00:00', 'relevant', 'undecided', NULL, 'desk')
""",
    "0009": """
INSERT INTO skipped_issue VALUES (1, 1, 2, 1, '2026-11-09T08:00:00.000+00:00', 3, 0);
INSERT INTO read_mark VALUES (1, 1, 1, 1, 2, 1, '2026-11-02T08:00:09.000+00:00');
INSERT INTO draw VALUES (1, 1, 1, 1, 0, 2, x'01000000', 1, '2026-11-02T08:00:10.000+00:00')
""",
    "0010": """
UPDATE report_issue SET n_papers = 2, unread = x'02000000'
""",
    "0011": """
UPDATE ranking SET n_past = 2 WHERE id = 2
""",
    "0012": """
UPDATE report_issue SET ended = 'told', stop_at = 2;
INSERT INTO promise VALUES (1, 1, 0.25, 1, 1)
""",
    "0013": """
UPDATE report_issue SET unread = x'02000000'
""",
    "0014": """
INSERT INTO paper_vector VALUES (1, x'003c00b8')
""",
    "0015": "",
    "0016": "",
    "0017": """
INSERT INTO weekly_step VALUES ('2026-11-09', 'rank', 'done', '2026-11-09T06:00:00.000+00:00',
    '2026-11-09T06:00:09.000+00:00', '2 rankings made.');
INSERT INTO notice VALUES (1, 'waits', 1, '2026-11-02', 1, 'sent', '2026-11-09T06:00:10.000+00:00', '')
""",
    "0018": """
INSERT INTO role VALUES (1, 1, 'viewer', 1, 0, 1, '2026-11-10T08:00:00.000+00:00');
INSERT INTO identity VALUES (1, 'https://id.example.org', 'a1', 1, '2026-11-10T08:00:01.000+00:00', NULL);
INSERT INTO invitation VALUES (1, 'f00d', 1, '2026-11-10T08:00:02.000+00:00');
INSERT INTO change VALUES (1, 1, '2026-11-10T08:00:03.000+00:00', 1, NULL, 'Renamed the report.')
""",
    "0019": "",
    "0020": "",
    "0021": """
INSERT INTO outcome_scores VALUES (1, x'000000000000f03f')
""",
    "0022": "",
    "0023": "",  # the migration itself fills its table
    "0024": """
UPDATE outcome SET revision = 41;
UPDATE promise SET revision = 41
""",
    "0025": "UPDATE report SET late_after = '2026-11-02' WHERE id = 1",
    "0026": "",  # the migration itself fills its columns
    "0027": """
INSERT INTO possible_duplicate VALUES (3, 1, 'doi', 1.0, '2026-11-09T08:00:00.000+00:00', NULL, NULL, NULL)
""",
    "0028": "UPDATE paper SET url = 'https://a.example/1', type = 'report' WHERE id = 1",
}


def upgrade(store: Store, revision: str) -> None:
    config = migration_config()
    with store.engine.begin() as connection:
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, revision)


def columns_of(store: Store) -> dict[str, list[str]]:
    look = inspect(store.engine)
    tables = sorted(set(look.get_table_names()) - {"alembic_version"})
    return {table: [column["name"] for column in look.get_columns(table)] for table in tables}


def rows_of(store: Store, columns: dict[str, list[str]]) -> dict[str, list[tuple[object, ...]]]:
    with store.reading() as connection:
        return {
            table: [
                tuple(row)
                for row in connection.exec_driver_sql(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1, 2")
            ]
            for table, names in columns.items()
        }


@cache
def filled(revision: str) -> bytes:
    """Make a file of an older version, with rows in all tables, out of that of the version before it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        if number := REVISIONS.index(revision):
            path.write_bytes(filled(REVISIONS[number - 1]))
        older = Store(SqliteDatabase(path))
        upgrade(older, revision)
        with older.engine.begin() as connection:
            for statement in filter(None, FILLED[revision].split(";\n")):
                connection.execute(text(statement))
        older.close()
        return path.read_bytes()


def fill(workspace: Path, revision: str, more: str = "") -> tuple[dict[str, list[str]], Any]:
    """Make a file of an older version, with rows in all tables, and more where asked; give its columns and rows."""
    (workspace / FILE_NAME).write_bytes(filled(revision))
    older = find_store(workspace)
    with older.engine.begin() as connection:
        for statement in filter(None, more.split(";\n")):
            connection.execute(text(statement))
    columns = columns_of(older)
    before = rows_of(older, columns)
    assert all(before.values()), "a table is empty"
    older.close()
    return columns, before
