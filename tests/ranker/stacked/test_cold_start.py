"""New reports that a stored model lacks: what similarity to their first relevant papers adds to the regression."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data.records import Paper
from presort.metrics import Outcome, average_precision
from presort.ranker.gather import gather
from presort.ranker.stacked.cold_start import ColdStart
from presort.ranker.versions import presort_3
from tests.ranker.stacked.model_stores import METHOD, RECIPE, Files, model_store_of, relevant_before
from tests.ranker.worlds import as_rows, make_history

pytestmark = pytest.mark.usefixtures("models_are_kept")

FIRST = 10
NEGLIGIBLE = ColdStart(of_hidden=1e-12)  # the scaled regression, without similarity
HISTORY = make_history(12)
EXAMPLE = Paper("example", "Wage and union", "Strike and overtime.")


def knowing(n_relevant, examples=()):
    """Let the report on work have only its newest relevant papers, and examples."""
    rows = relevant_before(HISTORY, "work", FIRST)
    relevant = HISTORY.relevant | {"work": as_rows(*rows[len(rows) - n_relevant :])}
    return replace(HISTORY, relevant=relevant, seeds={"work": examples} if examples else {})


@pytest.fixture(scope="module")
def models():
    """A model that was trained without the report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 0)
        found = {name: rows for name, rows in HISTORY.relevant.items() if name != "work"}
        return model_store_of(replace(HISTORY, relevant=found), FIRST)


def explainer(history, models, cold_start):
    task = gather(RECIPE.name, history, FIRST, FIRST + 1, ["work"], {}, models).task
    return replace(METHOD, cold_start=cold_start).explainer(task)


def scores(history, models, cold_start, report="work"):
    return explainer(history, models, cold_start).scores(report)


def ap(scores):
    start = HISTORY.starts[FIRST]
    order = np.argsort(-scores, kind="stable")
    return average_precision(Outcome.from_relevance(np.isin(start + order, HISTORY.relevant["work"]).tolist()))


@pytest.mark.parametrize("history", [knowing(2), knowing(0, [EXAMPLE])], ids=["decisions", "an example"])
def test_papers_of_the_subject_come_first(models, history):
    assert ap(scores(history, models, presort_3.METHOD.cold_start)) > 0.9


def test_other_reports_keep_their_scores(models):
    history = knowing(3)
    for report in ("trade", "health"):
        of_each = [scores(history, models, one, report) for one in (ColdStart(), presort_3.METHOD.cold_start)]
        np.testing.assert_array_equal(*of_each)


def test_later_decisions_do_not_change_a_cold_start(models):
    history = knowing(2)
    start = history.starts[FIRST]
    later = {
        code: np.union1d(rows[rows < start], np.arange(start, start + 15)) for code, rows in history.relevant.items()
    }
    of_each = [scores(one, models, presort_3.METHOD.cold_start) for one in (history, replace(history, relevant=later))]
    np.testing.assert_array_equal(*of_each)


def test_without_similarity_the_scores_are_those_of_the_regression(models):
    history = knowing(3)
    plain, almost = (scores(history, models, one) for one in (ColdStart(), NEGLIGIBLE))
    np.testing.assert_allclose(almost, plain, atol=1e-4)


def test_scores_stay_on_the_scale_of_the_regression(models):
    """Otherwise forecasts would mistake them for more certain scores, and advise editors to stop too early."""
    history = knowing(2)
    plain, similar = (scores(history, models, one) for one in (ColdStart(), presort_3.METHOD.cold_start))
    assert similar.std() == pytest.approx(plain.std(), rel=0.5)
    assert similar.mean() == pytest.approx(plain.mean(), abs=plain.std())


def test_similarity_fades_with_the_number_of_relevant_papers(models):
    history = knowing(5)
    settings = ColdStart(1, 1, few=10**9), ColdStart(1, 1, few=5), ColdStart(0.5, 0.5, few=10**9)
    full, faded, half = (scores(history, models, one) for one in settings)
    np.testing.assert_allclose(faded, half, atol=1e-5)
    assert np.abs(full - half).max() > 0.01


def test_similarity_to_examples_does_not_fade(models):
    history = knowing(0, [EXAMPLE] * 3)
    few, many = (scores(history, models, ColdStart(1, 1, few=few)) for few in (1, 10**9))
    np.testing.assert_allclose(few, many, atol=1e-5)


def test_an_unknown_author_of_an_example_does_not_matter(models):
    """Only the regression may see that the example has an author."""
    unknown = replace(EXAMPLE, authors=("Nobody Else",))
    similarities = []
    for example in (EXAMPLE, unknown):
        history = knowing(0, [example])
        similarities.append(scores(history, models, ColdStart(1, 1)) - scores(history, models, NEGLIGIBLE))
    np.testing.assert_allclose(*similarities, atol=0.02)


def test_a_report_with_few_relevant_papers_is_scored_by_the_cold_start_though_the_model_includes_it():
    oldest = as_rows(*relevant_before(HISTORY, "work", FIRST)[:4])
    history = replace(HISTORY, relevant=HISTORY.relevant | {"work": oldest})
    with_it = model_store_of(history, FIRST)
    seen = {fewest: explainer(history, with_it, ColdStart(1, 1, fewest=fewest)).learned for fewest in (0, 4, 5)}
    assert {fewest: len(one.reports) for fewest, one in seen.items()} == {0: 3, 4: 3, 5: 4}
    assert seen[5].column("work") == 3


def test_reasons_of_a_paper_sum_to_all_contributions(models):
    seen = explainer(knowing(2), models, presort_3.METHOD.cold_start)
    for place in range(3):
        reasons = seen.reasons("work", seen.task.n_past + place)
        assert sum(abs(one.share) for one in reasons) == pytest.approx(1)


def test_contributions_explain_why_one_paper_is_above_another(models):
    """The sum of the contributions differs from the score only by a constant, where nothing is clipped or switched."""
    seen = explainer(knowing(2), models, presort_3.METHOD.cold_start)
    sums = [sum(amount for *_, amount in seen.amounts("work", seen.task.n_past + place)) for place in range(20)]
    assert np.corrcoef(sums, seen.scores("work"))[0, 1] > 0.9


def test_a_model_is_stored_without_the_new_report(models):
    assert isinstance(models, Files)
    explainer(knowing(2), models, presort_3.METHOD.cold_start)
    assert models.n_kept == 1
