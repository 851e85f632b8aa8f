"""Results of the latest mailing to readers and of the latest update of the public pages.

The *Overview* page and `presort doctor` show them.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from presort.data.catalogue import read_setting, setting, write_setting
from presort.data.store import Store

Work = Literal["mail", "pages"]
LONGEST = 1_000  # maximum number of characters stored for an error


@dataclass(frozen=True)
class LastRun:
    """Results of a task's latest runs.

    Attributes
    ----------
    succeeded_at : datetime or None
        End time of the latest run without errors. None if no run has succeeded.
    failed_at : datetime or None
        End time of the latest run if it failed. None if it succeeded.
    n_failures : int
        Number of failed runs since the latest run without errors.
    error : str
        Error message of the latest run. Empty if it succeeded.
    state : str
        String that changes when the public pages must be written again. Empty for mail.
    """

    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    n_failures: int = 0
    error: str = ""
    state: str = ""


def last_run(store: Store, work: Work) -> LastRun:
    """Return the results of the latest mailings (``"mail"``) or updates of the public pages (``"pages"``)."""
    return _parse(setting(store, _name(work)))


def record_success(store: Store, work: Work, *, state: str = "") -> None:
    """Record a run without errors."""
    with store.writing() as connection:
        write_setting(connection, _name(work), _serialise(LastRun(datetime.now(UTC), state=state)))


def record_failure(store: Store, work: Work, error: str) -> None:
    """Record a failed run. `error` must not contain readers' addresses, because it is kept if a reader is erased."""
    with store.writing() as connection:
        known = _parse(read_setting(connection, _name(work)))
        failed = LastRun(known.succeeded_at, datetime.now(UTC), known.n_failures + 1, error[:LONGEST], known.state)
        write_setting(connection, _name(work), _serialise(failed))


def _name(work: Work) -> str:
    return f"last-{work}-run"


def _serialise(run: LastRun) -> str:
    return json.dumps(asdict(run), default=str)


def _parse(text: str | None) -> LastRun:
    """Parse a stored result. Return an empty result if it can't be parsed, for example after a downgrade."""
    with suppress(ValueError, TypeError, KeyError):
        values: dict[str, Any] = json.loads(text or "")
        times = {name: datetime.fromisoformat(values[name]) for name in ("succeeded_at", "failed_at") if values[name]}
        return LastRun(**(values | {"succeeded_at": None, "failed_at": None} | times))
    return LastRun()
