"""Features of pairs of a paper and a report."""

from dataclasses import replace

import numpy as np
import pytest

from presort.ranker.stacked.fields import learn_fields
from presort.ranker.stacked.forest import columns, n_columns, pair_features, parts_of, reports_of, term_counts
from presort.ranker.stacked.forest_method import OTHERS, pairs_to_learn_from
from presort.ranker.stacked.svms import margins
from presort.ranker.tokens import tokens_of
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import make_history

METHOD = RECIPES["presort-2"].method


def known_of(n_papers, n_reports, n_fields=2):
    rng = np.random.default_rng(0)
    draw = lambda: rng.normal(size=(n_papers, n_reports))  # noqa: E731
    inputs = rng.normal(size=(n_papers, n_reports + 9))
    n_terms = rng.integers(0, 100, (n_papers, n_fields))
    return pair_features(draw(), [draw() for _ in range(n_fields)], inputs, draw(), draw(), n_terms), inputs


def test_companions_are_the_reports_most_often_relevant_together():
    y = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, -1]], dtype=np.int8)
    reports = reports_of(y)
    assert reports.companions.tolist() == [[1, 2], [0, 2], [0, 1]]
    np.testing.assert_allclose(reports.shares, np.log([4 / 5, 3 / 5, 2 / 4]))


@pytest.mark.parametrize("n_reports", [2, 3, 5, 9])
def test_the_number_of_columns_is_as_documented(n_reports):
    known, _ = known_of(7, n_reports)
    y = np.random.default_rng(1).integers(-1, 2, (30, n_reports)).astype(np.int8)
    papers, of_reports = np.divmod(np.arange(7 * n_reports), n_reports)
    found = columns(known, reports_of(y), papers, of_reports)
    assert found.shape == (n_columns(n_reports, 2, 2), 7 * n_reports)
    assert found.dtype == np.float64


def test_columns_depend_on_paper_and_report():
    known, inputs = known_of(4, 3)
    y = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, -1]], dtype=np.int8)
    found = columns(known, reports_of(y), np.array([2, 3]), np.array([1, 0]))
    margins, outputs, by_terms = known.margins, known.outputs, known.by_terms
    expected = [
        [margins[2, 1], margins[3, 0]],
        margins.max(axis=1)[2:],
        margins.mean(axis=1)[2:],
        [(margins[2] > margins[2, 1]).sum(), (margins[3] > margins[3, 0]).sum()],
        *([part[2, 1], part[3, 0]] for part in known.parts),
        [outputs[2, 1], outputs[3, 0]],
        outputs.max(axis=1)[2:],
        [(outputs[2] > outputs[2, 1]).sum(), (outputs[3] > outputs[3, 0]).sum()],
        [by_terms[2, 1], by_terms[3, 0]],
        by_terms.max(axis=1)[2:],
        [(by_terms[2] > by_terms[2, 1]).sum(), (by_terms[3] > by_terms[3, 0]).sum()],
        [inputs[2, -4], inputs[3, -5]],
        np.exp(inputs[2:, -5:-2]) @ [4 / 5, 3 / 5, 2 / 4],
        inputs[2:, -2],
        inputs[2:, -1],
        known.n_terms[2:, 0],
        known.n_terms[2:, 1],
        [np.log(3 / 5), np.log(4 / 5)],
        [margins[2, 0], margins[3, 1]],
        [inputs[2, -5], inputs[3, -4]],
        [margins[2, 2], margins[3, 2]],
        [inputs[2, -3], inputs[3, -3]],
    ]
    np.testing.assert_allclose(found, expected, rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(columns(known[2:], reports_of(y), np.array([0, 1]), np.array([1, 0])), found)


@pytest.mark.parametrize("column", [3, 1], ids=["appended", "replaced"])
def test_a_report_is_added_with_the_features_of_an_average_paper(column):
    known, _ = known_of(4, 3)
    others = [other for other in range(3) if other != column]
    margins, outputs, *parts = np.random.default_rng(2).normal(size=(4, 4))
    parts_known = replace(known, parts=[*known.parts, known.record])  # nearness, which the added report lacks
    found = parts_known.with_report(column, margins, parts, outputs)
    for table, added in (
        (found.margins, margins),
        (found.record, 0),
        (found.outputs, outputs),
        (found.by_terms, outputs),
        *zip(found.parts, [*parts, 0], strict=True),
    ):
        np.testing.assert_array_equal(table[:, column], added)
    for before, after in zip(parts_known.parts, found.parts, strict=True):
        np.testing.assert_array_equal(after[:, others], before[:, others])
    np.testing.assert_array_equal(found.authors, known.authors)


def test_an_added_report_has_the_same_features_as_in_a_full_computation():
    y = np.random.default_rng(3).choice(np.array([-1, 0, 1], dtype=np.int8), (60, 9), p=[0.1, 0.6, 0.3])
    found, expected = reports_of(y[:, :8]).with_report(8, y[:, :8], y[:, 8]), reports_of(y)
    np.testing.assert_allclose(found.shares, expected.shares)
    assert found.companions[8].tolist() == expected.companions[8].tolist()
    assert found.companions[:8].tolist() == reports_of(y[:, :8]).companions.tolist()


def test_a_report_that_replaces_itself_keeps_its_features():
    y = np.random.default_rng(3).choice(np.array([-1, 0, 1], dtype=np.int8), (60, 9), p=[0.1, 0.6, 0.3])
    before = reports_of(y)
    found = before.with_report(4, y, y[:, 4])
    np.testing.assert_allclose(found.shares, before.shares)
    assert found.companions.tolist() == before.companions.tolist()


def test_parts_sum_to_the_margin_up_to_a_constant_and_terms_are_counted():
    history = make_history()
    fields, X = learn_fields(METHOD.fields, tokens_of(history.papers))
    y = np.column_stack([np.isin(np.arange(len(history.papers)), rows) for rows in history.relevant.values()])
    weights = METHOD.svms.train(X, y.astype(np.int8))
    spread = np.array([1.0, 2.0, 4.0])
    parts = parts_of(X, fields, weights, spread)
    assert len(parts) == len(METHOD.fields)
    np.testing.assert_allclose(sum(parts) * spread + weights[-1], margins(X, weights), rtol=0, atol=1e-5)
    assert all(np.abs(part).max() > 0.01 for part in parts)
    in_fields = [X[:, fields.columns(field)].toarray() != 0 for field in METHOD.fields]
    assert term_counts(X, fields).tolist() == np.column_stack([field.sum(axis=1) for field in in_fields]).tolist()


def test_training_uses_all_relevant_pairs_and_some_of_the_others():
    y = np.random.default_rng(0).choice(np.array([-1, 0, 1], dtype=np.int8), (400, 5), p=[0.1, 0.85, 0.05])
    papers, reports = pairs_to_learn_from(y)
    words = y[papers, reports]
    assert (words == 1).sum() == (y == 1).sum()
    assert (words == 0).sum() == OTHERS * (y == 1).sum()
    assert len({*zip(papers.tolist(), reports.tolist(), strict=True)}) == len(papers)
    few, _ = pairs_to_learn_from(np.array([[1, 0], [1, -1]], dtype=np.int8))
    assert few.tolist() == [0, 0, 1]
