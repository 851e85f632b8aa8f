"""presort-3-vectors: new reports and the sentence vectors of their first relevant papers or examples."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data.records import Paper
from presort.metrics import Outcome, average_precision
from presort.ranker.gather import gather
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.stacked.forest import Trees
from presort.ranker.train import learn_ahead
from presort.ranker.versions import RECIPES
from tests.ranker.stacked.model_stores import REPORTS, Files, relevant_before
from tests.ranker.stacked.test_with_vectors import with_vectors, without_texts
from tests.ranker.worlds import as_rows, make_history

pytestmark = pytest.mark.usefixtures("models_are_kept")

SMALL = {"trees": Trees(n_trees=10, least=5), "few": 10}
RECIPE, BEFORE, PLAIN = (
    replace(RECIPES[name], method=replace(RECIPES[name].method, **SMALL))
    for name in ("presort-3-vectors", "presort-2-vectors", "presort-3")
)
FIRST = 10
HISTORY = with_vectors(make_history(12))
MUTE = Paper("example", "Nothing to read")


def without_decisions(history, n_vectors=1):
    """Let the report on work have only an example, with the vector of its first paper."""
    row = history.relevant["work"][0]
    relevant = history.relevant | {"work": as_rows()}
    of_seeds = {"work": history.vectors.numbers[[row] * n_vectors]} if n_vectors else {}
    return replace(history, relevant=relevant, seeds={"work": [MUTE]}, seed_vectors=of_seeds)


def models_of(recipe, history):
    """Train ahead without the report on work."""
    models = Files()
    known = {name: rows for name, rows in history.relevant.items() if name != "work"}
    bare = replace(history, relevant=known, seeds={}, seed_vectors={})
    assert learn_ahead(recipe, bare, REPORTS, models=models, before=FIRST)
    return models


def explainer(recipe, history, models):
    task = gather(recipe.name, history, FIRST, FIRST + 1, ["work"], {}, models).task
    return recipe.method.explainer(task)


def ap(scores):
    start = HISTORY.starts[FIRST]
    order = np.argsort(-scores, kind="stable")
    return average_precision(Outcome.from_relevance(np.isin(start + order, HISTORY.relevant["work"]).tolist()))


def test_the_vector_of_an_example_suffices():
    history = without_texts(HISTORY)
    models = models_of(RECIPE, history)
    assert ap(explainer(RECIPE, without_decisions(history), models).scores("work")) > 0.9
    assert ap(explainer(RECIPE, without_decisions(history, 0), models).scores("work")) < 0.8


def test_vectors_of_two_decisions_suffice():
    history = without_texts(HISTORY)
    models = models_of(RECIPE, history)
    few = as_rows(*relevant_before(history, "work", FIRST)[-2:])
    later = np.arange(history.starts[FIRST], history.starts[FIRST] + 15)
    known, changed = (
        replace(history, relevant=history.relevant | {"work": rows}) for rows in (few, np.union1d(few, later))
    )
    scores = explainer(RECIPE, known, models).scores("work")
    assert ap(scores) > 0.9
    np.testing.assert_array_equal(scores, explainer(RECIPE, changed, models).scores("work"))


def test_presort_2_vectors_does_not_read_vectors_of_examples():
    models = models_of(BEFORE, HISTORY)
    of_each = [explainer(BEFORE, without_decisions(HISTORY, n), models).scores("work") for n in (0, 1)]
    np.testing.assert_array_equal(*of_each)


@pytest.mark.parametrize("report", ["trade", "health"])
def test_other_reports_are_ranked_like_by_presort_2_vectors(report):
    history = without_decisions(HISTORY)
    of_each = [explainer(one, history, models_of(one, history)).scores(report) for one in (RECIPE, BEFORE)]
    np.testing.assert_array_equal(*of_each)


def test_without_vectors_the_ranking_is_that_of_presort_3():
    history = replace(without_decisions(HISTORY, 0), vectors=None)
    of_each = [explainer(one, history, models_of(one, history)).scores("work") for one in (RECIPE, PLAIN)]
    np.testing.assert_array_equal(*of_each)


def test_meaning_is_a_reason_for_a_new_report():
    seen = explainer(RECIPE, without_decisions(HISTORY), models_of(RECIPE, HISTORY))
    for place in range(3):
        shares = {one.field: one.share for one in seen.reasons("work", seen.task.n_past + place)}
        assert shares["meaning"]


def test_vectors_of_examples_are_in_the_order_of_the_examples():
    ones, twos = np.full((1, 6), 1.0), np.full((2, 6), 2.0)
    seeds = {"work": [MUTE], "trade": [MUTE, MUTE], "health": [MUTE]}
    history = replace(HISTORY, seeds=seeds, seed_vectors={"trade": twos, "work": ones})
    task = gather("any", history, FIRST, FIRST + 1, [], {}, MemoryModelStore()).task
    assert not task.vectors.numbers[task.n_past - 4 : task.n_past].any()
    numbers = task.with_example_vectors().numbers
    assert numbers[task.n_past - 4 : task.n_past, 0].tolist() == [0, 2, 2, 1]  # by report: health, trade, work
    np.testing.assert_array_equal(
        np.delete(numbers, np.s_[task.n_past - 4 : task.n_past], axis=0),
        HISTORY.vectors.numbers[: HISTORY.starts[FIRST + 1]],
    )
