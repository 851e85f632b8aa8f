"""Models as arrays: restored unchanged, or refused."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from presort.data.records import Model
from presort.ranker.gather import gather
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.stacked.model import LAYOUT, fault_of
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, make_history

METHOD = RECIPES["presort-1"].method
N_NETWORKS = len(METHOD.network.seeds)


@pytest.fixture(scope="module")
def model():
    return learned_from(make_history(6))


def learned_from(history):
    task = gather("any", history, 5, 6, list(SUBJECTS), {}, MemoryModelStore()).task
    reports = list(task.decided)
    learned = METHOD._train(task, task.n_past, reports, 1)
    trained_on = {"papers": task.n_past, "reports": reports}
    return Model("any", LAYOUT, METHOD.settings(), date(2026, 1, 5), trained_on, learned.arrays())


def fault(model, **arrays):
    return fault_of(replace(model, arrays={**model.arrays, **arrays}), METHOD.fields, N_NETWORKS)


def with_one(array, value):
    """Return a copy of an array with a value in its first cell."""
    copy = array.copy()
    copy.flat[0] = value
    return copy


def test_a_trained_model_is_valid(model):
    assert fault(model) == ""


def test_a_trained_model_without_codes_is_valid():
    history = make_history(6)
    bare = learned_from(replace(history, papers=[replace(paper, codes=()) for paper in history.papers]))
    assert bare.arrays["codes codes"].size == 0
    assert fault(bare) == ""


def test_every_array_is_required_in_its_shape_and_type(model):
    for name, array in model.arrays.items():
        without = replace(model, arrays={other: a for other, a in model.arrays.items() if other != name})
        assert fault_of(without, METHOD.fields, N_NETWORKS) == f"lacks the array {name!r}"
        assert fault(model, **{name: array.astype("U")}) == f"has an array {name!r} of the wrong type or dimension"
        assert fault(model, **{name: array[None]}) == f"has an array {name!r} of the wrong type or dimension"
        if name.endswith(" words"):
            continue  # of any length
        assert fault(model, **{name: np.concatenate([array, array])}) != ""
        if array.ndim == 2:
            assert fault(model, **{name: np.hstack([array, array])}) != ""
        for value in (np.nan, np.inf) if array.dtype.kind == "f" else ():
            assert (
                fault(model, **{name: with_one(array, value)})
                == f"has an array {name!r} with values that aren't finite"
            )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("y", 2, id="invalid-label"),
        pytest.param("topic terms", -1, id="a-term-before-the-first"),
        pytest.param("topic terms", 10**6, id="a-term-after-the-last"),
        pytest.param("words codes", 2**40, id="word-out-of-range"),
        pytest.param("words words", 0xFF, id="invalid-characters"),
        pytest.param("spread", 0, id="no-spread"),
    ],
)
def test_invalid_numbers_are_refused(model, name, value):
    assert fault(model, **{name: with_one(model.arrays[name], value)}) == "has values out of range"


@pytest.mark.parametrize(
    "wrong", [{}, {"reports": 3}, {"reports": ["trade"]}, {"papers": 1}], ids=["nothing", "a-number", "few", "papers"]
)
def test_the_training_data_must_match_the_arrays(model, wrong):
    trained_on = model.trained_on | wrong if wrong else wrong
    fault = fault_of(replace(model, trained_on=trained_on), METHOD.fields, N_NETWORKS)
    assert fault == "has labels that don't match its numbers of papers and reports"


def test_a_fault_in_a_freshly_trained_model_is_a_bug(model):
    models = MemoryModelStore()
    models.keep(replace(model, arrays={}))
    with pytest.raises(RuntimeError, match="the model of any lacks the array 'keys'"):
        METHOD.find_model(models, "any", model.trained_before)
