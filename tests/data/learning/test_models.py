import io
import json
import os
import random
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.errors import RefusedError, UnreadableFileError, WorkspaceError
from data.learning.array_file import Holding, in_memory, on_disk
from data.learning.models import find_models, keep_model, load_model
from data.records import Model

DAY = date(2026, 11, 2)
SETTINGS = {"C": 0.02, "fields": ["title", "abstract"], "pairs": True}
DAMAGED = "presort-1-2026-11-02.npz: is damaged, or no model of Presort"


def make_model(trained_before: date = DAY, *, ranker: str = "presort-1", **arrays: Any) -> Model:
    return Model(
        ranker=ranker,
        layout=3,
        settings=SETTINGS,
        trained_before=trained_before,
        trained_on={"papers": 74_580, "reports": 65},
        arrays=arrays or {"weights": np.array([[0.5, -1.5], [1e-300, np.inf]]), "words": np.array(["a", "wages"])},
    )


def load(
    path: Path,
    *,
    ranker: str = "presort-1",
    layout: int = 3,
    settings: Mapping[str, Any] = SETTINGS,
    held: Holding = on_disk,
) -> Model:
    return load_model(path, ranker=ranker, layout=layout, settings=settings, held=held)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_equal(found: Model, expected: Model) -> None:
    plain = {name for name in vars(expected) if name != "arrays"}
    assert {name: getattr(found, name) for name in plain} == {name: getattr(expected, name) for name in plain}
    assert list(found.arrays) == list(expected.arrays)
    for name, array in expected.arrays.items():
        assert (found.arrays[name].dtype, found.arrays[name].shape) == (array.dtype, array.shape)
        assert found.arrays[name].tobytes() == array.tobytes()


def test_a_model_comes_back_bit_for_bit(tmp_path):
    model = make_model()
    path = keep_model(tmp_path / "new" / "models", model)
    assert path == tmp_path / "new" / "models" / "presort-1-2026-11-02.npz"
    assert_equal(load(path), model)


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(np.empty((0, 7), dtype=np.float32), id="empty"),
        pytest.param(np.array(3), id="a-number"),
        pytest.param(np.array([True, False]), id="truth"),
        pytest.param(np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::2], id="not-contiguous"),
        pytest.param(np.array(["", "\N{SNOWMAN}"]), id="text"),
    ],
)
def test_all_kinds_of_arrays(tmp_path, array):
    assert_equal(load(keep_model(tmp_path, make_model(a=array))), make_model(a=array))


@pytest.mark.parametrize("name", ["file", "header", "allow_pickle", "array x", "a/b", "..", "w.npy", "später"])
def test_an_array_may_have_any_name(tmp_path, name):
    model = make_model(**{name: np.arange(3)}, other=np.arange(2))
    assert_equal(load(keep_model(tmp_path, model)), model)
    assert names(tmp_path) == ["presort-1-2026-11-02.npz"]


def test_a_model_without_arrays(tmp_path):
    model = replace(make_model(), arrays={})
    assert_equal(load(keep_model(tmp_path, model)), model)


def test_settings_are_the_same_as_tuples_and_as_lists(tmp_path):
    path = keep_model(tmp_path, replace(make_model(), settings={"range": (1, 2)}))
    assert load(path, settings={"range": (1, 2)}).settings == {"range": [1, 2]}


def test_the_newest_stay_and_other_rankers_are_left_alone(tmp_path):
    others = [keep_model(tmp_path, make_model(ranker=name)) for name in ("presort", "presort-1-x", "presort-2")]
    (tmp_path / "presort-1-notes.npz").touch()
    (tmp_path / "presort-1-2020-01-01.txt").touch()
    before = names(tmp_path)
    paths = [keep_model(tmp_path, make_model(DAY + timedelta(weeks=week))) for week in (0, 2, 1, 3)]
    assert find_models(tmp_path, "presort-1") == [paths[3], paths[1]]
    assert names(tmp_path) == sorted([*before, paths[1].name, paths[3].name])
    assert find_models(tmp_path, "presort") == others[:1]


def test_one_that_is_older_than_those_kept_stays_until_the_next(tmp_path):
    days = [DAY + timedelta(weeks=week) for week in range(4)]
    paths = [keep_model(tmp_path, make_model(day)) for day in (days[1], days[2], days[0])]
    assert find_models(tmp_path, "presort-1") == [paths[1], paths[0], paths[2]]
    newest = keep_model(tmp_path, make_model(days[3]), kept=1)
    assert find_models(tmp_path, "presort-1") == [newest]


def test_one_of_the_same_date_is_replaced(tmp_path):
    keep_model(tmp_path, make_model(a=np.arange(3)))
    path = keep_model(tmp_path, make_model(b=np.arange(2)))
    assert find_models(tmp_path, "presort-1") == [path]
    assert list(load(path).arrays) == ["b"]


def test_no_models(tmp_path):
    assert find_models(tmp_path / "nowhere", "presort-1") == []


@pytest.mark.parametrize("ranker", ["", "..", "../x", "a/b", ".hidden", "a b", "*", "a\nb", "a\x00"])
def test_a_ranker_with_a_name_that_is_not_plain_is_a_wrong_call(tmp_path, ranker):
    with pytest.raises(ValueError, match="ranker must be a plain name"):
        keep_model(tmp_path, make_model(ranker=ranker))
    with pytest.raises(ValueError, match="ranker must be a plain name"):
        find_models(tmp_path, ranker)
    assert names(tmp_path) == []


def test_no_model_at_all_can_not_be_kept(tmp_path):
    with pytest.raises(ValueError, match="kept must be at least 1, got 0"):
        keep_model(tmp_path, make_model(), kept=0)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        pytest.param({"arrays": {"a": np.array([{}, None])}}, ValueError, id="objects"),
        pytest.param({"settings": {"C": float("nan")}}, ValueError, id="not-json"),
        pytest.param({"trained_on": {"papers": {1, 2}}}, TypeError, id="a-set"),
    ],
)
def test_a_model_that_can_not_be_written_is_a_bug_and_leaves_nothing(tmp_path, wrong, error):
    keep_model(tmp_path, make_model(a=np.arange(3)))
    with pytest.raises(error):
        keep_model(tmp_path, replace(make_model(), **wrong))
    assert names(tmp_path) == ["presort-1-2026-11-02.npz"]
    assert list(load(tmp_path / "presort-1-2026-11-02.npz").arrays) == ["a"]


def test_what_is_of_no_use_goes_whatever_its_date(tmp_path):
    days = [DAY + timedelta(weeks=week) for week in range(6)]
    of_use, damaged, layout, settings, dangling, path = (tmp_path / f"presort-1-{day}.npz" for day in days)
    keep_model(tmp_path, make_model(days[0]))
    keep_model(tmp_path, replace(make_model(days[2]), layout=2), kept=9)
    keep_model(tmp_path, replace(make_model(days[3]), settings={}), kept=9)
    damaged.write_bytes(b"no model")
    dangling.symlink_to(tmp_path / "gone")
    keep_model(tmp_path, make_model(days[0]), kept=9)
    (tmp_path / "presort-2-2026-11-02.npz").write_bytes(b"of another ranker")
    assert names(tmp_path) == [of_use.name, "presort-2-2026-11-02.npz"]
    assert not layout.exists()
    assert not settings.exists()
    keep_model(tmp_path, make_model(days[5]))
    assert names(tmp_path) == [of_use.name, path.name, "presort-2-2026-11-02.npz"]


def test_a_model_takes_the_place_of_a_link_that_leads_nowhere(tmp_path):
    path = tmp_path / f"presort-1-{DAY}.npz"
    path.symlink_to(tmp_path / "gone")
    with pytest.raises(UnreadableFileError, match=r"npz: can't be read: No such file or directory$"):
        load(path)
    assert_equal(load(keep_model(tmp_path, make_model())), make_model())
    assert not path.is_symlink()


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / f"presort-1-{DAY}.npz"
    os.mkfifo(path)
    with pytest.raises(UnreadableFileError, match="is damaged, or no model of Presort"):
        load(path)


def test_a_full_disk_is_told_and_the_older_model_stays(tmp_path, monkeypatch):
    path = keep_model(tmp_path, make_model(a=np.arange(3)))

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WorkspaceError, match=r"presort-1-2026-11-02\.npz can't be written: No space left on device\."):
        keep_model(tmp_path, make_model(b=np.arange(3)))
    assert names(tmp_path) == [path.name]
    assert list(load(path).arrays) == ["a"]


def test_a_file_in_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "models").touch()
    with pytest.raises(WorkspaceError, match=r"presort-1-2026-11-02\.npz can't be written: File exists"):
        keep_model(tmp_path / "models", make_model())


def test_what_a_killed_process_left_is_written_over(tmp_path):
    (tmp_path / "unfinished").write_bytes(b"half a model")
    path = keep_model(tmp_path, make_model())
    assert names(tmp_path) == [path.name]
    assert_equal(load(path), make_model())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        pytest.param(
            {"ranker": "presort-2"},
            "models/presort-1-2026-11-02.npz was made by presort-1, not presort-2.",
            id="ranker",
        ),
        pytest.param(
            {"layout": 4},
            "models/presort-1-2026-11-02.npz has layout 3 of presort-1, and layout 4 is needed.",
            id="layout",
        ),
        pytest.param(
            {"settings": SETTINGS | {"C": 0.05, "pairs": False}},
            "models/presort-1-2026-11-02.npz was made with other settings of presort-1: C, pairs.",
            id="settings",
        ),
        pytest.param(
            {"settings": {"C": 0.02, "fields": ["title", "abstract"], "tol": None}},
            "models/presort-1-2026-11-02.npz was made with other settings of presort-1: pairs, tol.",
            id="more-and-fewer-settings",
        ),
    ],
)
def test_a_model_of_another_making_is_refused_by_name(tmp_path, asked, message):
    path = keep_model(tmp_path / "models", make_model())
    with pytest.raises(RefusedError) as refused:
        load(path, **asked)
    assert str(refused.value) == message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^gone\.npz: can't be read: No such file or directory$"):
        load(tmp_path / "gone.npz")


def npy(array: Any, *, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def claimed(shape: str, kind: str = "'<f8'") -> bytes:
    """Return an array's file that holds two numbers and says something else."""
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


def test_the_file_that_the_next_tests_damage_is_a_good_one(tmp_path):
    path = tmp_path / "presort-1-2026-11-02.npz"
    write_zip(path, {"header.npy": header(), "array a.npy": npy(np.arange(2.0))})
    assert load(path).arrays["a"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"array a.npy": npy(np.arange(2))}, id="no-header"),
        pytest.param({"header.npy": header()}, id="no-array"),
        pytest.param({"header.npy": header(), "array a.npy": b"text"}, id="an-array-that-is-none"),
        pytest.param(
            {"header.npy": header(), "array a.npy": npy(np.array([{}]), allow_pickle=True)}, id="an-array-of-objects"
        ),
        pytest.param({"header.npy": npy(np.array([{}]), allow_pickle=True)}, id="a-header-of-objects"),
        pytest.param({"header.npy": b"text", "array a.npy": npy(np.arange(2))}, id="a-header-that-is-no-array"),
        pytest.param({"header.npy": npy(np.arange(9))}, id="a-header-of-numbers"),
        pytest.param({"header.npy": npy(np.array(b"[" * 100_000))}, id="a-header-too-deep"),
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
def test_a_file_with_right_checksums_and_wrong_contents_is_refused(tmp_path, members):
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
    with pytest.raises(UnreadableFileError, match="is damaged, or no model of Presort"):
        load(path)


def load_or_refuse(path: Path) -> Model | None:
    try:
        return load(path)
    except UnreadableFileError:
        return None


def test_whatever_bytes_are_damaged_the_model_is_the_same_or_refused(tmp_path):
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


def test_arrays_are_read_where_they_lie_and_can_not_be_written_to(tmp_path):
    arrays = {f"{name} {'x' * n}": np.arange(9.0) for n, name in enumerate(["a", "ß", "€uro"])}
    for array in load(keep_model(tmp_path, make_model(**arrays))).arrays.values():
        assert (array.flags.owndata, array.flags.writeable, array.ctypes.data % 64) == (False, False, 0)


def test_arrays_outlive_the_file(tmp_path):
    path = keep_model(tmp_path, make_model(a=np.arange(3)))
    older = load(path)
    keep_model(tmp_path, make_model(a=np.arange(4)))
    assert older.arrays["a"].tolist() == [0, 1, 2]
    path.unlink()
    assert older.arrays["a"].tolist() == [0, 1, 2]


def test_a_model_held_in_memory_is_there_still_when_its_file_is_cut_off(tmp_path):
    array = np.arange(300_000.0)
    path = keep_model(tmp_path, make_model(a=array))
    held = load(path, held=in_memory).arrays["a"]
    os.truncate(path, 100)
    np.testing.assert_array_equal(held, array, strict=True)
    assert (held.flags.owndata, held.flags.writeable, held.ctypes.data % 64) == (False, False, 0)
    with pytest.raises(UnreadableFileError):
        load(path, held=in_memory)
