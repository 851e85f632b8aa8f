import json
from datetime import date, datetime

import pytest

from presort.data import catalogue
from presort.data.harvest.stored_harvest import FOLDER
from presort.data.running import service
from presort.data.store import open_store
from presort.desk.importing import harvest_commands
from tests.data.harvest.repository import FakeTime, Reply, dc_record, paged, refusing, repository
from tests.data.running.test_trials import files
from tests.desk.command_line import invoke

THREE = [dc_record(f"oai:e.org:{n}", f"Wages of group {n}") for n in range(3)]
WITH_A_WRONG_ONE = [THREE[0], dc_record("oai:e.org:9", ""), THREE[1]]


@pytest.fixture
def time(monkeypatch):
    """Clock that only advances while the command sleeps."""
    time = FakeTime()
    monkeypatch.setattr(harvest_commands, "CLOCK", time.clock)
    return time


@pytest.fixture
def presort(tmp_path, time):
    def call(server, *words):
        options = ["--issue", "2026-11-16", "--allow-private", *words]
        return invoke(["--workspace", str(tmp_path), "harvest", server.url, *options])

    return call


def held(tmp_path):
    """Titles of the issue, in list order."""
    store = open_store(tmp_path)
    try:
        days = [issue.date for issue in catalogue.issues(store)]
        return [paper.title for paper in catalogue.papers(store, date(2026, 11, 16))] if days else []
    finally:
        store.close()


def test_harvest_imports_into_the_issue(presort, tmp_path):
    with repository(paged(THREE)) as server:
        result = presort(server)
    assert result.exit_code == 0
    assert "papers read; 1 new issue, 3 new papers" in result.stdout
    assert held(tmp_path) == ["Wages of group 0", "Wages of group 1", "Wages of group 2"]


def test_a_second_harvest_requests_only_later_records(presort, tmp_path):
    with repository(paged(THREE)) as server:
        presort(server)
        server.answer = lambda asked: refusing("noRecordsMatch")
        result = presort(server)
    assert result.exit_code == 0
    assert "no changes" in result.stdout
    assert server.asked[-1]["from"] == "2026-11-16"


def test_options_reach_the_repository(presort):
    with repository(paged(THREE)) as server:
        presort(server, "--set", "econ:th", "--since", "2026-01-01", "--until", "2026-02-01", "--format", "oai_dc")
    assert server.asked[0] == {
        "verb": "ListRecords",
        "metadataPrefix": "oai_dc",
        "from": "2026-01-01",
        "until": "2026-02-01",
        "set": "econ:th",
    }


def test_the_issue_defaults_to_today(tmp_path, time):
    with repository(paged(THREE)) as server:
        invoke(["--workspace", str(tmp_path), "harvest", server.url, "--allow-private"])
    store = open_store(tmp_path)
    (issue,) = catalogue.issues(store)
    store.close()
    assert abs((datetime.now().date() - issue.date).days) <= 1  # the test may run over midnight


def test_a_dry_run_changes_no_file(presort, tmp_path):
    with repository(paged(THREE)) as server:
        result = presort(server, "--dry-run")
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "There is no workspace in" in result.stderr
        open_store(tmp_path).close()
        before = files(tmp_path)
        for _ in range(2):
            result = presort(server, "--dry-run")
            assert "3 new papers" in result.stdout
            assert "dry run: nothing was changed" in result.stdout
            assert files(tmp_path) == before
        assert presort(server).exit_code == 0
        assert len(held(tmp_path)) == 3
        before, n_asked = files(tmp_path), len(server.asked)
        assert "no changes" in presort(server, "--dry-run").stdout
    assert files(tmp_path) == before
    assert server.asked[n_asked]["from"] == "2026-11-16"  # it remembers the last harvest


@pytest.mark.parametrize("words", [[], ["--keep-going"]])
def test_an_invalid_record_is_skipped_and_named(presort, tmp_path, words):
    with repository(paged(WITH_A_WRONG_ONE)) as server:
        result = presort(server, *words)
    assert result.exit_code == 0
    assert "row 2: 'oai:e.org:9' has no title" in result.stdout
    assert len(held(tmp_path)) == 2


def test_a_malformed_record_is_repaired_or_skipped_and_the_others_imported(presort, tmp_path):
    some = [dc_record(f"oai:e.org:{n}", f"Paper {n}") for n in range(5)]
    some[1] = some[1].replace("Paper 1", "Paper & 1\x03")
    some[2] = some[2].replace("</dc:title>", "</dc:titel>")
    some[3] = some[3].replace("<metadata>", '<metadata><?xml version="1.0"?>')
    with repository(paged(some, size=5)) as server:
        result = presort(server)
    assert result.exit_code == 0
    assert held(tmp_path) == ["Paper 0", "Paper & 1", "Paper 3", "Paper 4"]
    assert "oai:e.org:2: malformed XML" in " ".join(result.stdout.split())
    assert "oai:e.org:1: control characters" in " ".join(result.stdout.split())


def test_a_harvest_of_invalid_records_is_not_marked_as_done(presort, tmp_path):
    with repository(paged(WITH_A_WRONG_ONE[1:2])) as server:
        result = presort(server, "--keep-going")
    assert result.exit_code == 1
    assert "has no title" in result.stderr
    assert not list((tmp_path / FOLDER).glob("*.json"))


def test_as_json(presort):
    with repository(paged(WITH_A_WRONG_ONE)) as server:
        answer = json.loads(presort(server, "--keep-going", "--json").stdout)
    assert (answer["path"], answer["new_papers"], answer["is_dry_run"]) == (server.url, 2, False)
    assert [one["reason"] for one in answer["left_out"]] == ["'oai:e.org:9' has no title"]


def test_an_interrupted_harvest_resumes_with_the_same_command(presort, tmp_path, time):
    whole = paged(THREE)
    with repository(lambda asked: Reply(status=503) if "resumptionToken" in asked else whole(asked)) as server:
        result = presort(server)
        assert result.exit_code == 1
        assert "responded with status 503. Retrying in 2 seconds." in result.stderr
        assert held(tmp_path) == []
        server.answer = whole
        n_asked = len(server.asked)
        result = presort(server)
    assert "Resuming after 2 stored records" in result.stderr
    assert len(server.asked) == n_asked + 1
    assert len(held(tmp_path)) == 3


def test_the_log_names_the_repository(presort, tmp_path):
    with repository(paged(THREE)) as server:
        presort(server, "--set", "econ")
    store = open_store(tmp_path)
    (one,) = service.imports(store)
    store.close()
    assert (one.file, one.person) == (f"{server.url.split('/')[2]} (econ)", "harvest")


def test_private_repositories_are_refused_unless_allowed(tmp_path, time):
    with repository(paged(THREE)) as server:
        result = invoke(["--workspace", str(tmp_path), "harvest", server.url])
    assert result.exit_code == 1
    assert "Use --allow-private if it is your own" in result.stderr
    assert server.asked == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param(["--since", "2026-02-01", "--until", "2026-01-01"], "is before --since", id="days"),
        pytest.param(["--set", "a b"], "is not a valid set name", id="set"),
        pytest.param(["--format", "marc"], "oai_dc", id="format"),
    ],
)
def test_wrong_calls(tmp_path, time, options, reason):
    result = invoke(["--workspace", str(tmp_path), "harvest", "http://e.org/oai", *options])
    assert result.exit_code == 2
    assert reason in result.stderr
