"""Logging in a Presort process, and the exit of the process on an error, Ctrl-C or SIGTERM.

A service logs JSON lines without personal names, addresses or secrets. Presort's own messages contain no such data. For
messages from other packages, only the format string and numbers are logged, because an argument may be a URL that
contains a code. For errors, only the type and the traceback are logged, because the message may quote a title or a
name.

On a personal computer, the log is plain text in the default formats of Python and Streamlit.
"""

import json
import logging
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from traceback import format_tb
from types import FrameType, TracebackType
from typing import Final, Literal, NoReturn, TextIO

from presort.data.errors import DataError

LogFormat = Literal["text", "json"]

LOG = logging.getLogger(__name__)
OURS = "presort"
FIELDS = ("seconds", "method", "path", "status", "step", "state", "reason", "problem")  # optional fields of a log line
LONGEST = 2_000  # maximum length of a message in characters; longer messages are truncated
MAIL = re.compile(r"[^\s<>\"'(]+@[^\s<>\"')]+")  # also matches user:password@host in a URL
QUERY = re.compile(r"\?[^\s\"'<>]+")
UNCAUGHT = "Internal error. Presort has stopped."


class Termination(KeyboardInterrupt):
    """Request to shut down (SIGTERM), for example from a service manager."""


@dataclass
class _Sigterm:
    """State of SIGTERM handling: whether the signal is being delayed, and whether it has arrived in the meantime."""

    is_held: bool = False
    is_pending: bool = False


_SIGTERM: Final = _Sigterm()


class JsonLines(logging.Formatter):
    """Log formatter that writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON, without a newline."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": QUERY.sub("?…", MAIL.sub("…@…", _message(record)))[:LONGEST],
            **{name: vars(record)[name] for name in FIELDS if name in vars(record)},
        }
        if record.exc_info and (error := record.exc_info[1]):
            line["error"] = trace(error)
        return json.dumps(line)


def configure_log(form: LogFormat, stream: TextIO | None = None) -> None:
    """Configure this process's log. For the format "text", the default configuration is left unchanged.

    Parameters
    ----------
    form : str
        Format of the log, "text" or "json".
    stream : text stream, optional
        Stream for the JSON lines. Defaults to stderr.
    """
    if form == "text":
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    handler.addFilter(lambda record: record.levelno >= logging.WARNING or _is_own_record(record))
    logging.getLogger().handlers = [handler]
    # If a message can't be formatted, logging prints its arguments by default. They may be secret.
    logging.raiseExceptions = False
    logging.getLogger(OURS).setLevel(logging.INFO)
    warnings.showwarning = _log_warning
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda crash: _log_uncaught(crash.exc_type, crash.exc_value, crash.exc_traceback)


def hide_details() -> None:
    """Omit error details from a plain-text log, because the command prints the error itself."""
    if logging.lastResort is not None:  # used if no other handler is configured
        logging.lastResort.addFilter(_is_no_detail)


def _is_no_detail(record: logging.LogRecord) -> bool:
    return not getattr(record, "is_of_error", False)


def is_json() -> bool:
    """Return True if this process logs JSON lines."""
    return any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers)


def exit_with_error(error: DataError) -> NoReturn:
    """Exit with a one-line message about a user or environment error.

    Raises
    ------
    SystemExit
        With code 1.
    """
    if is_json():
        LOG.error("%s", error)
    else:
        sys.stderr.write(f"presort: {error}\n")
    sys.exit(1)


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the conventional exit code for a program stopped by a signal, which is 128 plus the signal number.

    Examples
    --------
    >>> exit_code(KeyboardInterrupt()), exit_code(Termination())
    (130, 143)
    """
    return 128 + (signal.SIGTERM if isinstance(stopped, Termination) else signal.SIGINT)


@contextmanager
def raise_on_termination() -> Iterator[None]:
    """Make the first SIGTERM raise `Termination`. Ignore later ones, which would interrupt the clean-up."""
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def delay_termination() -> Iterator[None]:
    """Delay a SIGTERM until the end of the block, for steps whose result would be unknown after an interruption.

    This has an effect only within `raise_on_termination`, and only in the main thread, because Python handles signals
    in that thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _SIGTERM.is_held = True
    try:
        yield
    finally:
        _SIGTERM.is_held = False
        if _SIGTERM.is_pending:
            _SIGTERM.is_pending = False
            _raise(signal.SIGTERM, None)


def log_result(log: logging.Logger, title: str, state: str, **fields: object) -> None:
    """Log the result of one part of a command. Failures are logged as errors.

    Parameters
    ----------
    log : Logger
    title : str
        Title of the part, such as "Public pages".
    state : str
        State at the end of the part. The state "failed" is logged as an error.
    **fields
        Values for other `FIELDS` of the log line. None and empty strings are omitted.
    """
    level = logging.ERROR if state == "failed" else logging.INFO
    known = {name: value for name, value in fields.items() if value not in (None, "")}
    log.log(level, "%s: %s.", title, state, extra={"state": state, **known})


def reason_of(error: BaseException) -> str:
    """Return the class name of an error's original cause. Unlike the message, it is safe to log.

    Examples
    --------
    >>> try:
    ...     raise DataError("The mail server can't be reached.") from TimeoutError("ann@example.org")
    ... except DataError as error:
    ...     reason_of(error)
    'TimeoutError'
    """
    return type(causes(error)[-1]).__name__


def causes(error: BaseException) -> list[BaseException]:
    """Return an error and its chain of causes, ending with the original cause. The chain may contain a cycle."""
    found = [error]
    while (cause := found[-1].__cause__) is not None and all(cause is not one for one in found):
        found.append(cause)
    return found


def trace(error: BaseException) -> str:
    """Return an error's traceback and type without its message, preceded by the traceback and type of its cause.

    Examples
    --------
    >>> trace(KeyError("Ann Lee"))
    'KeyError'
    """
    return "\n".join(_trace(error, frozenset()))


def _trace(error: BaseException, effects: frozenset[int]) -> Iterator[str]:
    """Yield the lines of `trace`.

    `effects` contains the ids of the errors that this error caused. They are skipped, because causes may form a cycle.
    """
    effects |= {id(error)}
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    parts = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for one in (cause, *parts):
        if one is not None and id(one) not in effects:
            yield from _trace(one, effects)
    yield from (line.rstrip("\n") for line in format_tb(error.__traceback__))
    yield type(error).__qualname__


def _is_own_record(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] == OURS


def _message(record: logging.LogRecord) -> str:
    """Return a record's message.

    For a record from another package, returns only the first line and masks all arguments except numbers.
    """
    if _is_own_record(record):
        return record.getMessage()
    if not isinstance(record.msg, str):
        return type(record.msg).__name__
    message, args = record.msg.partition("\n")[0], record.args
    try:
        if isinstance(args, Mapping):
            return message % {name: _mask_text(one) for name, one in args.items()}
        return message % tuple(map(_mask_text, args)) if args else message
    except (TypeError, ValueError):
        return message


def _mask_text(one: object) -> object:
    return one if isinstance(one, int | float) else "…"


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    LOG.warning("%s at %s, line %d", category.__name__, filename, lineno)


def _log_uncaught(kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
    if error is not None and issubclass(kind, Exception):
        LOG.critical(UNCAUGHT, exc_info=(kind, error, where))
    elif not issubclass(kind, SystemExit):
        LOG.warning("Stopped by %s.", kind.__name__)


def _raise(_number: int, _frame: FrameType | None) -> None:
    if _SIGTERM.is_held:
        _SIGTERM.is_pending = True
        return
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Termination
