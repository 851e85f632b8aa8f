"""Export of report issues with the command."""

import contextlib
import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pyarrow.parquet
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, drafts
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, Draft, ListedPaper
from presort.data.store import open_store
from presort.desk.export.formats import FORMATS
from presort.desk.service import workflow
from tests.desk.command_line import invoke

RANKER = "krichel-2007"
NOT_READ = {"markdown"}  # formats that can't be imported


@pytest.fixture
def presort(store):
    """Run a command on the workspace of eight issues."""

    def call(*words):
        return invoke(["--workspace", str(store.folder), *map(str, words)])

    return call


@pytest.fixture
def sent(ranked, newest):
    """The newest issue as published: papers in the editor's order."""
    shown = rankings.newest_rankings(ranked, "lab", newest)[RANKER]
    papers = catalogue.papers(ranked, newest)
    third, first, second = (shown.ranking.positions[place] for place in (4, 0, 2))
    chosen = [papers[position - 1].paper_id for position in (third, first, second)]
    decisions.decide(ranked, [Decision("lab", newest, one, "yes", "Ann") for one in chosen])
    decisions.decide(ranked, [Decision("lab", newest, papers[shown.ranking.positions[7] - 1].paper_id, "maybe", "Ann")])
    drafts.save_draft(ranked, Draft("lab", newest, (int(third), int(first)), "Good *week*.", "secret"), person="Ann")
    workflow.publish_report_issue(ranked, "lab", newest, shown, person="Ann")
    return chosen


def rows_of(text):
    return list(csv.DictReader(StringIO(text.removeprefix("\N{BOM}"), newline="")))


def test_a_published_issue_is_exported_in_its_editors_order(presort, sent, newest):
    result = presort("export", "lab", newest)
    assert result.exit_code == 0, result.stderr
    rows = rows_of(result.stdout)
    assert [row["paper_id"] for row in rows] == sent
    assert [row["place"] for row in rows] == ["5", "1", "3"]
    assert {row["relevant"] for row in rows} == {row["published"] for row in rows} == {"yes"}


def test_the_whole_issue_as_its_editor_saw_it(presort, sent, ranked, newest):
    rows = rows_of(presort("export", "lab", newest, "--all").stdout)
    assert [row["place"] for row in rows] == [str(place) for place in range(1, len(rows) + 1)]
    assert len(rows) == len(catalogue.papers(ranked, newest))
    assert [row["paper_id"] for row in rows if row["published"] == "yes"] == [sent[1], sent[2], sent[0]]
    assert [row["place"] for row in rows if row["relevant"] == "maybe"] == ["8"]


def test_an_issue_under_review_can_only_be_exported_whole(presort, ranked, newest):
    result = presort("export", "mac", newest)
    assert result.exit_code == 1
    assert result.stderr == f"presort: mac {newest} is not published. Use --all to export the whole issue.\n"
    rows = rows_of(presort("export", "mac", newest, "--all").stdout)
    order = rankings.newest_rankings(ranked, "mac", newest)[RANKER].ranking.positions.tolist()
    papers = catalogue.papers(ranked, newest)
    assert [row["paper_id"] for row in rows] == [papers[position - 1].paper_id for position in order]
    rows = rows_of(presort("export", "edu", newest, "--all").stdout)  # not ranked
    assert [row["paper_id"] for row in rows] == [paper.paper_id for paper in papers]
    assert {row["score"] for row in rows} == {""}


def test_all_relevant_papers_of_an_imported_selection_are_exported(presort, store, listings):
    first = listings[0].issue
    selected = [x.paper.paper_id for x in listings if x.issue == first and "lab" in x.selected_by]
    assert selected
    assert [row["paper_id"] for row in rows_of(presort("export", "lab", first).stdout)] == selected


def test_every_format_holds_the_papers_in_order(presort, sent, newest, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    for name, kind in FORMATS.items():
        path = folder / f"{name}.{kind.ending}"
        result = presort("export", "lab", newest, "--format", name, "-o", path)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == f"3 papers written to {path}.\n"
        if name == "parquet":
            assert pyarrow.parquet.read_table(path)["paper_id"].to_pylist() == sent
        elif name != "markdown":
            content = path.read_text(encoding="utf-8-sig")
            assert sorted(sent, key=content.index) == sent, name
    assert len(list(folder.iterdir())) == len(FORMATS)


@pytest.mark.whole
def test_another_service_can_import_the_export_as_a_selection(presort, sent, store, newest, tmp_path):
    fields = {"doi": "10.1257/aer.84_4", "url": "https://a.example/a_b?c=1&d;e", "type": "preprint"}
    listed = [ListedPaper(replace(paper, **fields), newest) for paper in catalogue.papers(store, newest)]
    commit_import(store, listed, person="import")
    known = {paper.paper_id: paper for paper in catalogue.papers(store, newest)}
    assert {(paper.doi, paper.url, paper.type) for paper in known.values()} == {tuple(fields.values())}
    for name in FORMATS.keys() - NOT_READ:
        path = tmp_path / f"lab.{FORMATS[name].ending}"
        presort("export", "lab", newest, "--format", name, *["--exact"] * (name == "csv"), "-o", path)
        words = ["--workspace", tmp_path / name, "import", path, "--issue", newest, "--selected-by", "work"]
        result = invoke(list(map(str, words)))
        assert result.exit_code == 0, result.stderr
        with contextlib.closing(open_store(tmp_path / name)) as other:
            assert catalogue.papers(other, newest) == [known[paper_id] for paper_id in sent], name
            assert decisions.labels(other, "work", newest) == dict.fromkeys(sent, "yes")


def test_standard_output_is_the_file(presort, sent, newest, tmp_path):
    for name in FORMATS:
        path = tmp_path / name
        presort("export", "lab", newest, "--format", name, "-o", path)
        assert presort("export", "lab", newest, "--format", name).stdout_bytes == path.read_bytes()
    assert pyarrow.parquet.read_table(tmp_path / "parquet").num_rows == 3


def test_markdown_has_the_name_of_the_report_and_the_note_to_its_readers(presort, sent, store, newest):
    catalogue.rename_report(store, "lab", "Labour <b>")
    lines = presort("export", "lab", newest, "--format", "markdown").stdout.splitlines()
    assert lines[:4] == [f"# Labour \\<b\\>, {newest}", "", r"Good \*week\*.", ""]
    assert sum(line.startswith(("1. ", "2. ", "3. ")) for line in lines) == 3


def test_csv_is_safe_unless_exact_is_requested(presort, sent, store, newest):
    title = "=1+1"
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE paper SET title = ? WHERE paper_id = ?", (title, sent[0]))
    assert rows_of(presort("export", "lab", newest).stdout)[0]["title"] == "'=1+1"
    assert rows_of(presort("export", "lab", newest, "--exact").stdout)[0]["title"] == "=1+1"


def test_an_existing_file_is_replaced_and_kept_after_a_failure(presort, sent, newest, tmp_path, monkeypatch):
    path = tmp_path / "lab.csv"
    path.write_text("old")
    assert presort("export", "lab", newest, "-o", path).exit_code == 0
    whole = path.read_bytes()
    assert whole != b"old"

    def fail(self, content):
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    result = presort("export", "lab", newest, "--all", "-o", path)
    assert (result.exit_code, result.stderr) == (1, f"presort: Can't write {path}: No space left on device.\n")
    assert path.read_bytes() == whole
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".presort")] == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        pytest.param(["export", "lab", "2026-11-99"], 2, "does not match", id="no-date"),
        pytest.param(["export", "lab", "2026-11-16", "-f", "pdf"], 2, "'pdf' is not one of csv, markdown", id="format"),
        pytest.param(["export", "lab", "2026-11-16", "-f", "ris", "--exact"], 2, "RIS is always exact", id="exact"),
        pytest.param(["export", "nil", "2026-11-16"], 1, "There is no report 'nil'", id="no-report"),
        pytest.param(["export", "lab", "1999-01-04"], 1, "There is no issue of 1999-01-04", id="no-issue"),
        pytest.param(["export", "lab", "1999-01-04", "--all"], 1, "There is no issue of 1999-01-04", id="none-of-all"),
        pytest.param(["export-trec", "new", "--replay", "7"], 1, "There is no replay 7", id="no-replay"),
        pytest.param(["export-trec", "new", "--report", "nil"], 1, "There is no report 'nil'", id="run-without-report"),
        pytest.param(["export-trec", "new"], 1, "No scored rankings match", id="nothing-scored"),
        pytest.param(["export-trec", "new", "--ranker", "x"], 2, "x", id="no-ranker"),
    ],
)  # fmt: skip
def test_a_wrong_call_names_the_error(presort, tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    result = presort(*words)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""
    assert not Path("new").exists()
