"""Scores kept beside outcomes: those that are measured, by whichever measures there are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metrics
from data.learning import outcomes
from data.learning.outcome_scores import scored_columns
from desk.scores import table
from desk.service import measurement, workflow
from metrics import Outcome, score
from tests.metrics.strategies import FIXED
from tests.metrics.strategies import outcomes as drawn_outcomes


def let_go(store, where="1 = 1"):
    with store.writing() as connection:
        return connection.exec_driver_sql(f"DELETE FROM outcome_scores WHERE {where}").rowcount


def is_kept(store):
    return scored_columns(store, measurement.version()).has_scores


@FIXED
@given(st.lists(drawn_outcomes(max_n=300), max_size=5))
def test_measured_is_what_each_measure_says(found):
    laid = np.concatenate([outcome.positions for outcome in found]) if found else np.zeros(0, dtype=np.int32)
    scores = measurement.measured(laid, *(np.array([getattr(one, name) for one in found], dtype=int) for name in "rn"))
    assert scores.shape == (len(found), len(measurement.KEPT))
    for outcome, row in zip(found, scores, strict=True):
        expected = [metrics.MEASURES[name].compute(outcome) for name in measurement.KEPT]
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12)


def test_what_went_out_has_scores_from_then_on(finished):
    assert is_kept(finished).all()
    assert let_go(finished) == len(outcomes.scored_rankings(finished)) > 20
    assert not is_kept(finished).any()
    assert workflow.score(finished) == 0, "no outcome is new"
    assert is_kept(finished).all()


@pytest.mark.parametrize("where", ["1 = 1", "ranking_id % 2 = 0"], ids=["none", "half"])
def test_a_table_of_scores_is_the_same_whatever_is_kept(finished, where, monkeypatch):
    expected = table.scores(finished)
    by_hand = score([Outcome(x.places, x.n_papers) for x in table.counting(finished)])
    pd.testing.assert_frame_equal(expected[[*measurement.KEPT]], by_hand)
    let_go(finished, where)
    pd.testing.assert_frame_equal(table.scores(finished), expected)
    workflow.score(finished)
    monkeypatch.setattr(table, "score", lambda outcomes, names: pytest.fail("measured") if len(names) else by_hand[[]])
    pd.testing.assert_frame_equal(table.scores(finished), expected)


def test_another_program_text_is_another_version(tmp_path, monkeypatch):
    for path in Path(metrics.__file__).parent.rglob("*.py"):
        copy = tmp_path / path.relative_to(Path(metrics.__file__).parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(measurement, "files", lambda package: tmp_path)
    version = measurement.version.__wrapped__
    assert version() == measurement.version()
    changed = tmp_path / "registry" / "natural_order.py"
    changed.write_text(changed.read_text() + "\n")
    assert version() != measurement.version()


def test_wrong_scores_are_named(finished):
    assert list(measurement.wrongly_kept(finished)) == []
    wrong, missing, *_ = (x.ranking_id for x in outcomes.scored_rankings(finished))
    assert let_go(finished, f"ranking_id = {missing}") == 1
    with finished.writing() as connection:
        zeros = f"UPDATE outcome_scores SET numbers = zeroblob(length(numbers)) WHERE ranking_id = {wrong}"
        connection.exec_driver_sql(zeros)
    said = f"the scores of ranking {wrong} are not what the measures say of its outcome"
    assert list(measurement.wrongly_kept(finished)) == [said]
