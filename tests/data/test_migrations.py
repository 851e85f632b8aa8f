"""Tables and their versions: a new file, and older ones that are brought up to date."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from presort.data import catalogue
from presort.data.editing import decisions, drafts, reopening
from presort.data.editing.hints import add_hint, hints
from presort.data.errors import WorkspaceError
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.learning.rankings import Done, Heeded
from presort.data.learning.tokens import keep_tokens
from presort.data.records import ALL_READ, Draft, Extent, Hints, Issuing, Paper, PaperTokens, Report, ReportIssue
from presort.data.running import service
from presort.data.running.backups import restore
from presort.data.store import FILE_NAME, find_store, open_store
from presort.data.tables import Base
from presort.data.workspace.damage import examine
from presort.ranker.tokens import tokenise
from tests.data.older_files import REVISIONS, columns_of, fill, rows_of
from tests.data.workspaces import FIRST, SECOND, contents, damage, incompressible, say, send_out

pytestmark = [pytest.mark.of_file, pytest.mark.whole]


def shape(engine: Engine) -> dict[str, object]:
    """Return what Alembic's comparison leaves out: defaults, checks, foreign keys, and SQLite's own kinds of table."""
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


def without_choice_of_before(rows):
    """Leave out that presort-1 sorted where none was chosen."""
    presort = [row[0] for row in rows["person"] if row[1] == "presort"]
    left = {"person": [row for row in rows["person"] if row[0] not in presort]}
    return rows | left | {"ranker_choice": [row for row in rows.get("ranker_choice", []) if row[4] not in presort]}


def test_a_paper_that_goes_by_its_doi_has_it_in_the_column_of_dois(tmp_path):
    ids = ("10.1257/AER.1", "doi:10.1257/aer.2", "https://doi.org/10.1257/aer.3", "arXiv:2410.12345", "page 10.1")
    papers = ", ".join(f"({n}, '{paper_id}', 'T', '', '', '', '', '', '')" for n, paper_id in enumerate(ids, 11))
    fill(tmp_path, "0027", f"INSERT INTO paper VALUES {papers}")
    with closing(open_store(tmp_path)) as store, store.reading() as connection:
        dois = connection.exec_driver_sql("SELECT doi FROM paper WHERE id > 10 ORDER BY id").scalars().all()
    assert dois == ["10.1257/aer.1", "10.1257/aer.2", "10.1257/aer.3", "", ""]


def test_a_service_that_was_never_sorted_gets_no_choice(tmp_path):
    fill(tmp_path, "0004", "UPDATE ranking SET replay_id = 1")
    with closing(open_store(tmp_path)) as store:
        assert service.ranker_choices(store) == []


def test_who_chose_for_all_issues_is_not_overruled(tmp_path):
    more = "INSERT INTO ranker_choice SELECT 2, 'arxiv-sanity', '', NULL, 1, made_at FROM ranker_choice"
    fill(tmp_path, "0014", more)
    with closing(open_store(tmp_path)) as store:
        assert [choice.active for choice in service.ranker_choices(store)] == ["krichel-2007", "arxiv-sanity"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_filled_older_file_is_upgraded_and_keeps_everything(tmp_path, revision):
    columns, before = fill(tmp_path, revision)

    store = open_store(tmp_path)
    with store.reading() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == REVISIONS[-1]
    assert damage(store) == []
    assert service.colours(store) == ({"lab": "#0072b2"} if revision >= "0005" else {})
    assert service.active_ranker(store) == ("krichel-2007" if revision >= "0005" else "presort-1")
    assert service.active_ranker(store, FIRST) == "presort-1", "which sorted where none was chosen"
    assert without_choice_of_before(rows_of(store, columns)) == without_choice_of_before(before)
    assert catalogue.revision(store) == 41
    assert catalogue.setting(store, "demo") == "1"
    doi = "10.1257/aer.1" if revision >= "0006" else ""
    url, type_ = ("https://a.example/1", "report") if revision >= "0028" else ("", "")
    assert catalogue.papers(store, FIRST) == [
        Paper("p1", "Wages", "We show.", ("Ann Lee", "Bo Chen"), ("J31",), "Papers", doi=doi, url=url, type=type_),
        Paper("p2", "Jobs", date="2026-11-01"),
    ]
    assert [paper.paper_id for paper in catalogue.papers(store, SECOND)] == ["p2"]
    assert catalogue.reports(store, retired=True) == [
        Report("his", "History", is_retired=True),
        Report("lab", "Labour"),
    ]
    assert decisions.words(store, "lab", FIRST) == {"p1": "yes", "p2": "no"}
    note = "A short one." if revision >= "0003" else ""
    extent = Extent((2,), "told", stop_at=2)
    if revision < "0012":
        extent = Extent((2,), "early") if revision >= "0010" else ALL_READ
    gone_out = ReportIssue("lab", FIRST, (1,), "Ann", 1, note, n_papers=2, extent=extent)
    assert decisions.issued(store, "lab") == {FIRST: gone_out}
    assert reopening.issuings(store, "lab", FIRST)[-1] == Issuing(gone_out, datetime(2026, 11, 2, 9, tzinfo=UTC))
    shown = rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"]
    assert shown.made_at == datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert (shown.ranking.positions.tolist(), shown.ranking.scores.tolist()) == ([2, 1], [1.0, -0.5])
    assert [replay.retrain_every for replay in rankings.replays(store)] == [4]
    assert [scored.places.tolist() for scored in outcomes.scored_rankings(store)] == [[2]]
    with store.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM decision").scalar() == len(before["decision"])
    assert shown.ranking.hints_up_to == 0
    assert shown.ranking.words == (("wages", "minimum wage") if revision >= "0004" else ())
    told = {"his": Hints(muted=("war",), up_to=1)} if revision >= "0002" else {}
    assert rankings.ranked(store, "krichel-2007", 1) == {
        Done("lab", SECOND, SECOND, 1, Heeded(3, len(told), 2 if revision >= "0011" else None))
    }
    assert hints(store) == told
    history = read_history(store, date.max, tokens="1")
    assert (history.tokens, history.seeds) == (None, {})

    assert decisions.decide(store, [say("lab", "p2", "yes", SECOND, shown=2)]) == 1
    add_hint(store, "lab", "mute", "bitcoin", person="Ann")
    assert hints(store)["lab"] == Hints(muted=("bitcoin",), up_to=len(told) + 1)
    keep_tokens(store, lambda paper: PaperTokens(paper.title.lower().split(), [], paper.authors, paper.codes), "1")
    tokens = read_history(store, date.max, tokens="1").tokens
    assert [tokens.vocabulary[number] for number in tokens.title.values] == ["wages", "jobs", "jobs"]
    rankings.add_rankings(store, [replace(shown.ranking, hints_up_to=1, n_past=2, words=("jobs",))])
    with store.reading() as connection:
        newest = connection.exec_driver_sql("SELECT max(id) FROM ranking").scalar()
    added = rankings.ranking(store, newest).ranking
    assert (added.hints_up_to, added.n_past, added.words) == (1, 2, ("jobs",))
    reopening.reopen(store, "lab", FIRST, "One is missing.", person="Bo")
    assert outcomes.scored_rankings(store) == []
    drafts.save_draft(store, Draft("lab", FIRST, (2, 1)), person="Bo")
    assert send_out(store, "lab", order=(1, 2)) == (1,)
    service.set_rankers(store, "presort-1", (), person="Bo")
    assert service.active_ranker(store) == "presort-1"
    store.close()


COPY = "backups/before-upgrade-{}.db"


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_a_file_that_was_upgraded_can_be_put_back_as_it_was(tmp_path, revision):
    columns, before = fill(tmp_path, revision)
    open_store(tmp_path).close()
    kept = tmp_path / COPY.format(revision)
    assert kept.stat().st_mode & 0o777 == 0o600
    restore(tmp_path, kept)
    assert examine(tmp_path / FILE_NAME).schema == revision
    with closing(find_store(tmp_path)) as older:
        assert (columns_of(older), rows_of(older, columns)) == (columns, before)
    with closing(open_store(tmp_path)) as store:  # and up again
        assert damage(store) == []
    assert kept.exists()


def test_of_files_as_they_were_before_an_upgrade_the_last_is_kept(tmp_path):
    (tmp_path / "new").mkdir()
    open_store(tmp_path / "new").close()
    open_store(tmp_path / "new").close()
    assert not (tmp_path / "new" / "backups").exists()
    for revision in ("0016", "0015"):  # the second by a copy of another file
        fill(tmp_path, revision)
        open_store(tmp_path).close()
        assert [path.name for path in (tmp_path / "backups").iterdir()] == [f"before-upgrade-{revision}.db"]


def test_without_room_for_a_copy_nothing_is_upgraded(tmp_path, monkeypatch):
    columns, before = fill(tmp_path, "0016")
    no_room = shutil.disk_usage(tmp_path)._replace(free=100)
    monkeypatch.setattr("presort.data.workspace.file_copy.shutil.disk_usage", lambda _: no_room)
    with pytest.raises(WorkspaceError) as refused:
        open_store(tmp_path)
    size = (tmp_path / FILE_NAME).stat().st_size
    assert str(refused.value) == (
        f"{tmp_path}/{FILE_NAME} has to be brought up to date, and {tmp_path}/backups has no room for a copy of it as "
        f"it is, {size:,} bytes; make room there. Nothing was changed."
    )
    with closing(find_store(tmp_path)) as older:
        assert (columns_of(older), rows_of(older, columns)) == (columns, before)
    monkeypatch.undo()
    open_store(tmp_path).close()


def test_a_copy_of_an_upgrade_that_came_to_nothing_is_made_anew(tmp_path):
    fill(tmp_path, "0016")
    kept = tmp_path / COPY.format("0016")
    kept.parent.mkdir()
    kept.write_bytes(b"of another time")
    (kept.parent / f"{kept.name}.unfinished").write_bytes(b"cut off")
    open_store(tmp_path).close()
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    restore(tmp_path, kept)
    assert examine(tmp_path / FILE_NAME).schema == "0016"


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


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param(
            "INSERT INTO decision VALUES (9, NULL, 1, 2, 1, 1, '', 'relevant', 'yes', NULL)",
            "1 decisions on papers that their issue does not list, the first is number 9",
            id="paper-of-another-issue",
        ),
        pytest.param(
            "INSERT INTO decision VALUES (9, NULL, 1, 2, 2, 1, '', 'relevant', 'yes', 1)",
            "1 decisions with a ranking of another report or issue, the first is number 9",
            id="ranking-of-another-issue",
        ),
        pytest.param(
            "INSERT INTO paper_note VALUES (9, NULL, 1, 2, 1, 1, '', 'tag', 'x')",
            "1 tags or notes on papers that their issue does not list",
            id="note",
        ),
        pytest.param(
            "UPDATE listing SET position = 3 WHERE issue_id = 1 AND position = 2",
            "1 issues whose list has a gap, the first is number 1",
            id="gap",
        ),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_is_changed(tmp_path, more, said):
    columns, _ = fill(tmp_path, "0007", more)
    with closing(find_store(tmp_path)) as older:
        before = rows_of(older, columns)
    with pytest.raises(WorkspaceError, match=rf"{FILE_NAME} holds what this Presort refuses: {said}"):
        open_store(tmp_path)
    with closing(find_store(tmp_path)) as older:
        assert (columns_of(older), rows_of(older, columns)) == (columns, before)


def test_long_tokens_become_as_the_rankers_make_them(tmp_path):
    word = incompressible(3_000)
    fill(tmp_path, "0021", f"INSERT INTO token VALUES (2, '{word}')")
    with closing(open_store(tmp_path)) as store:
        assert contents(store)["token"] == [(0, "war"), (1, "wages"), (2, *tokenise(Paper("p", word)).title)]


def test_a_report_that_was_added_by_name_is_late_for_nothing_older(tmp_path):
    more = """
INSERT INTO report VALUES (7, 'new', 'New', NULL, ''), (8, 'back', 'Back', NULL, '');
INSERT INTO change VALUES (71, 1, '2026-11-05T08:00:00.000+00:00', 7, NULL, 'Added the report'),
    (72, 1, '2026-11-01T08:00:00.000+00:00', 8, NULL, 'Added the report'),
    (73, 1, '2026-11-10T08:00:00.000+00:00', 8, NULL, 'Brought the report back')
"""
    fill(tmp_path, "0024", more)
    with closing(open_store(tmp_path)) as store:
        found = dict(store_rows(store, "SELECT code, late_after FROM report"))
        assert found["lab"] is None, "it came with its past"
        assert (found["new"], found["back"]) == ("2026-11-02", "2026-11-09")


@pytest.mark.parametrize(
    ("reopened_at", "is_taken_up"), [("2026-11-10T08:00:00.000+00:00", True), ("2026-11-08T08:00:00.000+00:00", False)]
)
def test_what_was_reopened_after_it_was_skipped_is_taken_up_in_the_log(tmp_path, reopened_at, is_taken_up):
    more = f"""
INSERT INTO reopened_issue VALUES (9, 1, 2, NULL, 1, '2026-11-09T09:00:00.000+00:00', x'', '', 1, '{reopened_at}',
    'Too early.', 'desk')
"""
    fill(tmp_path, "0024", more)
    with closing(open_store(tmp_path)) as store:
        rows = store_rows(store, "SELECT person_id, is_taken_back FROM skipped_issue WHERE issue_id = 2 ORDER BY id")
        assert rows == [(1, 0), (1, 1)][: 1 + is_taken_up]


def store_rows(store, query):
    with store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]
