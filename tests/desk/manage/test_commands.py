"""Commands for editors, holidays, rankers, imports and reports."""

import json
import shutil
from datetime import date

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria
from presort.data.editing.hints import add_hint, hints
from presort.data.editing.pending import pending
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.mail.editors import editor_addresses
from presort.data.mail.readers import add_readers, remove_reader
from presort.data.records import Editorship, Report
from presort.data.running import people, service
from presort.data.store import open_store
from presort.ranker.versions import DEFAULT, RECIPES
from tests.data.workspaces import FIRST, contents, make_issue, say, send_out, take_in
from tests.desk.command_line import invoke

CSV = "paper_id,title,issue\na,A title,2026-01-05\nb,Another title,2026-01-05\n"


@pytest.fixture
def presort(tmp_path, empty_workspace):
    """Run a command on one workspace."""
    shutil.copytree(empty_workspace, tmp_path / "workspace")

    def call(*words, **options):
        return invoke(["--workspace", str(tmp_path / "workspace"), *map(str, words)], **options)

    return call


@pytest.fixture
def opened(tmp_path):
    """Store that the commands change."""
    store = open_store(tmp_path / "workspace")
    yield store
    store.close()


@pytest.fixture
def lab(presort):
    presort("reports", "add", "lab", "Labour")


def output(result):
    assert result.exit_code == 0, result.stderr
    return result.stdout.replace("\n", " ").strip()


def refused(result):
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    return result.stderr


def test_a_report_is_added_renamed_retired_and_brought_back(presort, opened):
    presort("reports", "add", "lab", "Labour")
    assert "'Work', previously 'Labour'" in output(presort("reports", "rename", "lab", "Work"))
    output(presort("reports", "retire", "lab"))
    assert catalogue.reports(opened, retired=True) == [Report("lab", "Work", is_retired=True)]
    output(presort("reports", "back", "lab"))
    before = catalogue.revision(opened)
    output(presort("reports", "back", "lab"))
    assert catalogue.revision(opened) == before
    assert json.loads(presort("reports", "--json").stdout)[0]["name"] == "Work"


def test_a_report_is_added_with_its_criteria_editor_and_first_issue(presort, opened, tmp_path):
    (tmp_path / "week.csv").write_text(CSV, encoding="utf-8")
    presort("import", tmp_path / "week.csv")
    about = ("--about", "Wages and jobs.", "--editor", "Ann", "--mail", "ann@example.org")
    output(presort("reports", "add", "lab", "Labour", *about, "--first-issue", "2026-01-06"))
    assert criteria(opened, "lab").text == "Wages and jobs."
    assert hints(opened)["lab"].seeds == ("Wages and jobs.",)
    assert editor_addresses(opened) == {"Ann": "ann@example.org"}
    assert pending(opened, ["lab"], today=date(2026, 2, 1)) == []
    assert "Enter the editor's name" in refused(presort("reports", "add", "mac", "--mail", "bo@example.org"))


def test_a_report_has_its_own_or_a_default_colour(presort, lab):
    assert output(presort("reports", "colour", "lab")) == "#0072b2"
    assert output(presort("reports", "colour", "lab", "#AA3377")) == "lab: new colour #AA3377, previously #0072b2."
    assert output(presort("reports", "colour", "lab")) == "#aa3377"
    presort("reports", "colour", "lab", "")
    assert output(presort("reports", "colour", "lab")) == "#0072b2"
    assert "too little contrast on a white page. Choose a darker" in refused(
        presort("reports", "colour", "lab", "#ffff00")
    )
    assert "too little contrast on a black page. Choose a lighter" in refused(
        presort("reports", "colour", "lab", "#000033")
    )
    assert "'red' is not a colour" in refused(presort("reports", "colour", "lab", "red"))


def test_criteria_are_shown_and_written_from_text_or_file(presort, lab, opened, tmp_path):
    assert output(presort("reports", "criteria", "lab")) == ""
    assert "15 characters, previously 0" in output(presort("reports", "criteria", "lab", "--text", "Wages and jobs."))
    assert output(presort("reports", "criteria", "lab")) == "Wages and jobs."
    path = tmp_path / "criteria.txt"
    path.write_text("Pay.\n\nNot: play.", encoding="utf-8")
    presort("reports", "criteria", "lab", "--file", path)
    assert criteria(opened, "lab").text == "Pay.\n\nNot: play."
    assert presort("reports", "criteria", "lab", "--text", "a", "--file", path).exit_code == 2
    assert "can't be read" in refused(presort("reports", "criteria", "lab", "--file", tmp_path / "none.txt"))


def test_editorships_and_substitutes_are_added_and_ended(presort, lab, opened):
    assert json.loads(presort("editors", "--json").stdout) == []
    begun = presort("editors", "add", "lab", "Ann Lee", "--from", "2026-01-05", "--affiliation", "University of X")
    assert output(begun) == "Ann Lee edits lab from 2026-01-05."
    assert output(presort("editors", "add", "lab", "Bo", "--from", "2026-02-02")).endswith("Other editors: Ann Lee.")
    away = ("--for", "Ann Lee", "--from", "2026-08-03", "--to", "2026-08-09")
    assert "Ann Lee" in output(presort("editors", "substitute", "lab", "Cy", *away))
    assert "After that: Ann Lee" in output(presort("editors", "end", "lab", "Bo", "--last", "2026-10-31"))
    assert json.loads(presort("editors", "--json").stdout)[0] == {
        "report": "lab",
        "editor": "Ann Lee",
        "affiliation": "University of X",
        "stands_in_for": "",
        "first": "2026-01-05",
        "last": "",
    }
    assert "University of X" in output(presort("editors"))
    output(presort("editors", "forget", "lab", "Cy", "--from", "2026-08-03"))
    assert people.editorships(opened) == [
        Editorship("lab", "Ann Lee", date(2026, 1, 5)),
        Editorship("lab", "Bo", date(2026, 2, 2), date(2026, 10, 31)),
    ]


def test_an_editor_is_renamed_and_changes_affiliation(presort, lab, opened):
    presort("editors", "add", "lab", "Ann")
    assert "Ann, University of X" in output(presort("editors", "affiliation", "Ann", "University of X"))
    output(presort("editors", "address", "Ann", "ann@Example.org"))
    assert editor_addresses(opened) == {"Ann": "ann@example.org"}
    assert "Eve" in refused(presort("editors", "address", "Eve", "eve@example.org"))
    output(presort("editors", "rename", "Ann", "Ann Smith"))
    assert people.affiliations(opened) == {"Ann Smith": "University of X"}


def test_holidays_are_listed_added_and_removed(presort):
    assert json.loads(presort("holidays", "--json").stdout) == []
    output(presort("holidays", "add", "2026-12-24", "2026-12-31", "--name", "Christmas"))
    assert json.loads(presort("holidays", "--json").stdout) == [
        {"first": "2026-12-24", "last": "2026-12-31", "days": 8, "name": "Christmas"}
    ]
    assert "Christmas" in output(presort("holidays"))
    output(presort("holidays", "remove", "2026-12-24"))
    assert json.loads(presort("holidays", "--json").stdout) == []


def test_a_holiday_that_covers_an_issue_is_announced(presort, tmp_path):
    (tmp_path / "week.csv").write_text(CSV, encoding="utf-8")
    presort("import", tmp_path / "week.csv")
    assert "2026-01-05" in output(presort("holidays", "add", "2026-01-01", "2026-01-06"))


def test_rankers_are_listed_and_chosen(presort, lab, opened):
    does = {row["ranker"]: row["does"] for row in json.loads(presort("rankers", "--json").stdout)}
    offered = [name for name, recipe in RECIPES.items() if not recipe.method.reads_vectors]
    assert does == dict.fromkeys(offered, "") | {DEFAULT: "active"}
    output(presort("rankers", "shadow", "krichel-2007", "arxiv-sanity"))
    for _ in range(2):  # the second call changes nothing
        output(presort("rankers", "use", "krichel-2007"))
    output(presort("rankers", "shadow"))
    assert [(one.active, one.shadows) for one in service.ranker_choices(opened)] == [
        (DEFAULT, ("krichel-2007", "arxiv-sanity")),
        ("krichel-2007", ("arxiv-sanity",)),
        ("krichel-2007", ()),
    ]
    assert "active" in output(presort("rankers"))


def test_rank_uses_newly_chosen_rankers_from_the_next_issue(presort, lab, opened, tmp_path):
    path = tmp_path / "week.csv"
    path.write_text(CSV, encoding="utf-8")
    presort("import", path)
    presort("rankers", "use", "krichel-2007")
    presort("rankers", "shadow", "arxiv-sanity")
    assert json.loads(presort("rank", "--json", "--jobs", 1).stdout)["rankings"] == 2
    first, second = date(2026, 1, 5), date(2026, 1, 12)
    assert list(rankings.newest_rankings(opened, "lab", first)) == ["krichel-2007", "arxiv-sanity"]
    assert "after 2026-01-05" in output(presort("rankers", "use", DEFAULT))
    assert json.loads(presort("rank", "--json", "--jobs", 1).stdout)["rankings"] == 0
    path.write_text("paper_id,title,issue\nc,A third title,2026-01-12\n", encoding="utf-8")
    presort("import", path)
    presort("rank", "--pending", "--jobs", 1)
    assert list(rankings.newest_rankings(opened, "lab", second)) == [DEFAULT, "arxiv-sanity"]


def test_a_ranker_of_another_version_is_a_one_line_error(presort, lab, opened, tmp_path):
    (tmp_path / "week.csv").write_text(CSV, encoding="utf-8")
    presort("import", tmp_path / "week.csv")
    service.set_rankers(opened, "presort-9", [], person="Ann")
    assert "uses the ranker presort-9, which is not installed" in refused(presort("rank", "--jobs", 1))
    assert presort("rank", "--jobs", 1, "--ranker", "krichel-2007").exit_code == 0
    assert "presort-9" in output(presort("rankers"))


def test_successful_imports_are_logged_newest_first(presort, tmp_path):
    assert json.loads(presort("imports", "--json").stdout) == []
    path = tmp_path / "week.csv"
    path.write_text(CSV, encoding="utf-8")
    presort("import", path)
    path.write_text(CSV + "c,,2026-01-05\n", encoding="utf-8")
    assert presort("import", path).exit_code == 1
    path.rename(tmp_path / "=1+1.csv")
    (tmp_path / "=1+1.csv").write_text(CSV, encoding="utf-8")
    presort("import", tmp_path / "=1+1.csv")
    newest, oldest = json.loads(presort("imports", "--json").stdout)
    assert (oldest["file"], oldest["person"], oldest["new_papers"]) == ("week.csv", "import", 2)
    assert (newest["file"], newest["listings"], newest["new_papers"]) == ("=1+1.csv", 2, 0)
    assert "week.csv: 2 papers read; 1 new issue, 2 new papers, 2 new listings." in output(presort("imports"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["rankers", "use", "nope"], "krichel-2007", id="unknown-ranker"),
        pytest.param(["rankers", "shadow", "nope"], "krichel-2007", id="unknown-shadow"),
        pytest.param(["holidays", "add", "2026-02-30", "2026-03-01"], "2026-02-30", id="no-such-day"),
        pytest.param(["editors", "substitute", "lab", "Cy"], "--for", id="nobody-away"),
        pytest.param(["holidays", "frobnicate"], "frobnicate", id="unknown-command"),
    ],
)
def test_a_wrong_call_exits_2_and_names_what_is_wrong(presort, words, message):
    result = presort(*words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["reports", "back", "xyz"], "no report 'xyz'", id="no-report"),
        pytest.param(["reports", "colour", "xyz"], "no report 'xyz'", id="no-report-to-colour"),
        pytest.param(["reports", "rename", "xyz", "X"], "no report 'xyz'", id="no-report-to-rename"),
        pytest.param(["editors", "add", "xyz", "Ann"], "no report 'xyz'", id="no-report-to-edit"),
        pytest.param(["editors", "add", "lab", " "], "name is empty", id="no-name"),
        pytest.param(["editors", "end", "lab", "Ann"], "Ann did not edit lab", id="no-editor"),
        pytest.param(["editors", "affiliation", "Ann", "X"], "'Ann'", id="no-person"),
        pytest.param(["holidays", "remove", "2026-01-01"], "No holiday begins on 2026-01-01", id="no-holiday"),
        pytest.param(["holidays", "add", "2026-01-02", "2026-01-01"], "is before the first", id="backwards"),
    ],
)
def test_an_error_exits_1_with_one_line_and_reports_no_change(presort, lab, words, message):
    assert message in refused(presort(*words))


@pytest.mark.parametrize(("answer", "is_changed"), [("y", True), ("n", False)])
def test_a_change_at_a_terminal_is_described_and_confirmed_first(presort, lab, opened, monkeypatch, answer, is_changed):
    monkeypatch.setattr("presort.desk.console.asking.is_terminal", lambda: True)
    result = presort("reports", "retire", "lab", input=f"{answer}\n")
    assert "Report lab retired" in result.stdout
    assert "Change it? [y/N]" in result.stdout
    assert result.exit_code == (not is_changed)
    assert (catalogue.reports(opened) == []) is is_changed


def test_the_option_yes_skips_the_question(presort, lab, opened, monkeypatch):
    monkeypatch.setattr("presort.desk.console.asking.is_terminal", lambda: True)
    assert "Change it?" not in presort("reports", "retire", "lab", "--yes").stdout
    assert catalogue.reports(opened) == []


@pytest.fixture
def with_past(presort, lab, opened):
    """Retired report with a published issue, decisions, readers, an editor and a hint."""
    take_in(opened, make_issue(4))
    decisions.decide(opened, [say("lab", "a1", "yes"), say("lab", "a2", "no"), say("lab", "a3", "maybe")])
    send_out(opened, "lab", FIRST)
    add_readers(opened, "lab", [("ann@example.org", ""), ("bo@example.org", "")], person="Dee")
    remove_reader(opened, "lab", "bo@example.org", person="Dee")
    people.add_editorship(opened, Editorship("lab", "Ann Lee", date(2026, 1, 5)), person="Dee")
    add_hint(opened, "lab", "mute", "war", person="Ann")
    catalogue.retire_report(opened, "lab")
    return opened


PAST = ("Published issues: 1", "Decisions: 3 (1 relevant)", "Readers: 1", "Editors: Ann Lee", "Hints: 1")


def test_a_retired_code_is_not_added_without_confirmation(presort, with_past):
    before = contents(with_past)
    error = refused(presort("reports", "add", "lab", "Work"))
    assert all(part in error for part in (*PAST, "--yes"))
    assert contents(with_past) == before
    came_back = output(presort("reports", "add", "lab", "Work", "--yes"))
    assert all(part in came_back for part in PAST)
    assert catalogue.reports(with_past) == [Report("lab", "Work")]
    assert decisions.n_relevant(with_past)["lab"] == 1


@pytest.mark.parametrize(("answer", "is_back"), [("y", True), ("n", False)])
def test_restoring_a_retired_report_at_a_terminal_asks_first(presort, with_past, monkeypatch, answer, is_back):
    monkeypatch.setattr("presort.desk.console.asking.is_terminal", lambda: True)
    result = presort("reports", "add", "lab", "Labour", input=f"{answer}\n")
    assert all(part in result.stdout.replace("\n", " ") for part in PAST)
    assert "Restore report lab?" in result.stdout
    assert result.exit_code == (not is_back)
    assert (catalogue.reports(with_past) == [Report("lab", "Labour")]) is is_back


def test_a_report_retired_between_question_and_answer_is_not_restored(presort, lab, opened):
    catalogue.retire_report(opened, "lab")
    with pytest.raises(RefusedError, match="retired in the meantime"):
        catalogue.add_reports(opened, [Report("lab", "Labour")], returning=[])
    assert catalogue.reports(opened) == []
