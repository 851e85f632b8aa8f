"""Tables and their versions: a new file, and older ones that are brought up to date."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime

import alembic.command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from data import catalogue, drafts, rankings, reopening, reviews, service
from data.hints import add_hint, hints
from data.rankings import Done
from data.records import Draft, Hints, Issuing, Paper, PaperTokens, Report, ReportIssue
from data.store import FILE_NAME, Store, migration_config, open_store
from data.tables import Base
from data.tokens import keep_tokens
from tests.data.workspaces import FIRST, SECOND, damage, say, send_out

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
}


def upgrade(store: Store, revision: str) -> None:
    config = migration_config()
    with store.engine.begin() as connection:
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, revision)


def shape(engine: Engine) -> dict[str, object]:
    """Give what Alembic's comparison leaves out: defaults, checks, foreign keys, and SQLite's own kinds of table."""
    look = inspect(engine)
    with engine.connect() as connection:
        sql = dict(connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all())
    return {
        name: (
            [
                (column["name"], column["nullable"], column["primary_key"], column["default"])
                for column in look.get_columns(name)
            ],
            sorted(check["sqltext"] for check in look.get_check_constraints(name)),
            sorted((key["constrained_columns"], key["referred_table"]) for key in look.get_foreign_keys(name)),
            "AUTOINCREMENT" in sql[name],
            "WITHOUT ROWID" in sql[name],
        )
        for name in Base.metadata.tables
    }


def test_a_new_workspace_has_the_tables_of_the_metadata(store, other_engine):
    with store.connection() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    Base.metadata.create_all(other_engine)
    assert shape(store.engine) == shape(other_engine)


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


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_filled_older_file_is_upgraded_and_keeps_everything(tmp_path, revision):
    older = Store(tmp_path / FILE_NAME)
    for passed in REVISIONS[: REVISIONS.index(revision) + 1]:
        upgrade(older, passed)
        with older.engine.begin() as connection:
            for statement in FILLED[passed].split(";\n"):
                connection.execute(text(statement))
    columns = columns_of(older)
    before = rows_of(older, columns)
    assert all(before.values()), "a table is empty"
    older.close()

    store = open_store(tmp_path)
    with store.reading() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == REVISIONS[-1]
    assert damage(store) == []
    assert service.colours(store) == ({"lab": "#0072b2"} if revision >= "0005" else {})
    assert service.active_ranker(store) == ("krichel-2007" if revision >= "0005" else None)
    assert rows_of(store, columns) == before
    assert catalogue.revision(store) == 41
    assert catalogue.setting(store, "demo") == "1"
    assert catalogue.papers(store, FIRST) == [
        Paper("p1", "Wages", "We show.", ("Ann Lee", "Bo Chen"), ("J31",), "Papers"),
        Paper("p2", "Jobs", date="2026-11-01"),
    ]
    assert [paper.paper_id for paper in catalogue.papers(store, SECOND)] == ["p2"]
    assert catalogue.reports(store, retired=True) == [
        Report("his", "History", is_retired=True),
        Report("lab", "Labour"),
    ]
    assert reviews.words(store, "lab", FIRST) == {"p1": "yes", "p2": "no"}
    note = "A short one." if revision >= "0003" else ""
    gone_out = ReportIssue("lab", FIRST, (1,), "Ann", 1, note)
    assert reviews.issued(store, "lab") == {FIRST: gone_out}
    assert reopening.issuings(store, "lab", FIRST)[-1] == Issuing(gone_out, datetime(2026, 11, 2, 9, tzinfo=UTC))
    shown = rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"]
    assert shown.made_at == datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert (shown.ranking.positions.tolist(), shown.ranking.scores.tolist()) == ([2, 1], [1.0, -0.5])
    assert [replay.retrain_every for replay in rankings.replays(store)] == [4]
    assert [scored.places.tolist() for scored in rankings.scored_rankings(store)] == [[2]]
    with store.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM decision").scalar() == 3
    assert shown.ranking.hints_up_to == 0
    assert shown.ranking.words == (("wages", "minimum wage") if revision >= "0004" else ())
    told = {"his": Hints(muted=("war",), up_to=1)} if revision >= "0002" else {}
    assert rankings.ranked(store, "krichel-2007", 1) == {Done("lab", SECOND, SECOND, 3, 1, len(told))}
    assert hints(store) == told
    history = catalogue.history(store, date.max, tokens=True)
    assert (history.tokens, history.seeds) == (None, {})

    assert reviews.decide(store, [say("lab", "p2", "yes", SECOND, shown=2)]) == 1
    add_hint(store, "lab", "mute", "bitcoin", person="Ann")
    assert hints(store)["lab"] == Hints(muted=("bitcoin",), up_to=len(told) + 1)
    keep_tokens(store, lambda paper: PaperTokens(paper.title.lower().split(), [], paper.authors, paper.codes))
    tokens = catalogue.history(store, date.max, tokens=True).tokens
    assert [tokens.vocabulary[number] for number in tokens.title.values] == ["wages", "jobs", "jobs"]
    rankings.add_rankings(store, [replace(shown.ranking, hints_up_to=1, words=("jobs",))])
    anew = rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"].ranking
    assert (anew.hints_up_to, anew.words) == (1, ("jobs",))
    reopening.reopen(store, "lab", FIRST, "One is missing.", person="Bo")
    assert rankings.scored_rankings(store) == []
    drafts.save_draft(store, Draft("lab", FIRST, (2, 1)), person="Bo")
    assert send_out(store, "lab", order=(1, 2)) == (1,)
    service.set_rankers(store, "presort-1", (), person="Bo")
    assert service.active_ranker(store) == "presort-1"
    store.close()


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    def fail(*_arguments, **_options):
        raise RuntimeError("half way")

    monkeypatch.setattr("alembic.op.create_index", fail)
    with pytest.raises(RuntimeError, match="half way"):
        open_store(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
    monkeypatch.undo()
    open_store(tmp_path).close()
