"""Models as files: arrays under a header of plain text, never anything that runs when it is read.

A model can always be trained again. So a file that can't be read or written is a warning, not an error.
"""

import json
import logging
import os
import re
import stat
import tokenize
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from presort.data.errors import DataError, RefusedError, UnreadableFileError, WorkspaceError
from presort.data.learning.array_file import ArrayFile, Holding, on_disk, opened_arrays, write_arrays
from presort.data.records import Model
from presort.data.store import Store
from presort.data.workspace.folder import wait_for_lock

LOG = logging.getLogger(__name__)
FOLDER = "models"  # in the workspace
NOT_USED = "The stored model can't be used, so the ranker is trained from scratch: {}"
NOT_KEPT = "The trained model could not be stored, so the next ranking trains it again: {}"

PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
HEADER = "header"
ARRAY = "array "  # before the name of an array, which may be any
KINDS = {"ranker": str, "layout": int, "settings": dict, "trained_before": str, "trained_on": dict, "arrays": list}

# What NumPy and zipfile raise on a file that is not what `keep_model` wrote.
DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    MemoryError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
)


@dataclass(frozen=True)
class FileModelStore:
    """A `ModelStore` of the rankers, whose models are files.

    Attributes
    ----------
    path : Path
        The folder; it need not exist.
    warn : callable
        Receives a message for a person if a file can't be used or written.
    held : callable
        Storage of a model's arrays, as in `load_model`.
    """

    path: Path
    warn: Callable[[str], object] = LOG.warning
    held: Holding = on_disk

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the stored model; None if there is none, or it is damaged or was made by another version."""
        for path in find_models(self.path, ranker):
            if path.stem.endswith(str(trained_before)):
                try:
                    return load_model(path, ranker=ranker, layout=layout, settings=settings, held=self.held)
                except DataError as error:
                    self.warn(NOT_USED.format(error))
        return None

    def refuse(self, model: Model, fault: str) -> None:
        """Report a model whose arrays are invalid."""
        self.warn(NOT_USED.format(f"{self.path.name}/{model.ranker}-{model.trained_before}.npz {fault}."))

    def keep(self, model: Model) -> None:
        """Write a model, and delete those that are of no more use."""
        try:
            keep_model(self.path, model)
        except WorkspaceError as error:
            self.warn(NOT_KEPT.format(error))


def model_store(
    store: Store, warn: Callable[[str], object] = LOG.warning, *, held: Holding = on_disk
) -> FileModelStore:
    """Return the models of a workspace.

    Parameters
    ----------
    held : callable
        `in_memory` for the desk, which keeps a model for an hour and must survive changes of the file.
    """
    return FileModelStore(store.folder / FOLDER, warn, held)


def keep_model(folder: Path, model: Model, *, kept: int = 2) -> Path:
    """Write a model into a folder, there at once or not at all, and remove the ranker's others that are of no more use.

    Parameters
    ----------
    folder : Path
        Made if there is none.
    model : Model
        One of the same ranker and date is replaced.
    kept : int
        Models of this ranker that stay, from 1, newest `trained_before` first; the one just written always stays, and
        one that is damaged, or of another layout or other settings, never does.

    Raises
    ------
    WorkspaceError
        If the folder can't be written to, or the disk is full; what was there before is there still.
    """
    _check_name(model.ranker)
    if kept < 1:
        raise ValueError(f"kept must be at least 1, got {kept}")
    path = folder / f"{model.ranker}-{model.trained_before}.npz"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            _write(path, model)
            others = [other for other in find_models(folder, model.ranker) if other != path]
            of_use = [other for other in others if _is_of_same_making(other, model)]
            for other in {*others} - {*sorted([*of_use, path], reverse=True)[:kept]}:
                other.unlink()
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror or error}.") from error
    return path


def find_models(folder: Path, ranker: str) -> list[Path]:
    """Return the files of a ranker's models, newest `trained_before` first; none if there is no such folder."""
    _check_name(ranker)
    return sorted((path for path in folder.glob(f"{ranker}-{DAY}.npz") if not path.is_dir()), reverse=True)


def load_model(path: Path, *, ranker: str, layout: int, settings: Mapping[str, Any], held: Holding = on_disk) -> Model:
    """Read a model that was made by this very recipe.

    Parameters
    ----------
    held : callable
        `array_file.on_disk`, or `in_memory` for who must not fall when the file is written over.

    Raises
    ------
    UnreadableFileError
        If the file can't be read, or is not what `keep_model` wrote.
    RefusedError
        If another ranker made it, or it has another layout or was made with other settings.
    """
    try:
        with _opened(path, held) as (archive, header):
            reason = _difference(header, ranker, layout, settings)
            if not reason:
                return _read(archive, header)
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
    except DAMAGED as error:
        raise UnreadableFileError(path, "is damaged, or no model of Presort") from error
    raise RefusedError(f"{Path(path.parent.name, path.name)} {reason}.")


def _check_name(ranker: str) -> None:
    if not PLAIN_NAME.fullmatch(ranker):
        raise ValueError(f"ranker must be a plain name that a file name can contain, got {ranker!r}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time write, so that the next one overwrites a file that a killed one left half-written."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, model: Model) -> None:
    header = {
        "ranker": model.ranker,
        "layout": model.layout,
        "settings": model.settings,
        "trained_before": str(model.trained_before),
        "trained_on": model.trained_on,
        "arrays": list(model.arrays),
    }
    text = np.array(json.dumps(header, allow_nan=False).encode())
    arrays = {ARRAY + name: array for name, array in model.arrays.items()}
    unfinished = path.parent / "unfinished"
    try:
        with unfinished.open("wb") as file:
            write_arrays(file, {HEADER: text, **arrays})
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def _opened(path: Path, held: Holding = on_disk) -> Iterator[tuple[ArrayFile, dict[str, Any]]]:
    """Open a file as arrays, and read its header; raise one of `DAMAGED` if it is none."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("is no file")  # a pipe would be waited for
    with path.open("rb") as file, opened_arrays(file, held) as arrays:
        header = json.loads(arrays[HEADER].tobytes())
        if not all(isinstance(header[name], kind) for name, kind in KINDS.items()):
            raise ValueError("has a header of another kind")
        yield arrays, header


def _read(found: ArrayFile, header: Mapping[str, Any]) -> Model:
    arrays = {name: found[ARRAY + name] for name in header["arrays"]}
    return Model(
        ranker=header["ranker"],
        layout=header["layout"],
        settings=header["settings"],
        trained_before=date.fromisoformat(header["trained_before"]),
        trained_on=header["trained_on"],
        arrays=arrays,
    )


def _is_of_same_making(path: Path, model: Model) -> bool:
    try:
        with _opened(path) as (_, header):
            return not _difference(header, model.ranker, model.layout, model.settings)
    except (OSError, *DAMAGED):
        return False


def _difference(header: Mapping[str, Any], ranker: str, layout: int, settings: Mapping[str, Any]) -> str:
    """Describe how a stored model differs from the requested one. Empty if it doesn't."""
    ours = json.loads(json.dumps(settings))  # as a file gives them back: lists for tuples
    theirs = header["settings"]
    others = [name for name in sorted({*ours, *theirs}) if ours.get(name, ...) != theirs.get(name, ...)]
    if header["ranker"] != ranker:
        return f"was made by {header['ranker']}, not {ranker}"
    if header["layout"] != layout:
        return f"has layout {header['layout']} of {ranker}, and layout {layout} is needed"
    return f"was made with other settings of {ranker}: {', '.join(others)}" if others else ""
