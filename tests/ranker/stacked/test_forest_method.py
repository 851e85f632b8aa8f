"""Trees combined with SVMs and networks: what is stored, the data they may use, and what stays unchanged."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data.records import Paper
from presort.ranker.gather import gather
from presort.ranker.recipe import MemoryModelStore, labels
from presort.ranker.stacked import by_example
from presort.ranker.stacked.cold_start import ColdStart
from presort.ranker.stacked.forest import Trees
from presort.ranker.stacked.forest_method import network_outputs
from presort.ranker.stacked.network import DECIMALS
from presort.ranker.stacked.term_network import TermNetwork
from presort.ranker.stacked.training import Decisions, prepare_training
from presort.ranker.train import learn_ahead, rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.stacked.model_stores import REPORTS, Files, relevant_before, with_decisions
from tests.ranker.worlds import as_rows, listed_scores, make_history

BEFORE, RELEASED = RECIPES["presort-1"], RECIPES["presort-2"]
METHOD = replace(RELEASED.method, trees=Trees(n_trees=10, least=5), few=10)
RECIPE = replace(RELEASED, method=METHOD)


def scores_of(recipe, history, first, *, models=None):
    return listed_scores(rank_block(recipe, history, first, first + 1, REPORTS, models=models or MemoryModelStore()))


def explainer_of(history, first, models=None, method=METHOD):
    task = gather(RECIPE.name, history, first, first + 1, REPORTS, {}, models or MemoryModelStore()).task
    return method.explainer(task), task


def test_the_model_contains_that_of_presort_1():
    assert RELEASED.method.fields == BEFORE.method.fields
    assert (RELEASED.method.svms, RELEASED.method.network) == (BEFORE.method.svms, BEFORE.method.network)
    seen, _ = explainer_of(make_history(), 5)
    for (report, _), scores in scores_of(BEFORE, make_history(), 5).items():
        assert seen.network_outputs[:, seen.learned.column(report)].round(DECIMALS).tolist() == scores


def test_trees_are_used_if_there_is_enough_data():
    history = make_history()
    assert scores_of(RELEASED, history, 5) == scores_of(BEFORE, history, 5)
    assert scores_of(RECIPE, history, 5) != scores_of(BEFORE, history, 5)


def test_trees_rank_relevant_papers_first():
    history = make_history(12)
    for one in rank_block(RECIPE, history, 11, 12, REPORTS):
        rows = one.order + history.starts[11]
        is_relevant = np.isin(rows, history.relevant[one.report])
        assert is_relevant[: is_relevant.sum()].all()


def test_one_report_alone_has_no_trees():
    history = make_history()
    alone = replace(history, relevant={"work": history.relevant["work"]})
    found, before = (listed_scores(rank_block(recipe, alone, 5, 6, ["work"])) for recipe in (RECIPE, BEFORE))
    assert found == before


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_from_a_file_gives_the_same_scores():
    history, models = make_history(11), Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    for first in (8, 10):
        assert scores_of(RECIPE, history, first, models=models) == scores_of(RECIPE, history, first)
    assert models.n_kept == 1
    assert len(explainer_of(history, 10, models)[0].forest) == 10


@pytest.mark.usefixtures("models_are_kept")
def test_decisions_since_the_model_are_used():
    history, models = make_history(11), Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    since = history.relevant["work"]
    fewer = with_decisions(history, work=since[(since < history.starts[8]) | (since >= history.starts[10])])
    assert scores_of(RECIPE, fewer, 10, models=models) != scores_of(RECIPE, history, 10, models=models)


@pytest.mark.usefixtures("models_are_kept")
def test_a_new_report_uses_the_networks_and_changes_no_other():
    history, models = make_history(11), Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    known = scores_of(RECIPE, history, 10, models=models)
    more = with_decisions(history, young=history.relevant["work"][-12:])
    task = gather(RECIPE.name, more, 10, 11, [*REPORTS, "young"], {}, models).task
    seen = METHOD.explainer(task)
    for report in REPORTS:
        assert seen.scores(report).tolist() == known[report, 10]
    column = seen.learned.column("young")
    np.testing.assert_array_equal(seen.outputs[:, column], seen.network_outputs[:, column])


def averaging_explainer(history, first, models, cold_start):
    """Return the explainer of a method that averages the scores of a cold start and of the trees."""
    reports = list(history.relevant)
    task = gather(RECIPE.name, history, first, first + 1, reports, {}, models).task
    return replace(METHOD, cold_start=cold_start).explainer(task)


@pytest.mark.usefixtures("models_are_kept")
def test_the_score_of_a_report_with_few_relevant_papers_is_an_average():
    history, models = make_history(11), Files()
    few = with_decisions(history, work=relevant_before(history, "work", 8)[:6])
    learn_ahead(RECIPE, few, REPORTS, models=models, before=8)
    alone, _ = explainer_of(few, 10, models)
    seen = averaging_explainer(few, 10, models, ColdStart(1, 1, few=3, fewest=7))
    own, added = list(seen.learned.reports).index("work"), seen.learned.column("work")
    assert own < seen.learned.n_read <= added
    expected = 1 / 3 * seen.network_outputs[:, added] + 2 / 3 * alone.outputs[:, own]  # 3 / (3 + 6) and the rest
    np.testing.assert_allclose(seen.outputs[:, added], expected)
    np.testing.assert_array_equal(seen.outputs[:, : seen.learned.n_read], alone.outputs)
    assert sum(abs(reason.share) for reason in seen.reasons("work", seen.task.n_past)) == pytest.approx(1)


@pytest.mark.usefixtures("models_are_kept")
def test_a_new_report_changes_no_report_with_few_relevant_papers():
    history, models = make_history(11), Files()
    few = replace(history, relevant={code: relevant_before(history, code, 8)[:12] for code in REPORTS})
    learn_ahead(RECIPE, few, REPORTS, models=models, before=8)
    more = with_decisions(few, new=relevant_before(history, "work", 10)[-3:])
    before, after = (averaging_explainer(one, 10, models, ColdStart(1, 1, fewest=50)) for one in (few, more))
    for report in REPORTS:
        assert before.learned.column(report) >= before.learned.n_read
        np.testing.assert_array_equal(before.scores(report), after.scores(report))


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize(
    ("n_since", "n_examples", "uses_model"), [(2, 6, True), (5, 0, False)], ids=["examples", "outdated"]
)
def test_trees_use_the_model_unless_it_is_outdated_whatever_the_examples(n_since, n_examples, uses_model):
    history, models = make_history(11), Files()
    known = relevant_before(history, "work", 8)[:4]
    learn_ahead(RECIPE, with_decisions(history, work=known), REPORTS, models=models, before=8)
    since = history.relevant["work"][history.relevant["work"] >= history.starts[8]][:n_since]
    grown = with_decisions(history, work=np.concatenate([known, since]))
    examples = [Paper(f"e{number}", "Wage and union", "Strike.") for number in range(n_examples)]
    seen = averaging_explainer(replace(grown, seeds={"work": examples}), 10, models, ColdStart(1, 1, fewest=50))
    [average] = [one for one in seen.learned.averages if seen.learned.reports[one.cold_start_column] == "work"]
    assert (average.tree_column == REPORTS.index("work")) == uses_model
    assert average.weight == 20 / (20 + 4 + n_since)


@pytest.mark.usefixtures("models_are_kept")
def test_trees_can_score_a_report_that_the_model_lacks():
    history, models = make_history(11), Files()
    without = replace(history, relevant={code: rows for code, rows in history.relevant.items() if code != "work"})
    learn_ahead(RECIPE, without, REPORTS, models=models, before=8)
    new = with_decisions(without, work=relevant_before(history, "work", 10)[-4:])
    alone = averaging_explainer(without, 10, models, ColdStart(1, 1))
    cold, half, warm = (averaging_explainer(new, 10, models, ColdStart(1, 1, few=few)) for few in (10**9, 4, 0))
    column = cold.learned.column("work")
    np.testing.assert_allclose(cold.outputs[:, column], cold.network_outputs[:, column], atol=1e-6)
    assert np.ptp(warm.outputs[:, column] - 0.25 * warm.network_outputs[:, column]) > 0  # the trees separate papers
    is_relevant = np.isin(np.arange(history.starts[10], history.starts[11]), history.relevant["work"])
    for seen in (cold, half, warm):
        scores = seen.outputs[:, column]
        assert (np.subtract.outer(scores[is_relevant], scores[~is_relevant]) > 0).mean() > 0.9
        np.testing.assert_array_equal(seen.outputs[:, :column], alone.outputs)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        pytest.param("trees leaves", None, "lacks the array 'trees leaves'", id="no-leaves"),
        pytest.param(
            "trees columns",
            lambda a: a.astype(float),
            "has an array 'trees columns' of the wrong type or dimension",
            id="kind",
        ),
        pytest.param("trees bounds", lambda a: a[:-1], "has an array 'trees bounds' of the wrong size", id="size"),
        pytest.param(
            "trees bounds", lambda a: a * np.nan, "has an array 'trees bounds' with values that aren't finite", id="nan"
        ),
        pytest.param("trees columns", lambda a: a + 99, "has invalid trees", id="columns"),
        pytest.param("trees leaves", lambda a: a[:, :-1], "has trees of inconsistent sizes", id="too-few-leaves"),
        pytest.param("term vectors", None, "lacks the array 'term vectors'", id="no-vectors-of-terms"),
        pytest.param(
            "out of term units", lambda a: a[..., :-1], "has an array 'out of term units' of the wrong size", id="units"
        ),
        pytest.param("read terms", lambda a: a + 10**6, "has invalid term networks", id="terms"),
        pytest.param("read terms", lambda a: a[::-1], "has invalid term networks", id="terms-disordered"),
        pytest.param(
            "directions into term units",
            lambda a: np.ones((len(a), 3, a.shape[2])),
            "has term networks for other sentence vectors",
            id="directions",
        ),
        pytest.param("spread", lambda a: a * 0, "has values out of range", id="not-of-the-trees"),
    ],
)
@pytest.mark.usefixtures("models_are_kept")
def test_a_damaged_model_is_refused(name, change, message):
    history, models = make_history(11), MemoryModelStore()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    (model,) = models.models.values()
    assert METHOD.fault_of(model) == ""
    arrays = {other: array for other, array in model.arrays.items() if other != name or change}
    if change:
        arrays[name] = change(arrays[name])
    assert METHOD.fault_of(replace(model, arrays=arrays)) == message


def test_ranking_by_examples_equals_that_of_presort_1():
    history = make_history()
    examples = [Paper("e", "Wage and pension of the union", "A strike for overtime and salary")]
    found, before = (by_example.learn(recipe, history, 4, Files()).sort(examples) for recipe in (RECIPE, BEFORE))
    assert [one.scores.tolist() for one in found] == [one.scores.tolist() for one in before]
    assert [one.order.tolist() for one in found] == [one.order.tolist() for one in before]


def test_the_plain_method_trains_the_same_networks_without_trees():
    seen, _ = explainer_of(make_history(), 5)
    plain, _ = explainer_of(make_history(), 5, method=METHOD.plain())
    np.testing.assert_array_equal(plain.network_outputs, seen.network_outputs)
    assert len(seen.forest)
    assert len(seen.term_networks.terms)
    assert not len(plain.forest)
    assert not len(plain.term_networks.terms)


def test_other_trees_or_networks_need_another_model():
    other = replace(METHOD, trees=Trees(n_trees=11, least=5))
    assert METHOD.settings() != other.settings()
    assert METHOD.settings() != replace(METHOD, term_network=TermNetwork(n_units=9)).settings()
    assert METHOD.settings() != replace(METHOD, few=11).settings()


def test_no_paper_is_scored_by_a_network_trained_on_it():
    history = make_history()
    task = gather("any", history, 5, 6, REPORTS, {}, MemoryModelStore()).task
    past = slice(task.n_past)
    y = labels(task, REPORTS)
    decisions = Decisions(task.tokens[past], y, REPORTS, task.keys, task.numbers_of(past), None)
    _, training = prepare_training(METHOD.fields, METHOD.svms, decisions, 1)
    before = network_outputs(METHOD.network, training, y)
    for paper in range(0, 100, 20):
        turned = y.copy()
        turned[paper] = 1 - turned[paper]
        after = network_outputs(METHOD.network, training, turned)
        np.testing.assert_array_equal(after[paper], before[paper])
        assert (after != before).any()


def test_differences_of_reasons_between_papers_equal_those_of_scores():
    """Differences of the sums of amounts between papers equal differences of their scores."""
    history = make_history()
    seen, task = explainer_of(history, 5)
    for report in REPORTS:
        scores = seen.outputs[:, seen.learned.column(report)]
        of_networks = seen.network_outputs[:, seen.learned.column(report)]
        slope = np.cov(of_networks, scores, bias=True)[0, 1] / of_networks.var()
        for place in range(0, 20, 5):
            reasons = seen.reasons(report, task.n_past + place)
            assert sum(abs(reason.share) for reason in reasons) == pytest.approx(1)
            [agreement] = [reason for reason in reasons if reason.field == "agreement"]
            added = scores[place] - scores.mean() - slope * (of_networks[place] - of_networks.mean())
            whole = added / agreement.share
            assert whole > 0
            others = sum(reason.share for reason in reasons if reason.field != "agreement") * whole
            amounts = sum(amount for _, _, amount in seen.amounts(report, task.n_past + place))
            assert others == pytest.approx(slope * amounts)


def test_a_report_that_has_taken_back_everything_is_kept_in_list_order():
    history = make_history()
    found = scores_of(RECIPE, with_decisions(history, work=as_rows()), 5)
    assert found["work", 5] == []
    assert len(found["trade", 5]) == 20
