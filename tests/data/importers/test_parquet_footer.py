"""Footers in Thrift's compact protocol, byte by byte: invalid ones, and additions of newer programs."""

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.parquet_footer import DEEPEST, LARGEST_FOOTER, read_footer

ROWS, NO_GROUPS, END = b"\x36\x0a", b"\x19\x0c", b"\x00"  # field 3: 5; field 4: an empty list of structures
UNKNOWN = {
    "true and false": b"\x11\x11",
    "a byte": b"\x13\x07",
    "a double": b"\x17" + bytes(8),
    "an empty mapping": b"\x1b\x00",
    "a mapping of numbers": b"\x1b\x02\x55\x02\x04\x06\x08",
    "a long list": b"\x19\xf3\x10" + bytes(16),
    "a structure in another": b"\x1c\x1c\x16\x02\x00\x00",
    "a field with a number of its own": b"\x06\xc8\x01\x02",
}
DAMAGED = {
    "ends too soon": ROWS,
    "no such kind": ROWS + b"\x1d",
    "no end to a number": b"\x36" + b"\xff" * 12,
    "structures without end": b"\x1c" * (DEEPEST + 1),
    "no rows": b"\x49\x0c" + END,
    "no list of groups": ROWS + b"\x16\x02" + END,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "papers.parquet"


def write(path, footer, n_bytes=None):
    path.write_bytes(b"PAR1" + footer + (len(footer) if n_bytes is None else n_bytes).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("field", UNKNOWN.values(), ids=UNKNOWN)
def test_unneeded_fields_are_skipped(path, field):
    write(path, ROWS + NO_GROUPS + field + END)
    assert read_footer(path) == (5, [])


@pytest.mark.parametrize("footer", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_footer_is_a_one_line_error(path, footer):
    write(path, footer)
    with pytest.raises(UnreadableFileError, match="its footer is damaged"):
        read_footer(path)


@pytest.mark.parametrize("n_bytes", [LARGEST_FOOTER + 1, 1_000_000], ids=["too large", "larger than the file"])
def test_a_wrong_footer_length_is_an_error(path, n_bytes):
    write(path, ROWS + NO_GROUPS + END, n_bytes)
    with pytest.raises(UnreadableFileError, match="its footer is damaged"):
        read_footer(path)
