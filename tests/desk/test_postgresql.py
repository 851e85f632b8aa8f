"""The desk on a PostgreSQL workspace: all pages are drawn, a decision is saved, and the weekly commands run."""

import json
import shutil
from contextlib import closing

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.records import Decision
from presort.data.running.moves import move_to_server
from presort.data.store import open_store
from presort.desk import pages, settings
from presort.desk.settings.api import API
from presort.desk.web.token_door import TokenDoor
from tests.desk.api.conftest import Caller
from tests.desk.command_line import invoke

pytestmark = pytest.mark.whole

MANY = 5  # columns that don't fit next to each other on a phone, so the table scrolls sideways
WITH_WIDE_TABLES = ("overview", "report", "natural-order", "manage")


@pytest.fixture(scope="module")
def on_server(tmp_path_factory, replayed_workspace, schemas):
    """Workspace with past issues ranked by two rankers, and the address of its database."""
    folder = shutil.copytree(replayed_workspace, tmp_path_factory.mktemp("moved") / "workspace")
    url = schemas.lasting()
    move_to_server(folder, url)
    return folder, url


@pytest.fixture
def moved(on_server, monkeypatch):
    folder, url = on_server
    monkeypatch.setenv(settings.DATABASE, url)
    with closing(open_store(folder, url)) as store:
        yield store


@pytest.mark.parametrize("address", pages.BY_ADDRESS)
def test_every_page_draws(moved, open_page, tmp_path, address):
    script = tmp_path / "page.py"
    script.write_text(f"from {pages.BY_ADDRESS[address].module} import show\nshow()\n")
    page = open_page(script, moved, report="lab")
    assert not page.exception
    assert not page.error
    assert page.title or page.markdown
    if address in WITH_WIDE_TABLES:  # the column that names the report or ranker stays visible
        wide = [one.proto for one in page.dataframe if len(one.proto.column_order or one.value.columns) >= MANY]
        assert wide
        for one in wide:
            assert any(column.get("pinned") for column in json.loads(one.columns).values()), one.columns


def test_the_api_answers(moved, tmp_path, monkeypatch, no_cache):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(settings.WORKSPACE, str(moved.folder))
    api = Caller(TokenDoor("token-of-the-desk"), is_local=True)
    assert api.get("/quality").status_code == 200
    for path in ("/issues", "/reports", "/report-issues"):
        first = api.get(f"{path}?limit=2").json()
        rest = api.get(first["next"].removeprefix(API).replace("limit=2", "limit=500")).json()
        assert first["items"] + rest["items"] == api.get(f"{path}?limit=500").json()["items"]
    published = api.get("/report-issues?limit=1").json()["items"][0]
    assert api.get(published["url"].removeprefix(API)).json()["n_papers"] == published["n_papers"]
    assert api.get("/report-issues?cursor=2026-11-16.%00").status_code == 400


def test_a_week_goes_through_commands(moved, newest):
    def presort(*words):
        done = invoke(["--workspace", str(moved.folder), *map(str, words)])
        assert done.exit_code == 0, done.output
        return done.output

    presort("rank", "--report", "lab", "--ranker", "krichel-2007", "--jobs", "1")
    paper = catalogue.papers(moved, newest)[0].paper_id
    assert decisions.decide(moved, [Decision("lab", newest, paper, "yes", "Ann")]) == 1
    assert decisions.labels(moved, "lab", newest) == {paper: "yes"}
    assert "is not damaged" in presort("db", "check")
    assert "Relevant" in presort("log", "--report", "lab", "--json")
    assert f"{settings.DATABASE} is not a PostgreSQL URL" not in presort("doctor")
