"""Arrays in one zip file in NumPy's format, memory-mapped: nothing is copied unless requested."""

import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

ENDING = ".npy"
ALIGNED = 64  # bytes, at a multiple of which each array begins, as NumPy wants them
PADDING = 0xD935  # the number of a field of a zip that holds nothing
LOCAL = struct.Struct("<26xHH")  # header before a member: lengths of its name and of its fields
ZIP64 = 20  # bytes of the field that Python adds for sizes

Holding = Callable[[BufferedReader], mmap.mmap]


def write_arrays(file: IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays into a new file.

    Raises
    ------
    ValueError
        If one is of objects.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + ENDING)
            begins = file.tell() + LOCAL.size + len(member.filename.encode()) + ZIP64 + 4
            member.extra = struct.pack("<HH", PADDING, -begins % ALIGNED) + bytes(-begins % ALIGNED)
            with archive.open(member, "w", force_zip64=True) as opened:
                np.lib.format.write_array(opened, np.asanyarray(array), allow_pickle=False)


def on_disk(file: BufferedReader) -> mmap.mmap:
    """Memory-map a file. If another process truncates it, reading past its end kills this process with a signal."""
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def in_memory(file: BufferedReader) -> mmap.mmap:
    """Copy a file into memory, laid out as on disk, so that later changes of the file don't affect it."""
    file.seek(0)
    copy = mmap.mmap(-1, os.fstat(file.fileno()).st_size)
    if file.readinto(copy) != len(copy):
        raise ValueError("was cut off while it was read")
    return copy


class ArrayFile:
    """Arrays in a file of `write_arrays`. They are read-only, and stay readable as long as they are referenced."""

    def __init__(self, archive: zipfile.ZipFile, mapped: mmap.mmap) -> None:
        self._archive = archive
        self._mapped = mapped

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array.

        Raises
        ------
        KeyError, ValueError, zipfile.BadZipFile, SyntaxError, TypeError, OverflowError
            If there is none of that name, or it is damaged.
        """
        member = self._archive.getinfo(name + ENDING)
        with self._archive.open(member) as opened:
            shape, is_fortran, dtype = _described(opened)
            begins = opened.tell()
        lengths = LOCAL.unpack_from(self._mapped, member.header_offset)
        start = member.header_offset + LOCAL.size + sum(lengths)
        with memoryview(self._mapped) as all_bytes, all_bytes[start : start + member.file_size] as own:
            if zlib.crc32(own) != member.CRC:
                raise ValueError("is not as it was written")
        if any(n < 0 for n in shape) or begins + dtype.itemsize * _product(shape) != member.file_size:
            raise ValueError("is of another size than it says")
        array: NDArray[Any] = np.ndarray(shape, dtype, self._mapped, start + begins, order="F" if is_fortran else "C")
        array.flags.writeable = False
        return np.require(array, requirements="A")  # a copy where an older version wrote it anywhere


@contextmanager
def opened_arrays(file: BufferedReader, held: Holding = on_disk) -> Iterator[ArrayFile]:
    """Open a file of arrays; its members must be as they are, not compressed: a small file could fill the memory."""
    with zipfile.ZipFile(file) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise ValueError("is compressed")
        yield ArrayFile(archive, held(file))


def _described(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError("is an array of another kind")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError("is of objects, or of nothing")
    return shape, is_fortran, dtype


def _product(shape: tuple[int, ...]) -> int:
    n = 1
    for size in shape:
        n *= int(size)  # without end: a claim may be of any size
    return n
