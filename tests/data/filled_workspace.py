"""A workspace with rows in every table, for tests of migrations, moves and backups."""

import sqlite3
from contextlib import closing
from pathlib import Path

from presort.data.store import FILE_NAME, open_store

ROWS = """
INSERT INTO issue VALUES
    (1, '2026-11-02'),
    (2, '2026-11-09');
INSERT INTO paper VALUES
    (1, 'p1', 'Wages', 'We show.', 'Ann Lee' || char(10) || 'Bo Chen', 'J31', 'Papers', '', '10.1257/aer.1',
        'https://a.example/1', 'report'),
    (2, 'p2', 'Jobs', '', '', '', '', '2026-11-01', '', '', ''),
    (3, 'p3', 'Wages', '', '', '', '', '', '10.1257/aer.1', '', '');
INSERT INTO paper_index VALUES
    ('doi', '10.1257/aer.1', 0, x'01000300'),
    ('id', 'p1', 0, x'0100'),
    ('id', 'p2', 0, x'0200'),
    ('id', 'p3', 0, x'0300'),
    ('word', 'ann', 0, x'0100'),
    ('word', 'bo', 0, x'0100'),
    ('word', 'chen', 0, x'0100'),
    ('word', 'jobs', 0, x'0200'),
    ('word', 'lee', 0, x'0100'),
    ('word', 'wages', 0, x'01000300');
INSERT INTO person VALUES (1, 'Ann', 'University of X', '');
INSERT INTO reader VALUES (1, 'ann@example.org', 'Ann Lee');
INSERT INTO replay VALUES (1, '2026-11-02', '2026-11-09', 4, '2026-11-10T08:00:00.000+00:00');
INSERT INTO report VALUES
    (1, 'lab', 'Labour', NULL, '#0072b2', '2026-11-02', '2026-11-02'),
    (2, 'his', 'History', '2026-11-03T08:00:00.000+00:00', '', NULL, NULL);
UPDATE revision SET number = 41;
INSERT INTO setting VALUES ('demo', '1');
INSERT INTO token VALUES
    (0, 'war'),
    (1, 'wages');
INSERT INTO weekly_step VALUES ('2026-11-09', 'rank', 'done', '2026-11-09T06:00:00.000+00:00',
        '2026-11-09T06:00:09.000+00:00', '2 rankings made.');
INSERT INTO alert VALUES (1, 1, 'declined', '2026-11-02', '2026-11-09', '57 %', 1, 'Asked Ann.', 1,
        '2026-11-10T08:00:04.000+00:00');
INSERT INTO change VALUES (1, 1, '2026-11-10T08:00:03.000+00:00', 1, NULL, 'Renamed the report.', 'Work', 'Labour');
INSERT INTO criteria VALUES (1, 1, 1, '2026-11-02T08:00:05.000+00:00', 'What people earn.');
INSERT INTO editorship VALUES (1, 1, 1, NULL, '2026-01-05', NULL, 0, 1, '2026-11-03T08:00:01.000+00:00');
INSERT INTO hint VALUES (1, 2, 1, '2026-11-02T08:00:03.000+00:00', 'mute', 'war');
INSERT INTO holiday VALUES (1, '2026-12-24', '2026-12-31', 'Christmas', 0, 1, '2026-11-03T08:00:02.000+00:00');
INSERT INTO identity VALUES (1, 'https://id.example.org', 'a1', 1, '2026-11-10T08:00:01.000+00:00', NULL,
        'editor lab', '2026-11-10T20:00:01.000+00:00');
INSERT INTO removed_account VALUES ('beef');
INSERT INTO imported_file VALUES (1, 'week.csv', 1, '2026-11-03T08:00:03.000+00:00', 3, 2, 2, 0, 3, 1, 1, 0, 0);
INSERT INTO invitation VALUES (1, 'f00d', 1, '2026-11-10T08:00:02.000+00:00');
INSERT INTO current_decisions VALUES
    (1, 1, x'01000000', x'', x'02000000', 3),
    (2, 2, x'', x'', x'', 5);
INSERT INTO listing VALUES
    (1, 1, 1),
    (1, 2, 2),
    (2, 1, 2);
INSERT INTO mailing VALUES (1, 1, 1, 1, 'sent', '2026-11-03T08:00:05.000+00:00', '');
INSERT INTO notice VALUES (1, 'pending', 1, '2026-11-02', 1, 'sent', '2026-11-09T06:00:10.000+00:00', '');
INSERT INTO paper_duplicate VALUES (3, 2, 1, 'doi', 1.0, '2026-11-09T08:00:00.000+00:00', NULL, NULL);
INSERT INTO paper_tokens VALUES (1, x'01000000', x'', x'', x'');
INSERT INTO paper_vector VALUES (1, x'003c00b8');
INSERT INTO possible_duplicate VALUES (3, 1, 'doi', 1.0, '2026-11-09T08:00:00.000+00:00', NULL, NULL, NULL);
INSERT INTO preference VALUES (1, 'level', '95');
INSERT INTO ranker_choice VALUES (1, 'krichel-2007', 'presort-1', '2026-11-02', 1, '2026-11-03T08:00:00.000+00:00');
INSERT INTO readership VALUES (1, 1, 1, 1, 1, '2026-11-03T08:00:04.000+00:00');
INSERT INTO role VALUES (1, 1, 'viewer', 1, 0, 1, '2026-11-10T08:00:00.000+00:00');
INSERT INTO skipped_issue VALUES (1, 1, 2, 1, '2026-11-09T08:00:00.000+00:00', 3, 0);
INSERT INTO draft VALUES (1, 1, 1, 1, '2026-11-02T08:00:06.000+00:00', x'01000000', 'A short one.', 'Ask Bo.');
INSERT INTO paper_note VALUES (1, 'n1', 1, 1, 1, 1, '2026-11-02T08:00:04.000+00:00', 'tag', 'survey');
INSERT INTO ranking VALUES
    (1, 1, 1, NULL, 'krichel-2007', '2026-11-02', 0, 0, '2026-11-02T07:00:00.000+00:00', x'0200000001000000',
        x'000000000000f03f000000000000e0bf', 0, 'wages' || char(10) || 'minimum wage', NULL),
    (2, 1, 2, 1, 'krichel-2007', '2026-11-09', 3, 1, '2026-11-10T08:00:00.000+00:00', x'01000000', x'', 1, '', 2);
INSERT INTO decision VALUES
    (1, 'c1', 1, 1, 1, 1, '2026-11-02T08:00:00.000+00:00', 'relevant', 'yes', 1, 'desk', 0, NULL),
    (2, 'c2', 1, 1, 2, 1, '2026-11-02T08:00:01.000+00:00', 'relevant', 'maybe', NULL, 'desk', 0, NULL),
    (3, NULL, 1, 1, 2, 1, '2026-11-02T08:00:02.000+00:00', 'relevant', 'no', NULL, 'desk', 0, NULL),
    (4, NULL, 2, 2, 2, 1, '2026-11-09T08:00:00.000+00:00', 'relevant', 'yes', NULL, 'file', 0, NULL),
    (5, NULL, 2, 2, 2, 1, '2026-11-09T08:00:00.000+00:00', 'relevant', 'undecided', NULL, 'desk', 0, NULL);
INSERT INTO draw VALUES (1, 1, 1, 1, 0, 2, x'01000000', 1, '2026-11-02T08:00:10.000+00:00');
INSERT INTO first_publication VALUES (1, 1, NULL, 'desk', 3, 1, 1, 2, x'02000000', 'advised');
INSERT INTO outcome VALUES (1, 2, x'02000000', '2026-11-02T09:00:00.000+00:00', 41);
INSERT INTO reranking VALUES
    (1, 'r1', 1, 1, 1, NULL, x'0200000001000000', 2, 3, 1, '2026-11-02T08:00:09.000+00:00');
INSERT INTO read_mark VALUES (1, 1, 1, 1, 2, 1, '2026-11-02T08:00:09.000+00:00', 1);
INSERT INTO reopened_issue VALUES (1, 1, 1, NULL, 1, '2026-11-02T08:00:07.000+00:00', x'', '', 1,
        '2026-11-02T08:00:08.000+00:00', 'Too early.', 'desk', 0, x'', 'all', NULL, 3);
INSERT INTO report_issue VALUES (1, 1, 1, 1, '2026-11-02T09:00:00.000+00:00', x'01000000', 'A short one.', 'desk',
        2, x'02000000', 'advised', 2);
INSERT INTO stop_audit VALUES (1, 1, 0.25, 1, 1, 41);
"""


def fill(workspace: Path) -> None:
    """Create a workspace in a folder, with rows in every table."""
    open_store(workspace).close()
    with closing(sqlite3.connect(workspace / FILE_NAME)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(f"BEGIN; PRAGMA defer_foreign_keys = ON; {ROWS} COMMIT;")
