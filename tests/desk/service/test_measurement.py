"""Scores kept beside outcomes: those that are measured, by whichever measures there are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from data import catalogue
from data.errors import WorkspaceError
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
    return scored_columns(store, measurement.VERSION).has_scores


@settings(FIXED, max_examples=60)
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
    by_hand = score([Outcome(x.places, x.n_papers) for x in table.official(finished)])
    pd.testing.assert_frame_equal(expected[[*measurement.KEPT]], by_hand)
    let_go(finished, where)
    pd.testing.assert_frame_equal(table.scores(finished), expected)
    workflow.score(finished)
    monkeypatch.setattr(table, "score", lambda outcomes, names: pytest.fail("measured") if len(names) else by_hand[[]])
    pd.testing.assert_frame_equal(table.scores(finished), expected)


def test_another_program_text_is_another_version(tmp_path):
    for path in Path(metrics.__file__).parent.rglob("*.py"):
        copy = tmp_path / path.relative_to(Path(metrics.__file__).parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert measurement.version_of(tmp_path) == measurement.VERSION
    changed = tmp_path / "registry" / "natural_order.py"
    changed.write_text(changed.read_text() + "\n")
    assert measurement.version_of(tmp_path) != measurement.VERSION


def test_the_night_keeps_what_an_upgrade_has_measured_anew(finished, monkeypatch):
    monkeypatch.setattr(measurement, "VERSION", "of the release before")
    workflow.score(finished)
    monkeypatch.undo()
    assert not is_kept(finished).any()
    workflow.learn(finished)
    assert is_kept(finished).all()


def damage(store, number):
    with store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE outcome SET n_papers = 1 WHERE ranking_id = {number}")


def test_a_damaged_outcome_is_one_line_and_stops_no_report(finished):
    number = max(x.ranking_id for x in outcomes.scored_rankings(finished) if x.places.any())
    damage(finished, number)
    said = f"the places of ranking {number} are not ascending places of its papers"
    assert [said in one for one in measurement.wrongly_kept(finished)] == [True]
    with pytest.raises(WorkspaceError, match=said):
        table.scores(finished)
    n_kept = let_go(finished)
    workflow.learn(finished)
    assert let_go(finished) == n_kept - 1, "whatever is sound is kept"
    newest = catalogue.issues(finished)[-1].date
    assert workflow.issue_report(finished, "lab", newest, None, person="Ann") == 0


def test_scores_of_other_measures_under_this_version_are_not_shown(finished):
    expected = table.scores(finished)
    with finished.writing() as connection:
        connection.exec_driver_sql("UPDATE outcome_scores SET numbers = substr(numbers, 1, 16)")
    pd.testing.assert_frame_equal(table.scores(finished), expected)
    assert len(list(measurement.wrongly_kept(finished))) == len(outcomes.scored_rankings(finished))


def test_wrong_scores_are_named(finished):
    assert list(measurement.wrongly_kept(finished)) == []
    wrong, missing, *_ = (x.ranking_id for x in outcomes.scored_rankings(finished))
    assert let_go(finished, f"ranking_id = {missing}") == 1
    with finished.writing() as connection:
        zeros = f"UPDATE outcome_scores SET numbers = zeroblob(length(numbers)) WHERE ranking_id = {wrong}"
        connection.exec_driver_sql(zeros)
    said = f"the scores of ranking {wrong} are not what the measures say of its outcome"
    assert list(measurement.wrongly_kept(finished)) == [said]
