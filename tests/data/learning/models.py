"""Models for tests: a model to store, a function that reads it, and a comparison."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from presort.data.learning.array_file import ArrayAccess, map_file
from presort.data.learning.models import load_model
from presort.data.records import Model

DAY = date(2026, 11, 2)
SETTINGS = {"C": 0.02, "fields": ["title", "abstract"], "pairs": True}
DAMAGED = "presort-1-2026-11-02.npz: is damaged or not a Presort model"


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
    access: ArrayAccess = map_file,
) -> Model:
    return load_model(path, ranker=ranker, layout=layout, settings=settings, access=access)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_equal(found: Model, expected: Model) -> None:
    plain = {name for name in vars(expected) if name != "arrays"}
    assert {name: getattr(found, name) for name in plain} == {name: getattr(expected, name) for name in plain}
    assert list(found.arrays) == list(expected.arrays)
    for name, array in expected.arrays.items():
        assert (found.arrays[name].dtype, found.arrays[name].shape) == (array.dtype, array.shape)
        assert found.arrays[name].tobytes() == array.tobytes()
