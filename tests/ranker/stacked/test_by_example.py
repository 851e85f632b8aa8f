"""Rankings by examples of a subject only: what affects them, and what doesn't."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data.records import Paper
from presort.metrics import Outcome, average_precision
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.stacked import method
from presort.ranker.stacked.by_example import UnknownExampleError, learn
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, as_rows, make_history

RECIPE = RECIPES["presort-1"]
FIRST = 4  # number of ranked issues
N_PAPERS = 20  # papers per issue
HISTORY = make_history(6, N_PAPERS)
PAST = FIRST * N_PAPERS
TRADE = Paper("example 1", "Tariff and quota", "Customs at the border: export, import and shipping.")
HEALTH = Paper("example 2", "A nurse in the hospital", "The patient, the doctor and the vaccine.")


def learned(history):
    return learn(RECIPE, history, FIRST, MemoryModelStore())


def orders(sorter, *examples):
    return [one.order.tolist() for one in sorter.sort(examples)]


def selecting(rows_of_trade):
    """Let the report on trade select other papers."""
    return replace(HISTORY, relevant=HISTORY.relevant | {"trade": as_rows(*rows_of_trade)})


@pytest.fixture(scope="module")
def sorter():
    return learned(HISTORY)


def test_each_issue_is_ranked_completely_by_descending_scores(sorter):
    found = sorter.sort([TRADE])
    assert sorter.n_reports == len(SUBJECTS)
    assert len(found) == len(HISTORY.issues) - FIRST
    for one in found:
        assert sorted(one.order.tolist()) == list(range(N_PAPERS))
        assert len(one.scores) == N_PAPERS
        assert (np.diff(one.scores) <= 0).all()


def test_papers_on_the_subject_come_first():
    """No report has selected such papers."""
    without = replace(HISTORY, relevant={name: rows for name, rows in HISTORY.relevant.items() if name != "trade"})
    picked = set(HISTORY.relevant["trade"].tolist())
    reached = [
        average_precision(Outcome.from_relevance([start + place in picked for place in order]))
        for start, order in zip(HISTORY.starts[FIRST:].tolist(), orders(learned(without), TRADE), strict=False)
    ]
    assert np.mean(reached) > 0.8


@pytest.mark.parametrize("seed", [0, 1])
def test_selections_from_the_ranked_issues_have_no_effect(sorter, seed):
    earlier = [row for row in HISTORY.relevant["trade"].tolist() if row < PAST]
    later = PAST + np.flatnonzero(np.random.default_rng(seed).random(2 * N_PAPERS) < 0.5)
    assert orders(learned(selecting([*earlier, *later])), HEALTH) == orders(sorter, HEALTH)


def test_earlier_selections_have_an_effect(sorter):
    assert orders(learned(selecting(range(0, PAST, 3))), HEALTH) != orders(sorter, HEALTH)


def test_each_set_of_examples_is_independent(sorter):
    alone = orders(sorter, TRADE)
    assert orders(sorter, HEALTH) != alone
    assert orders(sorter, TRADE) == alone


def test_one_word_is_an_example(sorter):
    [(order, _), *_] = sorter.sort([Paper("example 1", "tariff")])
    assert "tariff" in HISTORY.papers[PAST + order[0]].title + HISTORY.papers[PAST + order[0]].abstract


def test_an_example_without_known_words_is_named(sorter):
    unknown = Paper("example 2", "دراسة")
    with pytest.raises(UnknownExampleError, match="the example 'دراسة' has no word in common") as raised:
        sorter.sort([TRADE, unknown])
    assert raised.value.example is unknown


def test_no_model_is_stored(monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)  # so that a model would be stored
    models = MemoryModelStore()
    learn(RECIPE, HISTORY, FIRST, models)
    assert not models.models
