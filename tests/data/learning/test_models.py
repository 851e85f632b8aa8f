import io
import os
import zipfile
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from presort.data.errors import RefusedError, UnreadableFileError, WorkspaceError
from presort.data.learning.array_file import copy_file, open_arrays
from presort.data.learning.models import find_models, keep_model
from tests.data.learning.models import DAY, SETTINGS, assert_equal, load, make_model, names


def test_a_model_is_read_back_bit_for_bit(tmp_path):
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


def test_settings_as_tuples_equal_settings_as_lists(tmp_path):
    path = keep_model(tmp_path, replace(make_model(), settings={"range": (1, 2)}))
    assert load(path, settings={"range": (1, 2)}).settings == {"range": [1, 2]}


def test_the_newest_models_stay_and_other_rankers_are_unaffected(tmp_path):
    others = [keep_model(tmp_path, make_model(ranker=name)) for name in ("presort", "presort-1-x", "presort-2")]
    (tmp_path / "presort-1-notes.npz").touch()
    (tmp_path / "presort-1-2020-01-01.txt").touch()
    before = names(tmp_path)
    paths = [keep_model(tmp_path, make_model(DAY + timedelta(weeks=week))) for week in (0, 2, 1, 3)]
    assert find_models(tmp_path, "presort-1") == [paths[3], paths[1]]
    assert names(tmp_path) == sorted([*before, paths[1].name, paths[3].name])
    assert find_models(tmp_path, "presort") == others[:1]


def test_a_new_model_older_than_the_kept_ones_stays_until_the_next(tmp_path):
    days = [DAY + timedelta(weeks=week) for week in range(4)]
    paths = [keep_model(tmp_path, make_model(day)) for day in (days[1], days[2], days[0])]
    assert find_models(tmp_path, "presort-1") == [paths[1], paths[0], paths[2]]
    newest = keep_model(tmp_path, make_model(days[3]), n_kept=1)
    assert find_models(tmp_path, "presort-1") == [newest]


def test_a_model_of_the_same_date_is_replaced(tmp_path):
    keep_model(tmp_path, make_model(a=np.arange(3)))
    path = keep_model(tmp_path, make_model(b=np.arange(2)))
    assert find_models(tmp_path, "presort-1") == [path]
    assert list(load(path).arrays) == ["b"]


def test_no_models(tmp_path):
    assert find_models(tmp_path / "nowhere", "presort-1") == []


@pytest.mark.parametrize("ranker", ["", "..", "../x", "a/b", ".hidden", "a b", "*", "a\nb", "a\x00"])
def test_an_invalid_ranker_name_is_an_error(tmp_path, ranker):
    with pytest.raises(ValueError, match="ranker must be a plain name"):
        keep_model(tmp_path, make_model(ranker=ranker))
    with pytest.raises(ValueError, match="ranker must be a plain name"):
        find_models(tmp_path, ranker)
    assert names(tmp_path) == []


def test_keeping_zero_models_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="n_kept must be at least 1, got 0"):
        keep_model(tmp_path, make_model(), n_kept=0)


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


@pytest.mark.parametrize(
    ("early", "kept"),
    [
        pytest.param([False, False, True, True], [0, 1, 3], id="two-in-a-row"),
        pytest.param([True, False, False, True], [1, 2, 3], id="an-old-one"),
        pytest.param([False, False, True, False], [1, 3], id="not-the-newest"),
        pytest.param([True, True, True, True], [2, 3], id="no-others"),
    ],
)
def test_models_trained_early_do_not_replace_the_others(tmp_path, early, kept):
    models = [
        replace(make_model(DAY + timedelta(weeks=week)), trained_on={"early": is_early})
        for week, is_early in enumerate(early)
    ]
    paths = [keep_model(tmp_path, model) for model in models]
    assert names(tmp_path) == [paths[week].name for week in kept]


def test_unusable_models_are_deleted_whatever_their_date(tmp_path):
    days = [DAY + timedelta(weeks=week) for week in range(6)]
    of_use, damaged, layout, settings, dangling, path = (tmp_path / f"presort-1-{day}.npz" for day in days)
    keep_model(tmp_path, make_model(days[0]))
    keep_model(tmp_path, replace(make_model(days[2]), layout=2), n_kept=9)
    keep_model(tmp_path, replace(make_model(days[3]), settings={}), n_kept=9)
    damaged.write_bytes(b"no model")
    dangling.symlink_to(tmp_path / "gone")
    keep_model(tmp_path, make_model(days[0]), n_kept=9)
    (tmp_path / "presort-2-2026-11-02.npz").write_bytes(b"of another ranker")
    assert names(tmp_path) == [of_use.name, "presort-2-2026-11-02.npz"]
    assert not layout.exists()
    assert not settings.exists()
    keep_model(tmp_path, make_model(days[5]))
    assert names(tmp_path) == [of_use.name, path.name, "presort-2-2026-11-02.npz"]


def test_a_model_replaces_a_dangling_link(tmp_path):
    path = tmp_path / f"presort-1-{DAY}.npz"
    path.symlink_to(tmp_path / "gone")
    with pytest.raises(UnreadableFileError, match=r"npz: can't be read: No such file or directory$"):
        load(path)
    assert_equal(load(keep_model(tmp_path, make_model())), make_model())
    assert not path.is_symlink()


def test_a_pipe_does_not_block(tmp_path):
    path = tmp_path / f"presort-1-{DAY}.npz"
    os.mkfifo(path)
    with pytest.raises(UnreadableFileError, match="is damaged or not a Presort model"):
        load(path)


def test_a_full_disk_is_reported_and_the_older_model_stays(tmp_path, monkeypatch):
    path = keep_model(tmp_path, make_model(a=np.arange(3)))

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WorkspaceError, match=r"presort-1-2026-11-02\.npz can't be written: No space left on device\."):
        keep_model(tmp_path, make_model(b=np.arange(3)))
    assert names(tmp_path) == [path.name]
    assert list(load(path).arrays) == ["a"]


def test_a_file_in_place_of_the_folder_is_reported(tmp_path):
    (tmp_path / "models").touch()
    with pytest.raises(WorkspaceError, match=r"presort-1-2026-11-02\.npz can't be written: File exists"):
        keep_model(tmp_path / "models", make_model())


def test_leftovers_of_a_killed_process_are_overwritten(tmp_path):
    (tmp_path / "unfinished").write_bytes(b"half a model")
    path = keep_model(tmp_path, make_model())
    assert names(tmp_path) == [path.name]
    assert_equal(load(path), make_model())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        pytest.param(
            {"ranker": "presort-2"},
            "models/presort-1-2026-11-02.npz belongs to presort-1, not presort-2.",
            id="ranker",
        ),
        pytest.param(
            {"layout": 4},
            "models/presort-1-2026-11-02.npz has layout 3 of presort-1, but layout 4 is required.",
            id="layout",
        ),
        pytest.param(
            {"settings": SETTINGS | {"C": 0.05, "pairs": False}},
            "models/presort-1-2026-11-02.npz has other settings for presort-1: C, pairs.",
            id="settings",
        ),
        pytest.param(
            {"settings": {"C": 0.02, "fields": ["title", "abstract"], "tol": None}},
            "models/presort-1-2026-11-02.npz has other settings for presort-1: pairs, tol.",
            id="more-and-fewer-settings",
        ),
    ],
)
def test_a_model_with_another_layout_is_refused_by_name(tmp_path, asked, message):
    path = keep_model(tmp_path / "models", make_model())
    with pytest.raises(RefusedError) as refused:
        load(path, **asked)
    assert str(refused.value) == message


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^gone\.npz: can't be read: No such file or directory$"):
        load(tmp_path / "gone.npz")


def test_arrays_are_memory_mapped_and_read_only(tmp_path):
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


def test_a_model_in_memory_survives_truncation_of_its_file(tmp_path):
    array = np.arange(300_000.0)
    path = keep_model(tmp_path, make_model(a=array))
    held = load(path, access=copy_file).arrays["a"]
    os.truncate(path, 100)
    np.testing.assert_array_equal(held, array, strict=True)
    assert (held.flags.owndata, held.flags.writeable, held.ctypes.data % 64) == (False, False, 0)
    with pytest.raises(UnreadableFileError):
        load(path, access=copy_file)


def test_an_array_of_another_version_of_the_format_is_not_read(tmp_path):
    path = tmp_path / "arrays"
    with zipfile.ZipFile(path, "w") as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array(member, np.arange(3), version=(2, 0))
    with path.open("rb") as file, open_arrays(file) as arrays, pytest.raises(ValueError, match="unsupported version"):
        arrays["a"]


def test_a_file_truncated_during_the_read_is_refused(tmp_path):
    path = tmp_path / "arrays"
    path.write_bytes(b"12345678")

    class CutOff(io.BufferedReader):
        def readinto(self, buffer):
            return 4

    with CutOff(io.FileIO(path)) as file, pytest.raises(ValueError, match="was truncated"):
        copy_file(file)
