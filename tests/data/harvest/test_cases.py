"""Harvests of a small repository with one fault of real repositories per path."""

import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from presort.data.harvest.errors import HarvestError
from presort.data.importers.problems import Findings
from tests.data.harvest.running import run

SERVER = Path(__file__).parents[4] / "shared" / "cases" / "oai" / "server.py"
GOOD = [f"Paper number {n} on wages" for n in (1, 2, 3)]

pytestmark = pytest.mark.skipif(not SERVER.is_file(), reason="the repository of cases is not there")


@pytest.fixture
def address():
    """Run the repository in this process. Its last line, which would run it forever on a given port, is left out."""
    source, _, _ = SERVER.read_text(encoding="utf-8").rpartition("http.server.ThreadingHTTPServer")
    module = ModuleType("cases")
    exec(compile(source, SERVER, "exec"), module.__dict__)
    module.H.log_message = lambda *_: None
    server = ThreadingHTTPServer(("127.0.0.1", 0), module.H)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("path", "titles", "n_left_out", "n_repairs"),
    [
        pytest.param("norecords200", [], 0, 0, id="nothing-new"),
        pytest.param("zenodo422", [], 0, 0, id="nothing-new-with-status-422"),
        pytest.param("invenio404", [], 0, 0, id="nothing-new-with-status-404"),
        pytest.param("control", [GOOD[0], GOOD[1], GOOD[2]], 0, 1, id="control-character"),
        pytest.param("amp", [GOOD[0], "Paper number 2 & on wages", GOOD[2]], 0, 1, id="bare-ampersand"),
        pytest.param("badutf8", [GOOD[0], "Paper number é 2 on wages", GOOD[2]], 0, 1, id="latin-1"),
        pytest.param("prolog", GOOD, 0, 3, id="xml-declaration-in-records"),
        pytest.param("deleted", GOOD, 0, 0, id="deleted"),
        pytest.param("expired", GOOD, 0, 0, id="lost-token"),
        pytest.param("expired400", GOOD, 0, 0, id="lost-token-with-status-400"),
        pytest.param("busy", GOOD, 0, 0, id="busy"),
        pytest.param("nometa", GOOD[:2], 1, 0, id="no-metadata"),
        pytest.param("notitle", GOOD[:2], 1, 0, id="no-title"),
        pytest.param("index.php?page=oai", GOOD, 0, 0, id="address-with-a-query"),
    ],
)
def test_each_repository_has_the_expected_papers(tmp_path, address, path, titles, n_left_out, n_repairs):
    findings = Findings()
    entries = run(tmp_path, f"{address}/{path}", problems=findings.collect(keeps_going=True))
    assert [entry.paper.title for entry in entries] == titles
    assert (len(findings.skipped), len(findings.repairs)) == (n_left_out, n_repairs)


def test_dspace(tmp_path, address):
    first, second = (entry.paper for entry in run(tmp_path, f"{address}/dspace"))
    assert (first.authors, first.date, second.date) == (("Author, First",), "1990", "2019")
    assert second.abstract.startswith("We study how entry of firms changes wages")
    assert second.url == "http://hdl.handle.net/10419/5"


def test_mpra(tmp_path, address):
    (paper,) = (entry.paper for entry in run(tmp_path, f"{address}/mpra"))
    assert (paper.codes, paper.type, paper.date) == (("O14", "R10"), "report", "2012-02")


def test_several_names_and_subjects_in_one_element(tmp_path, address):
    (paper,) = (entry.paper for entry in run(tmp_path, f"{address}/multiname"))
    assert paper.authors == ("Author, A", "Writer, B", "Scholar, C")
    assert paper.codes == ("prices", "wages", "labour")
    assert paper.abstract == "We study prices & wages."


def test_a_page_for_people_is_refused(tmp_path, address):
    with pytest.raises(HarvestError, match="is not an OAI-PMH"):
        run(tmp_path, f"{address}/html")
