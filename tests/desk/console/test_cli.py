import io
import json
import os
import runpy
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from errno import EACCES
from pathlib import Path

import pytest
import typer

from presort.data.errors import UnreadableFileError
from presort.data.store import FILE_NAME, open_store
from presort.desk import cli
from presort.desk.cli import app
from tests.desk.command_line import invoke


@pytest.fixture
def presort(tmp_path, empty_workspace):
    """Run a command on one workspace."""
    shutil.copytree(empty_workspace, tmp_path / "workspace")

    def call(*words):
        return invoke(["--workspace", str(tmp_path / "workspace"), *map(str, words)])

    return call


@pytest.fixture
def table(tmp_path, listings):
    """The small service as a CSV file."""
    path = tmp_path / "service.csv"
    lines = ["paper_id\ttitle\tabstract\tauthors\tissue\treports"]
    for x in listings:
        cells = [
            x.paper.paper_id,
            x.paper.title,
            x.paper.abstract,
            "; ".join(x.paper.authors),
            str(x.issue),
            ";".join(x.selected_by),
        ]
        lines.append("\t".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    path = path.with_suffix(".tsv")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_import_prints_its_changes_and_a_second_import_has_none(presort, table, listings):
    first = presort("import", table)
    assert first.exit_code == 0
    assert f"{len(listings)} papers read; 8 new issues, {len(listings)} new papers" in first.stdout
    assert "no changes, all papers were already imported" in presort("import", table).stdout


def test_import_as_json(presort, table, listings):
    summary = json.loads(presort("import", "--json", table).stdout)
    assert summary["path"] == str(table)
    assert summary["listings"] == summary["new_papers"] == len(listings)


def test_a_bad_row_is_one_line_on_stderr_and_exit_1(presort, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("paper_id,title,issue\na,A title,2026-01-05\nb,,2026-01-05\n", encoding="utf-8")
    result = presort("import", path)
    assert result.exit_code == 1
    advice = "Nothing was imported. Fix the row, or import with --keep-going to skip it."
    assert result.stderr == f"presort: bad.csv, row 3, column title: no title. {advice}\n"
    assert json.loads(presort("reports", "--json").stdout) == []


@pytest.mark.whole
def test_a_week_of_commands(presort, table, listings):
    presort("import", table)
    ranked = presort("rank", "--ranker", "krichel-2007", "--report", "lab", "--report", "mac", "--jobs", 1)
    assert "2 rankings stored." in ranked.stdout
    assert (
        "All rankings are up to date."
        in presort("rank", "--ranker", "krichel-2007", "--report", "lab", "--report", "mac", "--jobs", 1).stdout
    )
    last = listings[-1].issue
    span = ["--from", last - timedelta(weeks=3), "--to", last - timedelta(days=1)]
    replayed = presort(
        "replay", *span, "--ranker", "krichel-2007", "--ranker", "arxiv-sanity", "--retrain-every", 2, "--jobs", 1
    )
    assert replayed.exit_code == 0, replayed.stderr
    rows = json.loads(presort("summary", "--json").stdout)
    assert [row["ranker"] for row in rows] == ["arxiv-sanity", "krichel-2007"]
    for row in rows:
        assert 0 < row["mean_relative_last_position"] < 1
        assert row["report_issues"] > 12
    printed = presort("summary").stdout
    assert "arxiv-sanity" in printed
    assert "trained every 2 issues" in printed
    by_report = json.loads(presort("summary", "--json", "--by", "report", "--by", "ranker", "--replay", 1).stdout)
    assert {row["report"] for row in by_report} >= {"lab", "mac"}
    large = json.loads(presort("summary", "--json", "--by", "report", "--min-papers", 20).stdout)
    assert 0 < len(large) < len({row["report"] for row in by_report})


def test_summary_of_a_span_counts_only_its_issues(presort, table, listings):
    presort("import", table)
    days = sorted({x.issue for x in listings})
    presort("replay", "--from", days[4], "--to", days[6], "--ranker", "krichel-2007", "--jobs", 1)
    whole, part = (
        json.loads(presort("summary", "--json", *options).stdout)[0]["report_issues"]
        for options in ([], ["--from", days[5], "--to", days[5]])
    )
    assert 0 < part < whole


def test_summary_of_an_empty_workspace_says_what_to_do(presort):
    assert "presort replay" in presort("summary").stdout


def test_reports_are_added_renamed_and_retired(presort):
    assert "No reports yet" in presort("reports").stdout
    assert presort("reports", "add", "lab", "Labour").exit_code == 0
    assert presort("reports", "rename", "lab", "Labour Economics").exit_code == 0
    assert presort("reports", "retire", "lab").exit_code == 0
    assert json.loads(presort("reports", "--json").stdout) == [
        {"code": "lab", "name": "Labour Economics", "is_retired": True, "n_relevant": 0}
    ]
    # The command would ask, and nobody could answer.
    assert presort("reports", "add", "lab", "Back again").exit_code == 1
    assert presort("reports", "add", "lab", "Back again", "--yes").exit_code == 0
    (back,) = json.loads(presort("reports", "--json").stdout)
    assert (back["name"], back["is_retired"]) == ("Back again", False)
    taken = presort("reports", "add", "lab", "Again")
    assert taken.exit_code == 1
    assert "Report code 'lab' is already taken" in taken.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["rank", "--ranker", "nope"], "krichel-2007", id="unknown-ranker"),
        pytest.param(["replay"], "--from", id="no-span"),
        pytest.param(["replay", "--from", "2026-02-30", "--to", "2026-03-01"], "2026-02-30", id="no-such-day"),
        pytest.param(["replay", "--from", "2026-03-02", "--to", "2026-03-01"], "is before", id="span-backwards"),
        pytest.param(
            ["replay", "--from", "2026-03-01", "--to", "2026-03-02", "--retrain-every", "0"], "retrain-every", id="zero"
        ),
        pytest.param(
            ["replay", "--from", "2026-03-01", "--to", "2026-03-02", "--retrain-every", "9" * 30],
            "retrain-every",
            id="too-large",
        ),
        pytest.param(["summary", "--by", "colour"], "colour", id="unknown-group"),
        pytest.param(["reports", "add", "a b", "Name"], "letters", id="bad-code"),
        pytest.param(["frobnicate"], "frobnicate", id="unknown-command"),
    ],
)
def test_a_wrong_call_exits_2_and_names_what_is_wrong(presort, words, message):
    result = presort(*words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["rank"], "Import papers first", id="no-issue"),
        pytest.param(["import", "nowhere.csv"], "nowhere.csv: can't be read: No such file", id="no-file"),
        pytest.param(["import", "thesis.docx"], "thesis.docx: can't be read: No such file", id="unknown-kind"),
        pytest.param(["reports", "retire", "lab"], "no report 'lab'", id="no-report"),
    ],
)
def test_an_error_outside_the_program_exits_1_with_one_line(presort, words, message):
    result = presort(*words)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_workspace_that_cannot_be_created_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = invoke(["--workspace", str(tmp_path / "file"), "import", str(tmp_path / "week.csv")])
    assert result.exit_code == 1
    assert "can't be created" in result.stderr


BEGINNING = {"import", "harvest", "demo", "app", "db restore"}  # a workspace that does not exist yet
WITHOUT = {"notify-failure", "webhooks test", "score", "compare", "doctor", "db move"}  # an existing workspace
OTHERS = """
rank | learn | vectors | vectors --forget | summary | replay --from 2026-01-05 --to 2026-01-12 | experiment | imports
imports duplicates | export lab 2026-01-05 | export-trec trec | send lab 2026-01-05 | send lab 2026-01-05 --dry-run
site public | db backup | db check | reports | reports add lab Labour
reports rename lab Labour | reports retire lab
reports back lab | reports colour lab #0072b2 | reports criteria lab | editors | editors add lab Ann
editors substitute lab Ann --for Bo --from 2026-01-05 --to 2026-01-12 | editors end lab Ann
editors forget lab Ann --from 2026-01-05
editors affiliation Ann X | editors address Ann a@b.org | weekly | weekly --dry-run
editors rename Ann Bo | people | people invite Ann --director | people take-away Ann --director | people remove Ann
people erase Ann | people export Ann ../ann.json | log | holidays | holidays add 2026-01-05 2026-01-06
holidays remove 2026-01-05 | rankers | rankers use krichel-2007 | rankers shadow krichel-2007
hints mute lab war | hints boost lab war | hints forget lab war | hints example lab --text war
readers list | readers add lab a@b.org | readers import-file lab ../a.csv | readers remove lab a@b.org
readers erase a@b.org | readers export a@b.org ../a.json | harvest https://example.org/oai --dry-run
"""


def commands(group, before=()):
    """Yield the name of each command of a group, including its subgroups."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name))


def test_only_commands_that_create_a_workspace_create_a_folder(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("address\na@b.org\n", encoding="utf-8")
    (tmp_path / "place").mkdir()
    monkeypatch.chdir(tmp_path / "place")
    calls = [call.split() for line in OTHERS.split("\n") for call in line.split(" | ") if call]
    known = {" ".join(call[:n]) for call in calls for n in (1, 2)}
    assert set(commands(typer.main.get_command(app))) <= known | BEGINNING | WITHOUT
    for call in calls:
        result = invoke(["--workspace", "mistyped", *call])
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1), (call, result.output)
        there_is_none = "There is no workspace in mistyped. Check the folder name, or create a workspace with"
        assert there_is_none in result.stderr, call
        assert list(Path().iterdir()) == [], call


REFUSED_TOO = """
import ../a.csv --issue 2026-01-05 | harvest https://example.org/oai | demo | db move | doctor | app
db restore ../old.db
"""


def test_every_command_refuses_a_workspace_of_a_development_version(tmp_path, monkeypatch):
    """One line explains how to export it, and its files don't change."""
    (tmp_path / "a.csv").write_text("address\na@b.org\n", encoding="utf-8")
    (workspace := tmp_path / "place").mkdir()
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("PRESORT_WORKSPACE", str(workspace))
    open_store(workspace).close()
    with closing(sqlite3.connect(FILE_NAME)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0028'")
    shutil.copy(FILE_NAME, tmp_path / "old.db")
    before = _files(workspace)
    monkeypatch.setattr("os.execve", lambda *_: pytest.fail("the desk was started"))
    for call in (call.split() for line in (OTHERS + REFUSED_TOO).split("\n") for call in line.split(" | ") if call):
        if call[:2] == ["db", "move"]:
            monkeypatch.setenv("PRESORT_DATABASE_URL", "postgresql:///nowhere")
        result = invoke(call)
        monkeypatch.delenv("PRESORT_DATABASE_URL", raising=False)
        assert result.exit_code == 1, (call, result.output)
        assert "was written by a development version before 0.1.0" in result.output, call
        assert _files(workspace) == before, call


def _files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_command_that_fails_to_load_is_not_reported_as_a_typo(presort, monkeypatch):
    monkeypatch.setitem(cli.COMMANDS, "log", f"{__name__}:not_there")
    assert isinstance(presort("log").exception, AttributeError)
    monkeypatch.setattr(cli, "resolve_name", lambda place: {}[place])
    assert isinstance(presort("summary").exception, KeyError)
    assert "No such command 'logg'. Did you mean 'log'?" in presort("logg").stderr


def test_the_program_path_does_not_matter(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["python -m presort.desk", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("presort.desk", run_name="__main__")
    assert ended.value.code == 0
    assert "Usage: presort " in capsys.readouterr().out


@pytest.mark.whole
def test_commands_without_rankers_do_not_load_them():
    """Loading rankers takes a second, also for a user who only previews an import."""
    commands = (cli.COMMANDS[name] for name in ("app", "import", "imports", "log", "readers", "reports"))
    modules = ["presort.desk.cli", *(place.partition(":")[0] for place in commands)]
    modules += ["presort.desk.jobs.worker", "presort.desk.importing.import_job"]
    code = """
import sys
from importlib import import_module
for module in sys.argv[1:]:
    import_module(module)
    print(module, *{"presort.ranker", "sklearn", "streamlit", "altair"} & sys.modules.keys())
"""
    command = [sys.executable, "-c", code, *modules]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert output.splitlines() == modules


def test_a_bug_is_not_swallowed(presort, monkeypatch):
    monkeypatch.setattr("presort.data.catalogue.reports", lambda *_args, **_options: 1 / 0)
    assert isinstance(presort("reports").exception, ZeroDivisionError)


@pytest.mark.parametrize(
    "words",
    [["db", "backup", "/root/copy.db"], ["import", "/root/week.csv"], ["summary", "--html", "/root/s.html"]],
    ids=lambda words: words[0],
)
def test_a_folder_that_this_user_may_not_open_is_one_line(presort, monkeypatch, words):
    """Refuse /root as the system does, because the user who runs the tests may be allowed to open it."""

    def refusing(called):
        def call(path, *arguments, **options):
            if str(path).startswith("/root/"):
                raise PermissionError(EACCES, "Permission denied", str(path))
            return called(path, *arguments, **options)

        return call

    presort("reports", "add", "lab", "Labour")
    for name in ("stat", "open", "mkdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    result = presort(*words)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "/root/" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["import", "{}"],
        ["readers", "import-file", "lab", "{}"],
        ["score", "{}", "{}"],
        ["hints", "example", "lab", "--file={}"],
        ["reports", "criteria", "lab", "--file={}"],
    ],
    ids=lambda words: words[0],
)
def test_each_file_argument_without_permission_has_the_same_advice(presort, monkeypatch, tmp_path, words):
    presort("reports", "add", "lab", "Labour")
    path = tmp_path / "closed.csv"
    path.write_text("title,email\nWages,a@example.org\n")
    called = io.open

    def refusing(file, *arguments, **options):
        if str(file) == str(path):
            raise PermissionError(EACCES, "Permission denied", str(file))
        return called(file, *arguments, **options)

    for place in ("io.open", "builtins.open"):
        monkeypatch.setattr(place, refusing)
    result = presort(*(word.format(path) for word in words))
    assert result.exit_code == 1
    assert result.stderr.rstrip().endswith(cli.OTHER_FOLDER_ADVICE)


@pytest.mark.parametrize(
    ("words", "path", "is_argument"),
    [
        (["import", "week.csv"], "week.csv", True),
        (["import", "week=1.csv"], "week=1.csv", True),
        (["import", "papers"], "papers/week.csv", True),
        (["hints", "example", "lab", "--file=week.csv"], "week.csv", True),
        (["-w", "/srv/ws", "import", "week.csv"], "/srv/ws/import.lock", False),
        (["import", "week.csv", "--workspace=/srv/ws"], "/srv/ws/import.lock", False),
        (["site"], "/srv/site/index.html", False),
    ],
)
def test_only_a_file_argument_without_permission_has_advice(words, path, is_argument):
    error = UnreadableFileError(Path(path), "can't be opened")
    error.__cause__ = PermissionError(EACCES, "Permission denied", path)
    assert cli._message_with_advice(error, words).endswith(cli.OTHER_FOLDER_ADVICE) == is_argument


def test_a_permission_error_without_a_file_is_not_swallowed(presort, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError(EACCES, "Permission denied")

    monkeypatch.setattr("presort.data.catalogue.reports", refuse)
    assert isinstance(presort("reports").exception, PermissionError)


def test_text_from_outside_is_not_markup(presort, tmp_path):
    presort("reports", "add", "x", "[/b] [bold]Ökonomie[/bold]")
    assert "[/b] [bold]Ökonomie[/bold]" in presort("reports").stdout
    path = tmp_path / "a[red]b.csv"
    path.write_text("paper_id,title,issue\na,A title,2026-01-05\n", encoding="utf-8")
    assert presort("import", path).stdout.startswith("a[red]b.csv: 1 paper read; 1 new issue, 1 new paper")


def test_an_error_contains_no_terminal_sequences(presort, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("\x1b[31mred,\x1b[31mred\n", encoding="utf-8")
    assert "\x1b" not in presort("import", path).stderr


def test_json_of_rank_and_import_has_the_work_done_before_an_error(presort, table):
    result = presort("import", "--json", table, "missing.csv")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["new_issues"] == 8
    ranked = json.loads(presort("rank", "--report", "lab", "--json", "--jobs", 1).stdout)
    assert ranked == {"rankings": 1, "notes": {}}


def test_summary_names_an_unknown_replay_and_an_empty_choice(presort, table, listings):
    presort("import", table)
    day = listings[-1].issue - timedelta(weeks=1)
    presort("replay", "--from", day, "--to", day, "--ranker", "krichel-2007", "--jobs", 1)
    assert "Replay 9 does not exist. Existing replays: 1" in presort("summary", "--replay", 9).stderr
    assert "matches these options" in presort("summary", "--from", "2030-01-01").stdout
    assert presort("summary", "--by", "ranker", "--by", "ranker", "--ranker", "krichel-2007").exit_code == 0


def test_version(presort):
    assert invoke(["--version"]).stdout.startswith("presort ")


@pytest.mark.parametrize("name", ["--workspace", "-w"])
def test_the_workspace_may_be_named_after_the_command(tmp_path, empty_workspace, name):
    shutil.copytree(empty_workspace, tmp_path / "here")
    for words in (
        ["reports", name, "here"],
        ["reports", "add", "lab", "Labour", name, "here"],
        [name, "here", "imports"],
    ):
        named = [str(tmp_path / word) if word == "here" else word for word in words]
        result = invoke(named)
        assert result.exit_code == 0, result.stderr
    assert "Labour" in invoke(["--workspace", str(tmp_path / "here"), "reports"]).stdout
