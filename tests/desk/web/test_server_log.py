"""The log of a running server: its content, and that it has no secrets or personal data."""

import asyncio
import json
import logging
import socket
from contextlib import suppress
from datetime import datetime
from subprocess import PIPE, STDOUT, Popen

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from presort.desk import settings
from presort.desk.web import launch, request_log, token_door
from presort.desk.web.request_log import RequestLog
from tests.desk.web.test_guard import ask, opens
from tests.desk.web.test_sign_in import DESK, HOST, SIGN_IN, signed

pytestmark = pytest.mark.whole

PAGE = """
import logging
import warnings
import streamlit as st
title, name, address = "title-of-a-{}".format("paper"), "Ann {}".format("Lee"), "ann@{}".format("example.org")
warnings.warn(title)
logging.getLogger("other").warning("Asked by %s", address)
raise ValueError(title + name + st.query_params["report"])
"""
SECRETS = {
    **SIGN_IN,
    "PRESORT_SIGN_IN_METADATA": "http://127.0.0.1:9/metadata-of-provider",  # where nobody answers
    "PRESORT_SIGN_IN_SECRET": "secret-of-client",
    "PRESORT_METRICS_TOKEN": "token-for-figures-8f3c",
    "PRESORT_SMTP_HOST": "mail.example.org",
    "PRESORT_SMTP_PASSWORD": "password-of-mail",
    "PRESORT_LOG_FORMAT": "json",
}
OWN = [
    *("secret-of-client", "token-for-figures", "password-of-mail", "title-of-a-paper", "Ann Lee", "ann@example.org"),
    *("code-of-invitation", "code-of-provider", "state-of-provider", "token-guessed", "name-of-file", "cookie-forged"),
    *("report-of-somebody", "id.example.org", "metadata-of-provider", "203.0.113.7"),
]


def run_page(port, cookie):
    """Open a page as a browser does, and wait until it has run."""
    message = BackMsg()
    message.rerun_script.query_string = "report=report-of-somebody"
    with socket.create_connection((launch.LOCALHOST, port)) as line:
        headers = {"Cookie": cookie, "X-Forwarded-For": "203.0.113.7"}
        with connect(f"ws://{HOST}/_stcore/stream", sock=line, origin=DESK, additional_headers=headers) as desk:
            desk.send(message.SerializeToString())
            reply = ForwardMsg()
            while reply.WhichOneof("type") != "script_finished":
                reply.ParseFromString(desk.recv(timeout=60))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Complete output of a server with sign-in during various requests."""
    folder = tmp_path_factory.mktemp("logged")
    script = folder / "page.py"
    script.write_text(PAGE)
    with socket.socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        port = probe.getsockname()[1]
    environment = {**settings.to_environment(settings.Settings(folder / "workspace")), **SECRETS}
    command = launch.command(launch.LOCALHOST, port, script=str(script))
    server = Popen(command, env=environment, stdout=PIPE, stderr=STDOUT, text=True)
    lines = []
    try:
        for line in server.stdout:
            lines.append(line)
            if "The desk is open." in line:
                break
        cookie = signed(token_door.read_token(folder / "workspace"))
        run_page(port, cookie)
        for path in (
            *("/review?invitation=code-of-invitation", "/?token=token-guessed", "/sign-in", "/name-of-file"),
            *("/oauth2callback?code=code-of-provider&state=state-of-provider", "/oauth2callback?error=Ann%20Lee"),
            *("/media/name-of-file.csv", "/static/js/any.js", "/_stcore/health"),
        ):
            ask(port, path, host=HOST, Cookie=cookie, **{"X-Forwarded-For": "203.0.113.7"})
        ask(port, "/review?report=report-of-somebody", host=HOST, Cookie="_streamlit_user=cookie-forged")
        ask(port, "/", host="evil.example")
        ask(port, "/metrics", Authorization="Bearer token-guessed")
        ask(port, "/metrics", Authorization="Bearer token-for-figures-8f3c")
        ask(port, "/_stcore/upload_file/a/name-of-file", "PUT", HOST, Cookie=cookie, Origin=DESK)
        opens(port, HOST, DESK, "_streamlit_user=cookie-forged")
        with socket.create_connection((launch.LOCALHOST, port)) as line:
            line.sendall(b"GET /name-of-file token-guessed\r\n\r\n")  # no HTTP
            line.recv(1_000)
    finally:
        server.terminate()
        lines += server.communicate()[0].splitlines(keepends=True)
    return lines


@pytest.fixture(scope="module")
def lines(written):
    return [json.loads(line) for line in written]


def test_every_line_is_a_json_object(lines):
    for line in lines:
        assert {"time", "level", "logger", "message"} <= set(line)
        assert datetime.fromisoformat(line["time"]).utcoffset().total_seconds() == 0


def test_the_log_has_no_secrets_and_no_personal_data(written, tmp_path_factory):
    cookie = next(tmp_path_factory.getbasetemp().glob("logged*/workspace/desk-token")).read_text()
    assert [own for own in (*OWN, cookie) if any(own in line for line in written)] == []


def test_requests_are_logged_by_their_route(lines):
    asked = [
        (line["method"], line["path"], line["status"])
        for line in lines
        if line["logger"] == "presort.desk.web.request_log" and line["seconds"] >= 0
    ]
    for one in (
        ("WEBSOCKET", "/_stcore/stream", 101),
        ("WEBSOCKET", "/_stcore/stream", 403),
        ("GET", "/review", 200),
        ("GET", "/review", 401),
        ("GET", "/", 403),
        ("GET", "/metrics", 401),
        ("GET", "/metrics", 200),
        ("GET", "/oauth2callback", 400),
        ("PUT", "/_stcore/upload_file/…", 403),
        ("GET", "…", 200),
    ):
        assert one in asked
    assert not [path for _, path, _ in asked if path in ("/static/js/any.js", "/_stcore/health")]


def test_an_error_of_a_page_is_logged_with_its_line_and_problem_number(lines):
    uncaught = next(line for line in lines if line["message"] == "Uncaught app execution")
    assert uncaught["level"] == "error"
    assert 'page.py", line 8' in uncaught["error"]
    assert uncaught["error"].endswith("\nValueError")
    (record,) = [line for line in lines if line["logger"] == "presort.desk.web.server" and line["level"] == "error"]
    assert record["message"].startswith("The error above (ValueError) was shown to the user as problem ")


def test_messages_of_other_packages_have_the_same_format(lines):
    messages = [line["message"] for line in lines]
    assert "Asked by …" in messages
    assert any(message.startswith("UserWarning at ") for message in messages)


@pytest.mark.parametrize(
    ("path", "status", "is_logged"),
    [
        ("/review", 200, True),
        ("/channels/name-of-channel", 200, False),
        ("/channels/name-of-channel", 401, False),
        ("/channels/name-of-channel", 500, True),
        ("/channels/name-of-channel", None, True),
        ("/static/any.js", 200, False),
        ("/_stcore/health", 200, False),
    ],
)
def test_of_frequent_requests_only_failures_are_logged(caplog, path, status, is_logged):
    async def app(_scope, _receive, send):
        if status is None:
            raise ValueError
        await send({"type": "http.response.start", "status": status, "headers": []})

    async def ask_once():
        async def send(_message):
            pass

        with suppress(ValueError):
            await RequestLog(app)({"type": "http", "method": "POST", "path": path}, None, send)

    with caplog.at_level(logging.INFO, request_log.__name__):
        asyncio.run(ask_once())
    assert [record.status for record in caplog.records] == ([status or 0] if is_logged else [])
    assert "name-of-channel" not in caplog.text
