"""Archives, zip and tar.gz, as folders: taken apart into a temporary place, within limits."""

import errno
import gzip
import io
import mmap
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.workspace.scratch import scratch_folder

ENDINGS = (".zip", ".tar.gz", ".tgz")
NESTED = (*ENDINGS, ".tar", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")

MOST_BYTES = 2 * 1024**3  # of all that is in an archive
MOST_MEMBERS = 100_000
MOST_RATIO = 200  # of unpacked to packed, beyond the first bytes
FREE_OF_RATIO = 10_000_000
LONGEST_NAME = 200  # bytes of a file's name; most systems take 255
LARGEST_HEADER = 1_000_000  # bytes of what a tar says about a member before it

IN_ZIP = re.compile(rb"PK\x01\x02")  # begins each line of a zip's list of members
SPARSE = "holds a file with holes, {}; pack it without --sparse"
DRIVE = re.compile(r"[A-Za-z]:")
ENCRYPTED = 0x1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
EXTENDED = frozenset({tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, b"L", b"K"})
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError),
    *(ValueError, struct.error, NotImplementedError),  # of names, numbers and methods that are none
)


class Member(NamedTuple):
    """File of an archive: its name with its folders in the archive, and the path of the unpacked file."""

    name: str
    path: Path


class BadArchiveError(ValueError):
    """An archive, or one member of it, can't be taken; the path is added above."""


def is_archive(path: Path) -> bool:
    """Return whether, by its ending, a file is an archive that can be opened.

    Examples
    --------
    >>> is_archive(Path("papers.TAR.GZ")), is_archive(Path("papers.csv"))
    (True, False)
    """
    return path.name.lower().endswith(ENDINGS)


def in_unicode(name: str) -> str:
    r"""Replace what can't be kept of a file's name that is not in UTF-8, as old ones are.

    Examples
    --------
    >>> in_unicode("papers.rdf"), in_unicode("caf\udce9.rdf")
    ('papers.rdf', 'caf�.rdf')
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def opened(path: Path, *, problems: Problems = STRICT) -> Iterator[list[Member]]:
    """Unpack an archive and give its files, sorted by name; when left nothing of it stays.

    Hidden files, and those of hidden folders or of ``__MACOSX``, are passed over.

    Parameters
    ----------
    path : Path
        A file for which `is_archive` holds.
    problems : Problems
        Receives each archive within the archive, which is left out.

    Raises
    ------
    UnreadableFileError
        If the archive is missing, damaged, encrypted, too large, or holds no file; if a member's name climbs out of it,
        or a member is a link or a device.
    """
    with scratch_folder() as folder:
        members = _unpacked(path, folder, problems)
        if not members:
            raise UnreadableFileError(path, "holds no file to import")
        yield members


def check_zip(path: Path, *, most_bytes: int) -> None:
    """Refuse a crafted zip, or a format based on it such as XLSX, without unpacking it.

    Raises
    ------
    BadArchiveError
        If it is encrypted, has too many members, or would be too large.
    BadZipFile
        If it is damaged.
    """
    with path.open("rb") as file:
        _check_length(file)
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
    if any(info.flag_bits & ENCRYPTED for info in infos):
        raise BadArchiveError("is encrypted; unpack it with its password first")
    if any(info.compress_type not in METHODS for info in infos):  # others take what memory they ask for
        raise BadArchiveError("is packed in an unusual way; pack it as a usual zip")
    _check_size(sum(info.file_size for info in infos), path.stat().st_size, most_bytes)


def _unpacked(path: Path, folder: Path, problems: Problems) -> list[Member]:
    unpack = _unpack_zip if path.suffix.lower() == ".zip" else _unpack_tar
    members = []
    try:
        for member in unpack(path, folder):
            if not member.name.lower().endswith(NESTED):
                members.append(member)
            else:
                problems.skip(UnreadableFileError(path, f"holds another archive, {member.name}; unpack that one first"))
    except BadArchiveError as error:
        raise UnreadableFileError(path, str(error)) from error
    except DAMAGE as error:
        raise UnreadableFileError(path, f"is damaged, or no archive: {error}") from error
    except OSError as error:
        where = f" into {folder.parent}" if error.errno == errno.ENOSPC else ""
        raise UnreadableFileError(path, f"can't be unpacked{where}: {error.strerror or error}") from error
    return sorted(members)


def _unpack_zip(path: Path, folder: Path) -> Iterator[Member]:
    check_zip(path, most_bytes=MOST_BYTES)
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise BadArchiveError(f"holds a link or a device, {info.filename}")
            name = _safe_name(info.filename)
            if info.is_dir() or _is_hidden(name):
                continue
            try:
                with archive.open(info) as source:
                    yield _copied(source, folder, number, name)
            except DAMAGE as error:
                raise BadArchiveError(f"can't be unpacked at {name}: {error}") from error


def _unpack_tar(path: Path, folder: Path) -> Iterator[Member]:
    with gzip.open(path) as unzipped:
        counted = _Counted(unzipped, path.stat().st_size)
        with tarfile.open(fileobj=counted, mode="r|", tarinfo=_TarInfo, bufsize=64 * 1024) as archive:
            for number, info in enumerate(archive):
                if number >= MOST_MEMBERS:
                    raise BadArchiveError(f"holds more than {MOST_MEMBERS:,} files")
                if not (info.isreg() or info.isdir()) or info.issparse():
                    raise BadArchiveError(f"holds a link or a device, {info.name}")
                name = _safe_name(info.name)
                source = None if info.isdir() or _is_hidden(name) else archive.extractfile(info)
                if source is not None:
                    yield _copied(source, folder, number, name)


def _copied(source: IO[bytes], folder: Path, number: int, name: str) -> Member:
    """Copy a member into its own folder, so that its name can't collide with another."""
    path = folder / str(number) / PurePosixPath(name).name
    path.parent.mkdir()
    with path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return Member(name, path)


def _safe_name(name: str) -> str:
    """Return the name with folders as ``/`` separates them; raise if it leads anywhere else than below."""
    plain = in_unicode(name).replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if plain.startswith("/") or DRIVE.match(plain) or ".." in parts:
        raise BadArchiveError(f"holds a name that leads out of it, {name}")
    if "\0" in plain or (parts and len(parts[-1].encode()) > LONGEST_NAME):
        raise BadArchiveError(f"holds a name that no file can have, {name[:40]}…")
    return "/".join(parts)


def _is_hidden(name: str) -> bool:
    return not name or any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def _check_length(file: IO[bytes]) -> None:
    """Count the members before the list of them is read: one of many millions would fill the memory."""
    try:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            n_members = sum(1 for _ in islice(IN_ZIP.finditer(content), MOST_MEMBERS + 1))
    except ValueError as error:  # an empty file can't be mapped
        raise BadArchiveError("is empty") from error
    if n_members > MOST_MEMBERS:
        raise BadArchiveError(f"holds more than {MOST_MEMBERS:,} files")


def _check_size(n_bytes: int, n_packed: int, most_bytes: int) -> None:
    if n_bytes > most_bytes:
        raise BadArchiveError(f"would be larger than {most_bytes / 1024**3:g} GiB unpacked; import it in parts")
    if n_bytes > FREE_OF_RATIO and n_bytes > MOST_RATIO * n_packed:
        raise BadArchiveError(f"would be more than {MOST_RATIO} times as large unpacked; import the files in it")


class _Counted(io.RawIOBase):
    """Decompressed stream that raises an error when it exceeds the size limit."""

    def __init__(self, source: gzip.GzipFile, n_packed: int) -> None:
        self._source, self._n_packed, self._n_read = source, n_packed, 0

    def read(self, size: int = -1) -> bytes:
        content = self._source.read(size)
        self._n_read += len(content)
        _check_size(self._n_read, self._n_packed, MOST_BYTES)
        return content


class _TarInfo(tarfile.TarInfo):
    """A member's header, stricter than tarfile, which ends at a damaged one and takes a huge one into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_TarInfo":
        try:
            info = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):  # noughts are the end; tarfile takes damage for it too
                raise
            raise BadArchiveError(f"is damaged, or cut off: {error}") from error
        if info.type in EXTENDED and info.size > LARGEST_HEADER:
            raise BadArchiveError("is damaged: a header of a file in it is too large")
        if info.type == tarfile.GNUTYPE_SPARSE:
            raise BadArchiveError(SPARSE.format(info.name))
        return info

    def _proc_gnusparse_10(self, following: tarfile.TarInfo, *_: object) -> None:
        """Refuse a list of holes in place of a file's content: tarfile would read all of it into memory."""
        raise BadArchiveError(SPARSE.format(following.name))
