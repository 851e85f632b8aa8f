"""Unpack zip and tar.gz archives safely into a temporary folder, limiting the total size and the number of files."""

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

MOST_BYTES = 2 * 1024**3  # maximum total size of the unpacked files in bytes
MOST_MEMBERS = 100_000
MOST_RATIO = 200  # maximum ratio of unpacked size to packed size
FREE_OF_RATIO = 10_000_000  # unpacked size in bytes up to which MOST_RATIO is not checked
LONGEST_NAME = 200  # maximum length of a file name in bytes; most systems allow 255
LARGEST_HEADER = 1_000_000  # maximum size in bytes of a member's extended header in a tar file

IN_ZIP = re.compile(rb"PK\x01\x02")  # signature of an entry in a zip file's central directory
SPARSE = "contains a sparse file, {}. Pack it without --sparse"
DRIVE = re.compile(r"[A-Za-z]:")
ENCRYPTED = 0x1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
EXTENDED = frozenset({tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, b"L", b"K"})
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError),
    *(ValueError, struct.error, NotImplementedError),  # raised for invalid names, numbers and compression methods
)


class Member(NamedTuple):
    """File in an archive. `name` includes the folders within the archive, and `path` locates the unpacked file."""

    name: str
    path: Path


class BadArchiveError(ValueError):
    """An archive or one of its members must be rejected. The caller adds the archive's path to the message."""


def is_archive(path: Path) -> bool:
    """Return True if a file name has the extension of a supported archive format.

    Examples
    --------
    >>> is_archive(Path("papers.TAR.GZ")), is_archive(Path("papers.csv"))
    (True, False)
    """
    return path.name.lower().endswith(ENDINGS)


def replace_invalid_bytes(name: str) -> str:
    r"""Replace the bytes in a file name that are not UTF-8, which occur in old archives.

    Examples
    --------
    >>> replace_invalid_bytes("papers.rdf"), replace_invalid_bytes("caf\udce9.rdf")
    ('papers.rdf', 'caf�.rdf')
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def unpack_archive(path: Path, *, problems: Problems = STRICT) -> Iterator[list[Member]]:
    """Unpack an archive and yield its files, sorted by name. The unpacked files are deleted when the context ends.

    Hidden files, hidden folders and ``__MACOSX`` are skipped.

    Parameters
    ----------
    path : Path
        Archive for which `is_archive` returned True.
    problems : Problems
        Receives an error for each nested archive. Nested archives are not unpacked.

    Raises
    ------
    UnreadableFileError
        If the archive is missing, damaged, encrypted or too large, or contains no files. Also if a member's path leads
        out of the archive, or a member is a link or a device.
    """
    with scratch_folder() as folder:
        members = _unpack(path, folder, problems)
        if not members:
            raise UnreadableFileError(path, "contains no files to import")
        yield members


def check_zip(path: Path, *, max_bytes: int) -> None:
    """Check a zip file, or a zip-based file such as XLSX, without unpacking it, because the file may be malicious.

    Parameters
    ----------
    path : Path
    max_bytes : int
        Maximum total size of the unpacked files in bytes.

    Raises
    ------
    BadArchiveError
        If the file is empty, encrypted or too large, uses an unsupported compression method, or has too many members.
    BadZipFile
        If the file is damaged.
    """
    with path.open("rb") as file:
        _check_length(file)
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
    if any(info.flag_bits & ENCRYPTED for info in infos):
        raise BadArchiveError("the archive is encrypted. Unpack it with its password first")
    if any(info.compress_type not in METHODS for info in infos):  # the memory use of other methods can't be limited
        raise BadArchiveError("uses an unsupported compression method. Create it again as a standard zip file")
    _check_size(sum(info.file_size for info in infos), path.stat().st_size, max_bytes)


def _unpack(path: Path, folder: Path, problems: Problems) -> list[Member]:
    unpack = _unpack_zip if path.suffix.lower() == ".zip" else _unpack_tar
    members = []
    try:
        for member in unpack(path, folder):
            if not member.name.lower().endswith(NESTED):
                members.append(member)
            else:
                problems.skip(
                    UnreadableFileError(path, f"contains another archive, {member.name}. Unpack that one first")
                )
    except BadArchiveError as error:
        raise UnreadableFileError(path, str(error)) from error
    except DAMAGE as error:
        raise UnreadableFileError(path, f"is damaged or is not an archive: {error}") from error
    except OSError as error:
        where = f" into {folder.parent}" if error.errno == errno.ENOSPC else ""
        raise UnreadableFileError(path, f"can't be unpacked{where}: {error.strerror or error}") from error
    return sorted(members)


def _unpack_zip(path: Path, folder: Path) -> Iterator[Member]:
    check_zip(path, max_bytes=MOST_BYTES)
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise BadArchiveError(f"contains a link or device, {info.filename}. Pack only files and folders")
            name = _safe_name(info.filename)
            if info.is_dir() or _is_hidden(name):
                continue
            try:
                with archive.open(info) as source:
                    yield _copy_member(source, folder, number, name)
            except DAMAGE as error:
                raise BadArchiveError(f"{name} can't be unpacked: {error}") from error


def _unpack_tar(path: Path, folder: Path) -> Iterator[Member]:
    with gzip.open(path) as unzipped:
        counted = _LimitedStream(unzipped, path.stat().st_size)
        with tarfile.open(fileobj=counted, mode="r|", tarinfo=_TarInfo, bufsize=64 * 1024) as archive:
            for number, info in enumerate(archive):
                if number >= MOST_MEMBERS:
                    raise BadArchiveError(f"contains more than {MOST_MEMBERS:,} files. Import it in parts")
                if not (info.isreg() or info.isdir()) or info.issparse():
                    raise BadArchiveError(f"contains a link or device, {info.name}. Pack only files and folders")
                name = _safe_name(info.name)
                source = None if info.isdir() or _is_hidden(name) else archive.extractfile(info)
                if source is not None:
                    yield _copy_member(source, folder, number, name)


def _copy_member(source: IO[bytes], folder: Path, number: int, name: str) -> Member:
    """Copy a member into its own folder, to avoid name collisions."""
    path = folder / str(number) / PurePosixPath(name).name
    path.parent.mkdir()
    with path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return Member(name, path)


def _safe_name(name: str) -> str:
    """Return a member's path with ``/`` between folders.

    Raises BadArchiveError if the path leads out of the archive, or if the file name is invalid or too long.
    """
    plain = replace_invalid_bytes(name).replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if plain.startswith("/") or DRIVE.match(plain) or ".." in parts:
        raise BadArchiveError(f"contains a path that leads out of the archive, {name}")
    if "\0" in plain or (parts and len(parts[-1].encode()) > LONGEST_NAME):
        raise BadArchiveError(f"contains a file name that is invalid or too long, {name[:40]}…")
    return "/".join(parts)


def _is_hidden(name: str) -> bool:
    return not name or any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def _check_length(file: IO[bytes]) -> None:
    """Check the number of members before `zipfile` reads their list, because a very long list could fill the memory."""
    try:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            n_members = sum(1 for _ in islice(IN_ZIP.finditer(content), MOST_MEMBERS + 1))
    except ValueError as error:  # an empty file can't be memory-mapped
        raise BadArchiveError("the file is empty") from error
    if n_members > MOST_MEMBERS:
        raise BadArchiveError(f"contains more than {MOST_MEMBERS:,} files. Import it in parts")


def _check_size(n_bytes: int, n_packed: int, max_bytes: int) -> None:
    if n_bytes > max_bytes:
        raise BadArchiveError(f"is larger than {max_bytes / 1024**3:g} GiB when unpacked. Import it in parts")
    if n_bytes > FREE_OF_RATIO and n_bytes > MOST_RATIO * n_packed:
        raise BadArchiveError(f"expands to more than {MOST_RATIO} times its size. Unpack it and import the files")


class _LimitedStream(io.RawIOBase):
    """Decompressed stream that raises BadArchiveError as soon as too many bytes have been read."""

    def __init__(self, source: gzip.GzipFile, n_packed: int) -> None:
        self._source, self._n_packed, self._n_read = source, n_packed, 0

    def read(self, size: int = -1) -> bytes:
        content = self._source.read(size)
        self._n_read += len(content)
        _check_size(self._n_read, self._n_packed, MOST_BYTES)
        return content


class _TarInfo(tarfile.TarInfo):
    """Header of a tar member, which is checked more strictly than in `tarfile`.

    `tarfile` silently stops at a damaged header, and reads extended headers of any size into memory.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_TarInfo":
        try:
            info = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):  # a block of zeros marks the end of the archive
                raise
            raise BadArchiveError(f"is damaged or truncated: {error}") from error
        if info.type in EXTENDED and info.size > LARGEST_HEADER:
            raise BadArchiveError("is damaged: the header of a file is too large")
        if info.type == tarfile.GNUTYPE_SPARSE:
            raise BadArchiveError(SPARSE.format(info.name))
        return info

    def _proc_gnusparse_10(self, following: tarfile.TarInfo, *_: object) -> None:
        """Raise BadArchiveError for a member that contains a sparse map, which tarfile would read into memory."""
        raise BadArchiveError(SPARSE.format(following.name))
