"""A job of the queue and its folder: ids, and values that stand there whole or not at all.

jobs/waiting/ID/job.json    what is to be done, and for whom; the files that it needs are in `files`
jobs/waiting/ID/begun.json  which worker does it, and the how many-th try that is
jobs/waiting/ID/cancelled   nobody wants it any more
jobs/ended/ID/ended.json    how it ended
jobs/number-N               the highest number that an id begins with
"""

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from presort.data.workspace.file_copy import sync
from presort.data.workspace.folder import PRIVATE_FILE

NUMBER = "number-"  # begins the name of the file that claims a number
Kind = Literal["import", "rank", "replay", "demo", "learn"]  # the most urgent first
State = Literal["done", "failed", "broken", "cancelled"]


@dataclass(frozen=True)
class Job:
    """Something that is to be done.

    Attributes
    ----------
    id : str
        Its number in the order in which jobs were queued, its kind, and a random part.
    kind : str
        One of `Kind`; empty if what was written of it can't be read.
    person : str
        Who asked for it.
    told : mapping
        The rest, as JSON holds it.
    """

    id: str
    kind: str
    person: str
    told: Mapping[str, Any]


@dataclass(frozen=True)
class End:
    """How a job ended: failed is it for something outside the program, broken by a bug."""

    state: State
    said: str = ""


def kind_of(job: str) -> str:
    """Return the kind of a job by its id; empty where it has none.

    Examples
    --------
    >>> kind_of("00000000000000000012-rank-8f3c"), kind_of("lost+found")
    ('rank', '')
    """
    kind = job.partition("-")[2].partition("-")[0]
    return kind if kind in get_args(Kind) else ""


def urgency(job: str) -> tuple[int, str]:
    """Return what sorts ids: the most urgent first, and of these the oldest."""
    kinds = get_args(Kind)
    kind = kind_of(job)
    return (kinds.index(kind) if kind else 0), job


def number_of(job: str) -> int:
    """Return the number of a job by its id; 0 if it has none.

    Examples
    --------
    >>> number_of("00000000000000000012-rank-8f3c"), number_of("lost+found")
    (12, 0)
    """
    number = job.partition("-")[0]
    return int(number) if number.isdecimal() and number.isascii() else 0


def claim_number(*places: Path) -> int:
    """Claim the number of a new job: higher than that of each job queued before, and no other process's.

    The number isn't a time: a clock that is set back would let a later job overtake an earlier one.

    Parameters
    ----------
    *places : Path
        Folders of jobs, which share a parent folder. The number is claimed by creating a file there.

    Raises
    ------
    OSError
        If the file can't be created.
    """
    folder = places[0].parent
    claimed = [path for path in folder.glob(f"{NUMBER}*") if path.name.removeprefix(NUMBER).isdecimal()]
    known = [number_of(job.name) for place in places for job in folders(place)]
    number = max([int(path.name.removeprefix(NUMBER)) for path in claimed] + known, default=0)
    while True:
        number += 1
        with suppress(FileExistsError):  # another process was first
            write_file(folder / f"{NUMBER}{number}", b"")
            break
    for path in claimed:  # only once a higher number is on the disk
        path.unlink(missing_ok=True)
    return number


def folders(place: Path) -> list[Path]:
    """Return the folders in a place; none where there is no such place."""
    try:
        return [one for one in place.iterdir() if one.is_dir()]
    except FileNotFoundError:
        return []


def write_job(
    unfinished: Path, place: Path, values: Mapping[str, Any], files: Sequence[tuple[str, bytes | memoryview]]
) -> None:
    """Write the folder of a job, there whole or not at all, and on the disk; values are by name."""
    unfinished.mkdir(mode=0o700)
    try:
        (unfinished / "files").mkdir(mode=0o700)
        for number, (title, content) in enumerate(files, start=1):
            folder = unfinished / "files" / str(number)
            folder.mkdir(mode=0o700)
            write_file(folder / title, content)
        for name, value in values.items():
            write_value(unfinished / f"{name}.json", value)
        unfinished.rename(place)
        sync(place.parent)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def read_job(place: Path) -> Job | None:
    """Read a job; None if it has gone meanwhile."""
    try:
        kept = json.loads((place / "job.json").read_text(encoding="utf-8"))
        return Job(place.name, kind_of(place.name), kept["person"], kept["told"])
    except FileNotFoundError:
        return None if not place.is_dir() else Job(place.name, "", "", {})
    except (ValueError, KeyError, TypeError):
        return Job(place.name, "", "", {})


def read_value(path: Path) -> Any:
    """Return what `write_value` wrote; None where nothing is, or it is damaged."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def write_value(path: Path, value: Any, *, is_first: bool = False) -> None:
    """Write a value as JSON, there whole or not at all, and on the disk.

    Raises
    ------
    FileExistsError
        If it is to be the first that stands there, and is not.
    """
    unfinished = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        write_file(unfinished, json.dumps(value).encode())
        if is_first:
            os.link(unfinished, path)
        else:
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_file(path: Path, content: bytes | memoryview) -> None:
    """Write a new file, for its owner alone; it is on the disk when this ends."""
    with open(path, "xb", opener=_private) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)
