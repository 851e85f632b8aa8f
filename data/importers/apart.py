"""Files of strangers, read in a process of its own: what fills the memory, or never ends, is that process alone.

The process is started as a module, gets its job as a line of JSON on its standard input, and answers with lines of
JSON. To start it takes a second, most of it to load libraries, so one may be started ahead, by `prepare`.
"""

import json
import os
import resource
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final

from presort.data.errors import UnreadableFileError
from presort.data.importers import read_listings
from presort.data.importers.choices import NOTHING_SAID, Choices
from presort.data.importers.preview import ColumnMapping, preview
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.records import ListedPaper, Origin, Paper
from presort.data.workspace.scratch import scratch_folder

MOST_MEMORY = 2 * 1024**3  # bytes; 75,000 papers take a tenth
MOST_SECONDS = 300  # of computing; 75,000 papers take 15
MOST_IDLE = 600  # seconds that a process started ahead waits
NO_MEMORY = 70  # exit code
THRIFTY = {  # what many cores and a pool of memory would reserve without need
    **{"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
TOO_MUCH = "can't be read here: it needs more than {} MB of memory, or {} seconds. Import it in parts"
PAPER = tuple(field.name for field in fields(Paper))
PLACE = ("row", "column", "line", "name", "untold")
LISTED = tuple(field.name for field in fields(ListedPaper) if field.name not in ("paper", "issue", "origin"))


Answer = tuple[str, Any]  # kind, and what JSON holds
Read = Callable[..., Iterator[ListedPaper]]


def read_listings_apart(
    path: Path, choices: Choices = NOTHING_SAID, *, problems: Problems = STRICT
) -> Iterator[ListedPaper]:
    """Yield the papers of a file as `read_listings` does; the process that reads it ends when this does.

    Raises
    ------
    UnreadableFileError
        Also if reading it takes too much memory or time.
    WorkspaceError
        If the temporary folder can't be written to.
    """
    with _answers(path, "papers", choices) as answers:
        yield from _listings(answers, problems)


def recording(read: Read, answers: list[Answer]) -> Read:
    """Return a function that reads a file by another one, and adds all that comes to a list, as JSON can hold it."""

    def read_and_record(path: Path, choices: Choices, *, problems: Problems) -> Iterator[ListedPaper]:
        def skip(error: UnreadableFileError) -> None:
            answers.append(("wrong", _told_error(error)))
            problems.skip(error)

        def repair(one: Repair) -> None:
            answers.append(("repair", asdict(one)))
            problems.repair(one)

        for listed in read(path, choices, problems=Problems(skip, repair)):
            answers.append(("listed", _told_listed(listed)))
            yield listed

    return read_and_record


def replaying(answers: Iterable[Answer]) -> Read:
    """Return a function that yields what `recording` added to a list, instead of reading the file again."""
    return lambda _path, _choices, *, problems: _listings(answers, problems)


def _listings(answers: Iterable[Answer], problems: Problems) -> Iterator[ListedPaper]:
    for kind, told in answers:
        if kind == "wrong":
            problems.skip(_error_of(told))
        elif kind == "repair":
            problems.repair(Repair(**told))
        else:
            yield _listed_of(told)


def preview_apart(path: Path) -> ColumnMapping:
    """Show how the columns of a table would be taken, as `preview` does."""
    with _answers(path, "preview", NOTHING_SAID) as answers:
        for kind, told in answers:
            if kind == "wrong":
                raise _error_of(told)
            return ColumnMapping(
                tuple(told["columns"]),
                told["fields"],
                told["problem"],
                tuple(map(tuple, told["rows"])),
                told["like_issues"],
            )
    raise RuntimeError("nothing was told of the table")


@contextmanager
def _answers(path: Path, what: str, choices: Choices) -> Iterator[Iterator[tuple[str, Any]]]:
    """Start the process, give what it answers, and end it."""
    with scratch_folder() as folder:
        limits = (MOST_MEMORY, MOST_SECONDS)
        choices_ = _plain(choices)
        job = {"what": what, "path": str(path), "choices": choices_, "limits": limits, "folder": str(folder)}
        reader = _begun(json.dumps(job).encode() + b"\n")
        try:
            yield _lines(path, reader.process, reader.complaints)
        finally:
            reader.end()


class _Reader:
    """A process that reads one file, and where it writes its complaints."""

    def __init__(self) -> None:
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115  `end` closes it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "presort.data.importers.apart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            env={**os.environ, **THRIFTY},
        )

    def begin(self, job: bytes) -> bool:
        """Send the process its job and return whether it still runs to take it."""
        with suppress(BrokenPipeError):
            if self.process.poll() is None and self.process.stdin is not None:
                self.process.stdin.write(job)
                self.process.stdin.flush()
                return True
        self.end()
        return False

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.complaints.close()


_SPARE: Final[list[_Reader]] = []  # started ahead, at most one
_LOCK: Final = Lock()


def prepare() -> None:
    """Start a process for the next file ahead, unless one waits."""
    with _LOCK:
        if not _SPARE or _SPARE[0].process.poll() is not None:
            _SPARE[:] = [_Reader()]


def _begun(job: bytes) -> _Reader:
    """Return a process that reads, one that was started ahead if it still waits."""
    with _LOCK:
        spare = _SPARE.pop() if _SPARE else None
    if spare and spare.begin(job):
        return spare
    reader = _Reader()
    reader.begin(job)
    return reader


def _lines(path: Path, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> Iterator[tuple[str, Any]]:
    """Yield what the process answers; say why, if it ends before it has said all."""
    for line in process.stdout or ():
        kind, told = json.loads(line)
        if kind == "end":
            return
        yield kind, told
    code = process.wait()
    if code == NO_MEMORY or code < 0:  # by a signal: of the time limit, or of C++ that got no memory
        raise UnreadableFileError(path, TOO_MUCH.format(MOST_MEMORY // 1024**2, MOST_SECONDS))
    complaints.seek(0)
    raise RuntimeError(f"reading ended with {code}\n{complaints.read().decode(errors='replace')}")


def _plain(choices: Choices) -> dict[str, Any]:
    day = choices.issue.isoformat() if choices.issue else None
    return {"issue": day, "selected_by": choices.selected_by, "columns": dict(choices.columns)}


def _error_of(told: Mapping[str, Any]) -> UnreadableFileError:
    return UnreadableFileError(Path(told["path"]), told["reason"], **{name: told[name] for name in PLACE})


def _listed_of(told: Mapping[str, Any]) -> ListedPaper:
    paper = Paper(**{name: _frozen(told["paper"][name]) for name in PAPER})
    origin = Origin(*told["origin"]) if told["origin"] else None
    rest = {name: _frozen(told[name]) for name in LISTED}
    return ListedPaper(paper=paper, issue=date.fromisoformat(told["issue"]), origin=origin, **rest)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _main() -> None:
    """Read what the first line of the standard input says, within its limits; end if none comes for a while."""
    waits_for, _, _ = select.select([sys.stdin], [], [], MOST_IDLE)
    line = sys.stdin.readline() if waits_for else ""
    if not line:
        return
    job = json.loads(line)
    tempfile.tempdir = os.environ["TMPDIR"] = job["folder"]
    memory, seconds = job["limits"]
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    path = Path(job["path"])
    try:
        if job["what"] == "preview":
            _tell_preview(path)
        else:
            day = job["choices"]["issue"]
            choices = Choices(
                date.fromisoformat(day) if day else None,
                tuple(job["choices"]["selected_by"]),
                job["choices"]["columns"],
            )
            for listed in read_listings(path, choices, problems=Problems(_tell_wrong, _tell_repair)):
                _tell_listed(listed)
    except MemoryError:
        os._exit(NO_MEMORY)  # at once: whatever would still be done needs memory
    except UnreadableFileError as error:  # of the path as a whole
        _tell_wrong(error)
    _tell("end", None)
    sys.stdout.flush()


def _tell_preview(path: Path) -> None:
    found = preview(path)
    _tell("preview", {**asdict(found), "fields": dict(found.fields), "like_issues": dict(found.like_issues)})


def _tell_wrong(error: UnreadableFileError) -> None:
    _tell("wrong", _told_error(error))


def _told_error(error: UnreadableFileError) -> dict[str, Any]:
    return {"path": str(error.path), "reason": error.reason, **{name: getattr(error, name) for name in PLACE}}


def _tell_repair(repair: Repair) -> None:
    _tell("repair", asdict(repair))


def _tell_listed(listed: ListedPaper) -> None:
    _tell("listed", _told_listed(listed))


def _told_listed(listed: ListedPaper) -> dict[str, Any]:
    origin = [listed.origin.file, listed.origin.row] if listed.origin else None
    told = {name: getattr(listed, name) for name in LISTED}
    paper = {name: getattr(listed.paper, name) for name in PAPER}
    return {**told, "paper": paper, "issue": listed.issue.isoformat(), "origin": origin}


def _tell(kind: str, told: object) -> None:
    sys.stdout.write(json.dumps((kind, told)))
    sys.stdout.write("\n")


if __name__ == "__main__":
    _main()
