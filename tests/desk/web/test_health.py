"""The container's health check of running desks."""

import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from socket import socket
from threading import Thread

import pytest

from presort.desk import settings
from presort.desk.web import health, launch
from tests.desk.web.test_guard import served
from tests.desk.web.test_sign_in import SIGN_IN

pytestmark = pytest.mark.whole


@pytest.fixture(autouse=True)
def no_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(settings.FILE, raising=False)


def test_the_port_is_the_one_of_the_command():
    assert launch.serve.__kwdefaults__ == {"host": health.LOCALHOST, "port": health.PORT}


def test_a_local_desk_answers(tmp_path):
    with served(tmp_path) as (port, _):
        assert health.find_fault(port) == ""
    assert str(port) in health.find_fault(port)  # the server has stopped


def test_a_desk_with_sign_in_is_checked_at_its_own_address(tmp_path, monkeypatch):
    with served(tmp_path, host="0.0.0.0", **SIGN_IN) as (port, _):
        assert "403" in health.find_fault(port)
        for name, value in SIGN_IN.items():
            monkeypatch.setenv(name, value)
        assert health.find_fault(port) == ""
        monkeypatch.setenv("PRESORT_DESK_URL", "https://other.example.org")
        assert "403" in health.find_fault(port)


def test_wrong_settings_are_reported_as_the_reason(monkeypatch):
    monkeypatch.setenv("PRESORT_SIGN_IN_SECRET", "not-to-be-seen")
    fault = health.find_fault()
    assert "PRESORT_SIGN_IN_CLIENT" in fault
    assert "not-to-be-seen" not in fault


@contextmanager
def serving(answer):
    """Run a server that isn't a desk and answers one request."""

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    with HTTPServer((health.LOCALHOST, 0), Other) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        yield server.server_port
        thread.join()


@pytest.mark.parametrize("answer", [b"", b"no HTTP\r\n\r\n", b"HTTP/1.1 503 Down\r\n\r\n"])
def test_another_server_is_reported_as_no_desk(answer):
    with serving(answer) as port:
        assert health.find_fault(port)


def test_a_server_that_does_not_answer_times_out(monkeypatch):
    monkeypatch.setattr(health, "PATIENCE", 0.1)
    with socket() as silent:
        silent.bind((health.LOCALHOST, 0))
        silent.listen()
        assert "timed out" in health.find_fault(silent.getsockname()[1])


def test_a_failure_has_an_exit_code_and_a_reason_in_one_line(monkeypatch):
    monkeypatch.setenv("PRESORT_SIGN_IN_SECRET", "not-to-be-seen")
    ran = subprocess.run([sys.executable, "-m", health.__name__], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
