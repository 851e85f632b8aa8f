"""Log in JSON lines: its fields, and data that it must never contain."""

import io
import json
import logging
import sys
import threading
import warnings
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from presort.data.errors import RefusedError
from presort.data.records import Identity, Member
from presort.data.rights import ForbiddenError, Right
from presort.desk import access, process, settings
from presort.desk.access import SignIn
from presort.desk.process import JsonLines

SECRETS = ["Ann Lee", "ann@example.org", "hunter2", "On wages"]


@pytest.fixture
def lines(monkeypatch):
    """Configure JSON lines during a test. Returns a function that returns the lines logged so far."""
    written = io.StringIO()
    root = logging.getLogger()
    for place, name in ((sys, "excepthook"), (threading, "excepthook"), (warnings, "showwarning")):
        monkeypatch.setattr(place, name, getattr(place, name))
    monkeypatch.setattr(logging, "raiseExceptions", True)
    handlers, levels = root.handlers, {name: logging.getLogger(name).level for name in process.OURS}
    process.configure_log("json", written)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_a_log_line_has_time_level_logger_and_message(lines):
    logging.getLogger("presort.desk.weekly").info(
        "Ranking: done.", extra={"step": "rank", "seconds": 2.5, "person": "Ann Lee"}
    )
    (line,) = lines()
    when = datetime.fromisoformat(line.pop("time"))
    assert (when.tzinfo, abs((datetime.now(UTC) - when).total_seconds()) < 60) == (UTC, True)
    assert line == {
        "level": "info",
        "logger": "presort.desk.weekly",
        "message": "Ranking: done.",
        "seconds": 2.5,
        "step": "rank",
    }


def test_only_numbers_are_filled_into_messages_of_other_packages(lines):
    other = logging.getLogger("other")
    other.warning("Port %s is taken; %r asks from %s, %d times", 8501, SECRETS, "ann@example.org", 3)
    other.warning("%(n)d for %(who)s", {"n": 2, "who": "Ann Lee"})
    other.warning("Never retrieved\nfuture: exception=ValueError('Ann Lee')")
    other.warning("needs %d", "hunter2")
    other.warning(ValueError("hunter2"))
    other.warning("GET /?token=hunter2 by ann@example.org at postgresql://presort:hunter2@db/presort")
    other.info("not wanted")
    assert [line["message"] for line in lines()] == [
        "Port 8501 is taken; '…' asks from …, 3 times",
        "2 for …",
        "Never retrieved",
        "needs %d",
        "ValueError",
        "GET /?… by …@… at …@…",
    ]


def fail():
    name, address, password, title = SECRETS
    try:
        raise IntegrityError("INSERT", {"name": name}, ValueError(password))
    except IntegrityError as error:
        raise ExceptionGroup(title, [KeyError(address), error]) from error


def test_an_error_is_logged_with_its_traceback_but_without_its_message(lines):
    try:
        fail()
    except ExceptionGroup:
        logging.getLogger("streamlit").exception("Uncaught app execution")
    (line,) = lines()
    kinds = [part for part in line["error"].splitlines() if not part.startswith(" ")]
    assert kinds == ["IntegrityError", "KeyError", "IntegrityError", "ExceptionGroup"]
    assert "in fail" in line["error"]
    assert not [secret for secret in SECRETS if secret in str(line)]


@pytest.mark.parametrize("n", [1, 2])
def test_errors_that_cause_each_other_are_logged_once(lines, n):
    errors = [KeyError(SECRETS[1]), ValueError(SECRETS[2])][:n]
    for effect, cause in pairwise([*errors, errors[0]]):
        effect.__cause__ = cause
    assert process.causes(errors[0]) == errors
    logging.getLogger("streamlit").error("Uncaught app execution", exc_info=errors[0])
    (line,) = lines()
    assert line["error"].splitlines() == ["ValueError", "KeyError"][-n:]


def test_uncaught_errors_and_warnings_are_log_lines(lines):
    threading.excepthook(threading.ExceptHookArgs((ValueError, ValueError(SECRETS[2]), None, None)))
    try:
        fail()
    except ExceptionGroup:
        sys.excepthook(*sys.exc_info())
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    sys.excepthook(SystemExit, SystemExit(), None)
    warnings.showwarning(UserWarning(SECRETS[0]), UserWarning, "page.py", 7)
    assert [line["message"] for line in lines()] == [
        process.UNCAUGHT,
        process.UNCAUGHT,
        "Stopped by KeyboardInterrupt.",
        "UserWarning at page.py, line 7",
    ]
    assert lines()[1]["error"].splitlines()[-1] == "ExceptionGroup"
    assert not [secret for secret in SECRETS if secret in str(lines())]


@given(st.text(), st.text())
def test_a_log_entry_is_one_line(text, name):
    record = logging.LogRecord(f"desk.{name}", logging.INFO, "", 0, "%s", (text,), None)
    line = JsonLines().format(record)
    assert len(line.splitlines()) == 1
    assert set(json.loads(line)) == {"time", "level", "logger", "message"}


def test_a_refused_user_is_not_named(lines):
    sign_in = SignIn(Identity("https://id.example.org", "ann@example.org"), datetime.now(UTC))
    for right, of in ((Right.OWN, ["Ann Lee"]), (Right.EDIT, ["lab"])):
        with pytest.raises(ForbiddenError):
            access._Policy(sign_in).demand(Member("Bo"), right, of)
    assert [line["message"] for line in lines()] == [
        "Access denied: a signed-in user lacks the right to own a person.",
        "Access denied: a signed-in user lacks the right to edit lab.",
    ]


def test_the_log_has_two_formats(monkeypatch):
    assert settings.log_format() == "text"
    monkeypatch.setenv("PRESORT_LOG_FORMAT", "json")
    assert settings.log_format() == "json"
    monkeypatch.setenv("PRESORT_LOG_FORMAT", "xml")
    with pytest.raises(RefusedError, match=r"^PRESORT_LOG_FORMAT is 'xml'. It must be text or json\.$"):
        settings.log_format()


def test_the_text_format_leaves_logging_unchanged():
    before = logging.getLogger().handlers[:]
    process.configure_log("text")
    assert logging.getLogger().handlers == before
    assert not process.is_json()


def test_a_process_on_a_terminal_ends_with_one_line(capsys):
    with pytest.raises(SystemExit, match="1"):
        process.exit_with_error(RefusedError("There is no issue yet."))
    assert capsys.readouterr().err == "presort: There is no issue yet.\n"


def test_a_process_without_a_terminal_ends_with_a_log_line(lines, capsys):
    with pytest.raises(SystemExit, match="1"):
        process.exit_with_error(RefusedError("There is no issue yet."))
    assert [(line["level"], line["message"]) for line in lines()] == [("error", "There is no issue yet.")]
    assert capsys.readouterr().err == ""
