import json
import random
import time
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.importers.choices import Choices
from presort.data.importers.text_file import CONTROL_CHARACTERS, NOT_UTF8, STRAY_BYTES
from presort.data.learning import tokens
from presort.data.learning.history import read_history
from presort.data.running import service
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.desk.importing.importer import import_path
from presort.desk.importing.printing import MOST_LINES
from presort.desk.service import workflow
from presort.ranker.tokens import TOKENISATION
from presort.ranker.versions import RECIPES
from tests.data.importers.test_read_listings import AMF, ATOM, CHOICES, ISSUE, SERIES, template, write
from tests.data.importers.test_redif import SHARED, damaged, needs_shared, sources
from tests.data.running.test_trials import files
from tests.data.workspaces import kill_after
from tests.desk.command_line import invoke

DAY = str(ISSUE)
ADVICE = "Nothing was imported. Fix the {}, or import with --keep-going to skip it."


@pytest.fixture
def presort(tmp_path):
    """Run a command on one workspace."""

    def call(*words):
        return invoke(["--workspace", str(tmp_path / "workspace"), *map(str, words)])

    return call


def issues(presort) -> list[str]:
    """Return the content of the workspace."""
    store = open_store(Path(presort.__closure__[0].cell_contents) / "workspace")
    held = [f"{issue.date}: {issue.n_papers}" for issue in catalogue.issues(store)]
    store.close()
    return held


def parquet(path: Path) -> Path:
    pd.DataFrame({"paper_id": ["p1"], "title": ["Wages"]}).to_parquet(path)
    return path


def workbook(path: Path) -> Path:
    pd.DataFrame({"paper_id": ["p1"], "title": ["Wages"]}).to_excel(path, index=False)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("a.csv", "paper_id,title\np1,Wages\n", id="csv"),
        pytest.param("a.csv", "DOI;Article Title\n10.1/x;Wages\n", id="csv-with-columns-to-guess"),
        pytest.param("a.tsv", "paper_id\ttitle\np1\tWages\n", id="tsv"),
        pytest.param("a.rdf", SERIES + template(1), id="redif"),
        pytest.param("a.ris", "TY  - JOUR\nID  - p1\nTI  - Wages\nER  - \n", id="ris"),
        pytest.param("a.bib", "@misc{p1, title = {Wages}}", id="bibtex"),
        pytest.param("a.xml", AMF, id="amf"),
        pytest.param("a.atom", ATOM, id="atom"),
        pytest.param("a.parquet", parquet, id="parquet"),
        pytest.param("a.xlsx", workbook, id="xlsx"),
    ],
)
def test_every_format_is_imported(presort, tmp_path, name, content):
    path = content(tmp_path / name) if callable(content) else write(tmp_path / name, content)
    result = presort("import", "--issue", DAY, "--selected-by", "lab", "--selected-by", "mac", path)
    assert result.exit_code == 0, result.stderr
    assert f"{name}: 1 paper read; 1 new issue, 1 new paper, 1 new listing, 2 new reports" in result.stdout
    assert issues(presort) == [f"{DAY}: 1"]


HALF_GOOD = template(1) + template(2).replace("Title", "Name") + template(3)


def test_a_file_with_an_invalid_record_imports_nothing(presort, tmp_path):
    path = write(tmp_path / "week.rdf", HALF_GOOD)
    result = presort("import", "--issue", DAY, path)
    assert result.exit_code == 1
    assert result.stderr == f"presort: week.rdf, line 4: the template has no Title. {ADVICE.format('line')}\n"
    assert issues(presort) == []


def test_keep_going_lists_skipped_records(presort, tmp_path):
    path = write(tmp_path / "week.rdf", HALF_GOOD)
    result = presort("import", "--issue", DAY, "--keep-going", path)
    assert result.exit_code == 0, result.stderr
    assert "week.rdf: 2 papers read;" in result.stdout
    assert "Skipped (1):\n  line 4: the template has no Title\n" in result.stdout
    assert "New:\n  line 1: Wages (RePEc:abc:wpaper:1)\n  line 7: Wages (RePEc:abc:wpaper:3)\n" in result.stdout
    assert issues(presort) == [f"{DAY}: 2"]


def test_keep_going_with_nothing_left_is_refused(presort, tmp_path):
    path = write(tmp_path / "week.rdf", HALF_GOOD.replace("Title", "Name"))
    result = presort("import", "--issue", DAY, "--keep-going", path)
    assert (result.exit_code, result.stderr) == (1, "presort: week.rdf, line 1: the template has no Title\n")
    assert issues(presort) == []


def test_the_number_of_skipped_records_is_limited(empty_store, tmp_path, monkeypatch):
    monkeypatch.setattr("presort.data.importers.problems.MOST_SKIPPED", 2)
    wrong = template(2).replace("Title", "Name")
    path = write(tmp_path / "week.rdf", template(1) + wrong * 2)
    assert len(import_path(empty_store, path, CHOICES, person="ann", keeps_going=True, is_trial=True)[1].skipped) == 2
    path = write(tmp_path / "week.rdf", template(1) + wrong * 3)
    with pytest.raises(RefusedError, match=r"^week\.rdf: more than 2 invalid records"):
        import_path(empty_store, path, CHOICES, person="ann", keeps_going=True)
    assert catalogue.issues(empty_store) == []


def test_a_dry_run_prints_the_same_and_changes_nothing(presort, tmp_path):
    path = write(tmp_path / "week.rdf", HALF_GOOD)
    words = ["import", "--issue", DAY, "--keep-going", "--selected-by", "lab"]
    before_any = presort(*words, "--dry-run", path)
    assert (before_any.exit_code, (tmp_path / "workspace").exists()) == (0, False)
    assert "No workspace at" in before_any.stderr
    assert issues(presort) == []
    before = files(tmp_path / "workspace")
    trial = presort(*words, "--dry-run", path)
    assert trial.exit_code == 0, trial.stderr
    assert trial.stdout == before_any.stdout
    assert trial.stdout.endswith("This was a dry run: nothing was changed.\n")
    assert files(tmp_path / "workspace") == before
    assert json.loads(presort("reports", "--json").stdout) == json.loads(presort("imports", "--json").stdout) == []
    earnest = presort(*words, path)
    assert trial.stdout == earnest.stdout + "This was a dry run: nothing was changed.\n"


def test_a_dry_run_changes_no_file_left_by_a_crash(presort, tmp_path):
    path = write(tmp_path / "week.rdf", template(1))
    presort("import", "--issue", DAY, path)
    crash = (
        "from presort.data import catalogue\ncatalogue.set_setting(store, 'a', 'b')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    kill_after(tmp_path / "workspace", "never", 1, crash)
    before = files(tmp_path / "workspace")
    assert {"presort.db-wal", "presort.db-shm"} <= set(before)
    for words in (["import", "--issue", DAY, path], ["send", "lab", DAY]):
        assert presort(*words, "--dry-run").exit_code == (words[0] == "send")  # the report does not exist
        assert files(tmp_path / "workspace") == before


@pytest.mark.parametrize("words", [[], ["--keep-going"], ["--json"]])
def test_a_table_with_a_broken_row_fails_like_any_import(presort, tmp_path, words):
    rows = 'First,"Author, Ann",10.1000/a\nSecond "paper","Writer, "Bo"",10.1000/b\nThird,"Scholar, Cy",10.1000/c\n'
    path = write(tmp_path / "week.csv", f"title,authors,doi\n{rows}")
    result = presort("import", "--issue", DAY, *words, path)
    assert result.exit_code == 0, result.stderr
    assert issues(presort) == [f"{DAY}: 3"]
    assert ("Repaired (1):\n  row 3: " in result.stdout) or json.loads(result.stdout)["repairs"][0]["row"] == 3


def test_long_lists_are_shortened_except_in_json(presort, tmp_path):
    n_papers = MOST_LINES + 12
    path = write(tmp_path / "week.rdf", "".join(map(template, range(n_papers))) + template(99).replace("Title", "Name"))
    assert issues(presort) == []  # creates the workspace
    words = ["import", "--issue", DAY, "--keep-going", "--dry-run", "--no-matching", path]
    output = presort(*words).stdout.splitlines()
    assert sum(line.startswith("  line ") for line in output) == MOST_LINES + 1
    assert "  and 12 more" in output
    answer = json.loads(presort(*words, "--json").stdout)
    assert answer["is_dry_run"]
    assert answer["listings"] == answer["new_papers"] == len(answer["papers"]["new"]) == n_papers
    assert answer["papers"]["new"][1]["origin"] == {"file": "week.rdf", "row": 4}
    assert answer["left_out"] == [
        {"file": "week.rdf", "row": 3 * n_papers + 1, "column": None, "reason": "the template has no Title"}
    ]


def test_a_duplicate_is_named_with_its_original(presort, tmp_path):
    first = (
        "paper_id,title,authors,issue,doi\np1,Minimum wages and the reallocation of workers,Ann Lee,2026-11-09,10.1/x\n"
    )
    presort("import", write(tmp_path / "old.csv", first))
    new = "paper_id,title,authors,issue,doi\nq7,Minimum wages and reallocation of workers,Ann Lee,2026-11-16,10.1/x\n"
    path = write(tmp_path / "new.csv", new)
    output = presort("import", "--dry-run", path).stdout
    assert "Duplicates of known papers, not listed again: 1 paper." in output
    assert "row 2: Minimum wages and reallocation of workers (q7); duplicate of p1, matched by" in output
    assert "1 new listing" in presort("import", "--dry-run", "--no-matching", path).stdout


def test_a_failed_preparation_after_an_import_is_repaired_by_the_next_ranking(store, newest, tmp_path, monkeypatch):
    """The issue is imported and logged. A warning says that tokens are missing, and the import does not fail."""

    def fail(*_):
        raise WorkspaceError("The disk is full.")

    path = write(tmp_path / "week.csv", f"paper_id,title,issue\np1,Wages,{newest + timedelta(weeks=1)}\n")
    monkeypatch.setattr(tokens, "keep_tokens", fail)
    report, _ = import_path(store, path, person="ann")
    assert (report.summary.new_papers, report.unfinished) == (1, "The disk is full.")
    assert [entry.file for entry in service.imports(store)] == ["week.csv"]
    assert read_history(store, date.max, tokens=TOKENISATION).tokens is None
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    assert read_history(store, date.max, tokens=TOKENISATION).tokens is not None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["--issue", "16.11.2026"], "does not match the format", id="date"),
        pytest.param(["--selected-by", "a b"], "'a b' is not a valid report code", id="code"),
        pytest.param(
            ["--column", "titel=What"], "'titel=What' is not FIELD=COLUMN, where FIELD is one of paper_id", id="field"
        ),
        pytest.param(["--column", "title"], "'title' is not FIELD=COLUMN", id="no-column"),
    ],
)
def test_a_wrong_call(presort, tmp_path, words, message):
    result = presort("import", *words, write(tmp_path / "a.csv", "x"))
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_a_chosen_column(presort, tmp_path):
    path = write(tmp_path / "a.csv", "no,title,other\np1,Wages,Jobs\n")
    result = presort("import", "--issue", DAY, "--column", "paper_id=no", "--column", "title=other", path)
    assert "row 2: Jobs (p1)" in result.stdout, result.stderr
    assert "Columns: paper_id from no, title from other.\n" in result.stdout


def test_a_missing_column(presort, tmp_path):
    result = presort("import", "--issue", DAY, write(tmp_path / "a.csv", "id,Titel\np1,Wages\n"))
    reason = "no column for title. The columns are id, Titel. Assign a column with --column title=COLUMN."
    assert (result.exit_code, result.stderr) == (1, f"presort: a.csv: {reason}\n")


def test_a_file_without_papers(presort, tmp_path):
    result = presort("import", "--issue", DAY, write(tmp_path / "series.rdf", SERIES))
    assert (result.exit_code, result.stdout) == (0, "series.rdf: 0 papers read; no changes.\n"), result.stderr


def test_a_folder_may_have_the_ending_of_a_table(presort, tmp_path):
    write(tmp_path / "week.csv" / "a.rdf", template(1))
    result = presort("import", "--issue", DAY, tmp_path / "week.csv")
    assert (result.exit_code, issues(presort)) == (0, [f"{DAY}: 1"]), result.stderr


def test_a_file_without_issue(presort, tmp_path):
    result = presort("import", write(tmp_path / "a.rdf", template(1)))
    assert result.exit_code == 1
    assert result.stderr == "presort: a.rdf: no issue. Set the date of the issue with --issue 2026-11-16.\n"


def test_the_demo_refuses_imports(empty_store, tmp_path):
    catalogue.set_setting(empty_store, DEMO, "1")
    with pytest.raises(RefusedError, match="contains the demo"):
        import_path(empty_store, write(tmp_path / "a.rdf", template(1)), CHOICES, person="ann")


def test_advice_on_files_that_can_not_be_imported(presort, tmp_path):
    write(tmp_path / "week" / "a.rdf", template(1))
    write(tmp_path / "week" / "b.txt", "")
    result = presort("import", "--issue", DAY, tmp_path / "week")
    assert result.stderr.startswith("presort: b.txt: has an unknown format")
    assert result.stderr.endswith(f".zip. {ADVICE.format('file')}\n")
    result = presort("import", "--issue", DAY, tmp_path / "week" / "b.txt")
    assert result.stderr.endswith(".zip\n")  # the file has no other information to derive an id from


@needs_shared
def test_the_files_of_archives_as_one_import(empty_store):
    report, findings = import_path(empty_store, SHARED, CHOICES, person="ann")
    assert report.summary.new_listings == report.summary.listings == 288
    assert findings.skipped == []
    assert {repair.reason for repair in findings.repairs} <= {NOT_UTF8, STRAY_BYTES, CONTROL_CHARACTERS}
    assert len(report.twice) == 18  # two of the files contain the same papers
    assert all(change.origin.file == "09_utf8_193papers.rdf" for change in report.twice)
    (logged,) = service.imports(empty_store)
    assert logged.file == "redif"
    again, _ = import_path(empty_store, SHARED, CHOICES, person="ann")
    assert (again.summary.new_papers, again.summary.updated_papers, again.summary.new_listings) == (0, 0, 0)


def test_a_larger_archive_lists_its_new_papers(presort, tmp_path):
    presort("import", "--issue", "2026-11-09", write(tmp_path / "all.rdf", template(1)))
    path = write(tmp_path / "all.rdf", template(1) + template(2, "Trade and trust in towns"))
    output = presort("import", "--issue", DAY, path).stdout
    assert "all.rdf: 2 papers read; 1 new issue, 1 new paper, 1 new listing." in output
    assert "In an earlier issue, not listed again:\n  line 1: Wages (RePEc:abc:wpaper:1)\n" in output
    assert issues(presort) == ["2026-11-09: 1", f"{DAY}: 1"]
    (seen,) = json.loads(presort("import", "--issue", DAY, "--json", path).stdout)["papers"]["seen"]
    assert seen["paper_id"] == "RePEc:abc:wpaper:1"


def test_a_paper_that_is_described_twice_is_named(presort, tmp_path):
    path = write(tmp_path / "week.rdf", template(1) + template(2) + template(1, "Jobs"))
    result = presort("import", "--issue", DAY, path)
    assert result.exit_code == 0, result.stderr
    assert "week.rdf: 2 papers read; 1 new issue, 2 new papers, 2 new listings." in result.stdout
    assert "Twice in the file, last record imported:\n  line 7: Jobs (RePEc:abc:wpaper:1)\n" in result.stdout


def test_damaged_files_are_imported_whole_or_not_at_all(empty_store, tmp_path):
    dice = random.Random(7)
    n_refused = 0
    contents = [whole[:3_000] for whole in sources()]
    for number in range(60):
        path = tmp_path / "week.rdf"
        path.write_bytes(damaged(contents[number % len(contents)], dice))
        before = {issue.date: issue.n_papers for issue in catalogue.issues(empty_store)}
        began = time.process_time()
        keeps_going = bool(number % 2)
        choices = Choices(issue=ISSUE.replace(day=1 + number % 28, month=1 + number // 28))
        refusal = ""
        try:
            report, findings = import_path(empty_store, path, choices, person="ann", keeps_going=keeps_going)
        except DataError as error:
            refusal = str(error)
        held = {issue.date: issue.n_papers for issue in catalogue.issues(empty_store)}
        if refusal:
            n_refused += 1
            assert refusal.startswith("week.rdf")
            assert held == before
        else:
            assert keeps_going or not findings.skipped
            assert held.get(choices.issue, 0) == report.summary.new_listings
        assert time.process_time() - began < 1
    assert 5 < n_refused < 50, "the damage is too light or too heavy to tell anything"
