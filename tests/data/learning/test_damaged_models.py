"""Invalid or damaged model files are rejected in one line, or read unchanged."""

import io
import json
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.learning.models import keep_model
from presort.data.records import Model
from tests.data.learning.models import DAMAGED, SETTINGS, assert_equal, load, make_model


def npy(array: Any, *, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def claimed(shape: str, kind: str = "'<f8'") -> bytes:
    """Return the file of an array with two numbers whose header claims something else."""
    header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)


GOOD_HEADER = {
    "ranker": "presort-1",
    "layout": 3,
    "settings": SETTINGS,
    "trained_before": "2026-11-02",
    "trained_on": {},
    "arrays": ["a"],
}


def header(**changed: Any) -> bytes:
    return npy(np.array(json.dumps(GOOD_HEADER | changed).encode()))


def write_zip(path: Path, members: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)


def test_the_undamaged_file_is_valid(tmp_path):
    path = tmp_path / "presort-1-2026-11-02.npz"
    write_zip(path, {"header.npy": header(), "array a.npy": npy(np.arange(2.0))})
    assert load(path).arrays["a"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"array a.npy": npy(np.arange(2))}, id="no-header"),
        pytest.param({"header.npy": header()}, id="no-array"),
        pytest.param({"header.npy": header(), "array a.npy": b"text"}, id="invalid-array"),
        pytest.param(
            {"header.npy": header(), "array a.npy": npy(np.array([{}]), allow_pickle=True)}, id="an-array-of-objects"
        ),
        pytest.param({"header.npy": npy(np.array([{}]), allow_pickle=True)}, id="a-header-of-objects"),
        pytest.param({"header.npy": b"text", "array a.npy": npy(np.arange(2))}, id="header-without-array"),
        pytest.param({"header.npy": npy(np.arange(9))}, id="a-header-of-numbers"),
        pytest.param({"header.npy": npy(np.array(b"[" * 100_000))}, id="too-deeply-nested-header"),
        pytest.param({"header.npy": npy(np.array(b"[1, 2]"))}, id="a-header-that-is-a-list"),
        pytest.param({"header.npy": npy(np.array(b'{"ranker": "presort-1"}'))}, id="half-a-header"),
        *(
            pytest.param({"header.npy": header(**{name: wrong}), "array a.npy": npy(np.arange(2))}, id=f"wrong-{name}")
            for name, wrong in [
                ("ranker", 1),
                ("layout", "3"),
                ("settings", []),
                ("trained_before", "2026-13-02"),
                ("trained_on", None),
                ("arrays", [["a"]]),
            ]
        ),
        *(
            pytest.param({"header.npy": header(), "array a.npy": claimed(*claim)}, id=f"claims-{claim}")
            for claim in [
                ("(3,)",),
                ("(1000000000000,)",),
                ("(99999999999999999999,)",),
                ("(-1,)",),
                ("(True,)",),
                ("((2,)",),
                ("(2,)}\n  1\n 2\n{",),
                ("(2,)", "'|O'"),
                ("(2,)", "5"),
                ("(2,)", "'<U999999999999'"),
            ]
        ),
    ],
)
def test_an_invalid_file_with_correct_checksums_is_refused(tmp_path, members):
    path = tmp_path / "presort-1-2026-11-02.npz"
    write_zip(path, members)
    with pytest.raises(UnreadableFileError) as refused:
        load(path)
    assert str(refused.value) == DAMAGED


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"paper_id,title\n" * 50, id="text"),
        pytest.param(b"\x80\x04\x95K\x05.", id="a-pickle"),
        pytest.param(b"PK\x03\x04", id="the-start-of-a-zip"),
        pytest.param(npy(np.arange(3)), id="one-array-alone"),
    ],
)
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "presort-1-2026-11-02.npz"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError) as refused:
        load(path)
    assert str(refused.value) == DAMAGED


def test_a_compressed_file_is_refused_as_it_could_fill_the_memory(tmp_path):
    path = tmp_path / "presort-1-2026-11-02.npz"
    write_zip(path, {"header.npy": header(), "array a.npy": npy(np.zeros(100_000))}, zipfile.ZIP_DEFLATED)
    with pytest.raises(UnreadableFileError, match="is damaged or not a Presort model"):
        load(path)


def load_or_refuse(path: Path) -> Model | None:
    try:
        return load(path)
    except UnreadableFileError:
        return None


def test_a_damaged_model_is_unchanged_or_refused(tmp_path):
    path = keep_model(tmp_path, make_model())
    whole = path.read_bytes()
    dice = random.Random(1)
    n_refused = 0
    for _ in range(1_000):
        damaged = bytearray(whole[: dice.choice([len(whole), len(whole), dice.randrange(len(whole))])])
        for _ in range(dice.choice([0, 1, 1, 2, 5]) if damaged else 0):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        if found := load_or_refuse(path):
            assert_equal(found, make_model())
        else:
            n_refused += 1
    assert 500 < n_refused < 1_000, "the damage is too light or too heavy to tell anything"
