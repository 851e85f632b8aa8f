"""Store trained models in files that contain a JSON header and arrays. Loading a file never executes code.

If a file can't be read or written, the user gets a warning instead of an error, because the model can be trained again.
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
from presort.data.learning.array_file import ArrayAccess, ArrayFile, map_file, open_arrays, write_arrays
from presort.data.records import Model
from presort.data.store import Store
from presort.data.workspace.folder import wait_for_lock

LOG = logging.getLogger(__name__)
FOLDER = "models"  # workspace subfolder
NOT_USED = "The ranker is trained from scratch, because the stored model can't be used: {}"
NOT_STORED = "The next ranking will train the model again, because the trained model can't be stored: {}"

PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
HEADER = "header"
ARRAY = "array "  # prefix of array names in the file, so that no array can have the name of the header
KINDS = {"ranker": str, "layout": int, "settings": dict, "trained_before": str, "trained_on": dict, "arrays": list}

# Exceptions raised by NumPy and zipfile if a file is damaged or was not written by `keep_model`.
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
    """Implementation of the rankers' `ModelStore` that stores models in files.

    Attributes
    ----------
    path : Path
        Folder for the files. It is created when the first model is stored.
    warn : callable
        Called with a message for the user if a file is unusable or can't be written.
    access : callable
        How to access the arrays, see `load_model`.
    """

    path: Path
    warn: Callable[[str], object] = LOG.warning
    access: ArrayAccess = map_file

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the stored model. Returns None if there is none, or if it is damaged or from another version."""
        for path in find_models(self.path, ranker):
            if path.stem.endswith(str(trained_before)):
                try:
                    return load_model(path, ranker=ranker, layout=layout, settings=settings, access=self.access)
                except DataError as error:
                    self.warn(NOT_USED.format(error))
        return None

    def refuse(self, model: Model, fault: str) -> None:
        """Warn about a model with invalid arrays."""
        self.warn(NOT_USED.format(f"{self.path.name}/{model.ranker}-{model.trained_before}.npz {fault}."))

    def keep(self, model: Model) -> None:
        """Store a model and delete outdated models."""
        try:
            keep_model(self.path, model)
        except WorkspaceError as error:
            self.warn(NOT_STORED.format(error))


def model_store(
    store: Store, warn: Callable[[str], object] = LOG.warning, *, access: ArrayAccess = map_file
) -> FileModelStore:
    """Return the model store of a workspace.

    Parameters
    ----------
    access : callable
        How to access the arrays. The desk uses `copy_file`, because it caches models for an hour and the file may
        change in that time.
    """
    return FileModelStore(store.folder / FOLDER, warn, access)


def keep_model(folder: Path, model: Model, *, n_kept: int = 2) -> Path:
    """Write a model atomically to a folder and delete the ranker's outdated models.

    Parameters
    ----------
    folder : Path
        Folder for the models. It is created if it does not exist.
    model : Model
        Model to store. It replaces a stored model by the same ranker with the same `trained_before`.
    n_kept : int
        Number of this ranker's models to keep, at least 1. The models with the newest `trained_before` are kept.
        Models that were trained early are kept only if there are fewer other models: several early models may be stored
        within a few weeks, and ranking older issues requires an older model. In addition, the new model and the newest
        model are always kept. Models that are damaged, or that have another layout or other settings, are
        always deleted.

    Raises
    ------
    WorkspaceError
        If the folder is not writable or the disk is full. Existing files are not changed.
    """
    _check_name(model.ranker)
    if n_kept < 1:
        raise ValueError(f"n_kept must be at least 1, got {n_kept}")
    path = folder / f"{model.ranker}-{model.trained_before}.npz"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _hold_lock(folder):
            _write(path, model)
            stored = find_models(folder, model.ranker)
            headers = {other: header for other in stored if (header := _compatible_header(other, model)) is not None}
            by_need = sorted(headers, key=lambda other: bool(headers[other]["trained_on"].get("early")))
            kept = {path, *[*headers][:1], *by_need[:n_kept]}
            for superseded in {*stored} - kept:
                superseded.unlink()
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror or error}.") from error
    return path


def find_models(folder: Path, ranker: str) -> list[Path]:
    """Return a ranker's model files, newest `trained_before` first. Returns no files if the folder doesn't exist."""
    _check_name(ranker)
    return sorted((path for path in folder.glob(f"{ranker}-{DAY}.npz") if not path.is_dir()), reverse=True)


def load_model(
    path: Path, *, ranker: str, layout: int, settings: Mapping[str, Any], access: ArrayAccess = map_file
) -> Model:
    """Read a model and check that it matches the ranker, layout and settings.

    Parameters
    ----------
    access : callable
        `array_file.map_file` to memory-map the file, or `copy_file` if the process must survive the file being
        overwritten.

    Raises
    ------
    UnreadableFileError
        If the file can't be read, is damaged, or was not written by `keep_model`.
    RefusedError
        If the model belongs to another ranker, or has another layout or other settings.
    """
    try:
        with _open_model(path, access) as (archive, header):
            reason = _difference(header, ranker, layout, settings)
            if not reason:
                return _read_model(archive, header)
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
    except DAMAGED as error:
        raise UnreadableFileError(path, "is damaged or not a Presort model") from error
    raise RefusedError(f"{Path(path.parent.name, path.name)} {reason}.")


def _check_name(ranker: str) -> None:
    if not PLAIN_NAME.fullmatch(ranker):
        raise ValueError(f"ranker must be a plain name that can be used in a file name, got {ranker!r}")


@contextmanager
def _hold_lock(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder, because all processes that write models use the same temporary file."""
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
def _open_model(path: Path, access: ArrayAccess = map_file) -> Iterator[tuple[ArrayFile, dict[str, Any]]]:
    """Open a model file and read its header. Raises one of `DAMAGED` if the file is invalid."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("is not a regular file")  # opening a pipe would block
    with path.open("rb") as file, open_arrays(file, access) as arrays:
        header = json.loads(arrays[HEADER].tobytes())
        if not all(isinstance(header[name], kind) for name, kind in KINDS.items()):
            raise ValueError("has an invalid header")
        yield arrays, header


def _read_model(found: ArrayFile, header: Mapping[str, Any]) -> Model:
    arrays = {name: found[ARRAY + name] for name in header["arrays"]}
    return Model(
        ranker=header["ranker"],
        layout=header["layout"],
        settings=header["settings"],
        trained_before=date.fromisoformat(header["trained_before"]),
        trained_on=header["trained_on"],
        arrays=arrays,
    )


def _compatible_header(path: Path, model: Model) -> dict[str, Any] | None:
    """Return the header of a stored model. Returns None if it is damaged or has another layout or other settings."""
    try:
        with _open_model(path) as (_, header):
            return None if _difference(header, model.ranker, model.layout, model.settings) else header
    except (OSError, *DAMAGED):
        return None


def _difference(header: Mapping[str, Any], ranker: str, layout: int, settings: Mapping[str, Any]) -> str:
    """Describe how a stored model differs from the requested model. Returns an empty string if it doesn't differ."""
    ours = json.loads(json.dumps(settings))  # JSON round trip: converts tuples to lists, as in the file
    theirs = header["settings"]
    others = [name for name in sorted({*ours, *theirs}) if ours.get(name, ...) != theirs.get(name, ...)]
    if header["ranker"] != ranker:
        return f"belongs to {header['ranker']}, not {ranker}"
    if header["layout"] != layout:
        return f"has layout {header['layout']} of {ranker}, but layout {layout} is required"
    return f"has other settings for {ranker}: {', '.join(others)}" if others else ""
