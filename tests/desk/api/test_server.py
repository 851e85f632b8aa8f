"""The API of the real server, with its settings in a file."""

import json

import pytest

from tests.desk.api.conftest import TOKEN
from tests.desk.web.test_guard import ask, served

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def port(tmp_path_factory, api_workspace):
    folder = tmp_path_factory.mktemp("served")
    (folder / "presort.toml").write_text(f'[[api.client]]\nname = "library"\ntoken = "{TOKEN}"\n')
    found = {"PRESORT_CONFIG": str(folder / "presort.toml"), "PRESORT_WORKSPACE": str(api_workspace)}
    with served(folder, **found) as (port, _):
        yield port


def test_a_client_reads_everything(port, newest):
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    status, headers, text = ask(port, "/api/v1/report-issues?limit=1", **bearer)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    found = json.loads(text)
    status, _, text = ask(port, found["items"][0]["url"], **bearer)
    assert (status, len(json.loads(text)["papers"])) == (200, 3)
    assert ask(port, found["next"], **bearer)[0] == 200
    assert ask(port, "/api/v1/quality", **bearer)[0] == 200
    status, headers, text = ask(port, "/api/v1/quality", "HEAD", **bearer)
    assert (status, text, int(headers["Content-Length"]) > 1_000) == (200, b"", True)
    assert ask(port, "/api/v1/quality", **bearer, **{"If-None-Match": headers["ETag"]})[::2] == (304, b"")


def test_others_read_nothing(port):
    for headers in ({}, {"Authorization": "Bearer x"}, {"Cookie": f"presort={TOKEN}"}):
        status, found, text = ask(port, "/api/v1/issues", **headers)
        assert (status, found["Content-Type"]) == (401, "application/problem+json")
        assert json.loads(text)["status"] == 401
    assert ask(port, "/api/v1/issues", host=f"evil.example:{port}", Authorization=f"Bearer {TOKEN}")[0] == 403
    assert ask(port, "/", Authorization=f"Bearer {TOKEN}")[0] == 403
    for path in ("/api/v1/../../etc/passwd", "/api/v1/%2e%2e/%2e%2e/presort.toml", "/api/v1//issues"):
        assert ask(port, path, Authorization=f"Bearer {TOKEN}")[0] in (400, 404)  # 400: Streamlit refuses such paths
    status, headers, _ = ask(port, "/api/v1/issues", "POST", Authorization=f"Bearer {TOKEN}")
    assert (status, set(headers["Allow"].split(", "))) == (405, {"GET", "HEAD"})
