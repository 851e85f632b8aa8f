"""Read and write NumPy arrays in an uncompressed .npz file, which can be memory-mapped to avoid copies."""

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
ALIGNED = 64  # array alignment in NumPy's format, in bytes
PADDING = 0xD935  # id of the zip extra field used for padding
LOCAL = struct.Struct("<26xHH")  # zip local file header: lengths of the member's name and extra fields
ZIP64 = 20  # size of the Zip64 extra field that Python adds, in bytes

ArrayAccess = Callable[[BufferedReader], mmap.mmap]


def write_arrays(file: IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a new file.

    Raises
    ------
    ValueError
        If an array has the object dtype.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + ENDING)
            begins = file.tell() + LOCAL.size + len(member.filename.encode()) + ZIP64 + 4
            member.extra = struct.pack("<HH", PADDING, -begins % ALIGNED) + bytes(-begins % ALIGNED)
            with archive.open(member, "w", force_zip64=True) as opened:
                np.lib.format.write_array(opened, np.asanyarray(array), allow_pickle=False)


def map_file(file: BufferedReader) -> mmap.mmap:
    """Memory-map a file. If another process truncates it, reading past the new end kills this process (SIGBUS)."""
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def copy_file(file: BufferedReader) -> mmap.mmap:
    """Copy a file into memory, so that later changes to it have no effect."""
    file.seek(0)
    copy = mmap.mmap(-1, os.fstat(file.fileno()).st_size)
    if file.readinto(copy) != len(copy):
        raise ValueError("was truncated while it was being read")
    return copy


class ArrayFile:
    """Arrays in a file written by `write_arrays`. They are read-only and stay valid after the file is closed."""

    def __init__(self, archive: zipfile.ZipFile, mapped: mmap.mmap) -> None:
        self._archive = archive
        self._mapped = mapped

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the array with this name.

        Raises
        ------
        KeyError, ValueError, zipfile.BadZipFile, SyntaxError, TypeError, OverflowError
            If the array does not exist or is damaged.
        """
        member = self._archive.getinfo(name + ENDING)
        with self._archive.open(member) as opened:
            shape, is_fortran, dtype = _read_header(opened)
            begins = opened.tell()
        lengths = LOCAL.unpack_from(self._mapped, member.header_offset)
        start = member.header_offset + LOCAL.size + sum(lengths)
        with memoryview(self._mapped) as all_bytes, all_bytes[start : start + member.file_size] as own:
            if zlib.crc32(own) != member.CRC:
                raise ValueError("has a wrong checksum")
        if any(n < 0 for n in shape) or begins + dtype.itemsize * _product(shape) != member.file_size:
            raise ValueError("doesn't have the size given in its header")
        array: NDArray[Any] = np.ndarray(shape, dtype, self._mapped, start + begins, order="F" if is_fortran else "C")
        array.flags.writeable = False
        return np.require(array, requirements="A")  # copies unaligned arrays, which old versions wrote


@contextmanager
def open_arrays(file: BufferedReader, access: ArrayAccess = map_file) -> Iterator[ArrayFile]:
    """Open an array file. Compressed files are rejected, because decompressing a small file could fill the memory."""
    with zipfile.ZipFile(file) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise ValueError("is compressed")
        yield ArrayFile(archive, access(file))


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError("is an array in an unsupported version of NumPy's format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError("has the object dtype, or items of size zero")
    return shape, is_fortran, dtype


def _product(shape: tuple[int, ...]) -> int:
    n = 1
    for size in shape:
        n *= int(size)  # Python integers don't overflow, and the header of a crafted file may contain any size
    return n
