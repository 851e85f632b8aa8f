"""presort-2 with sentence vectors: their effect, and unchanged results without vectors."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data.records import Hints, Vectors
from presort.ranker.experiment import make_runs, plan_runs
from presort.ranker.gather import gather
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.stacked.forest import Trees
from presort.ranker.train import learn_ahead, rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.stacked.model_stores import REPORTS, Files, with_decisions
from tests.ranker.worlds import SUBJECTS, listed_scores, make_history

RELEASED, BEFORE = RECIPES["presort-2-vectors"], RECIPES["presort-2"]
SMALL = {"trees": Trees(n_trees=10, least=5), "few": 10}
RECIPE = replace(RELEASED, method=replace(RELEASED.method, **SMALL))
PLAIN = replace(BEFORE, method=replace(BEFORE.method, **SMALL))
MUTE = "nothing to read"


def with_vectors(history, *, made_by="m", seed=3):
    """Add to each paper a vector that depends on its subject, and some noise."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(scale=0.3, size=(len(history.papers), 6))
    for number, report in enumerate(SUBJECTS):
        numbers[history.relevant[report], number] += 1
    return replace(history, vectors=Vectors(made_by, numbers.astype(np.float16)))


def without_texts(history):
    """Remove everything but the vectors from papers."""
    papers = [replace(paper, title=MUTE, abstract="", authors=(), codes=()) for paper in history.papers]
    return replace(history, papers=papers)


def scores_of(recipe, history, first, *, models=None, hints=None):
    models = models or MemoryModelStore()
    return listed_scores(rank_block(recipe, history, first, first + 1, REPORTS, models=models, hints=hints))


def explainer_of(history, first, models=None):
    task = gather(RECIPE.name, history, first, first + 1, REPORTS, {}, models or MemoryModelStore()).task
    return RECIPE.method.explainer(task), task


def test_vectors_alone_rank_relevant_papers_first():
    history = without_texts(with_vectors(make_history(10)))
    for one in rank_block(RECIPE, history, 9, 10, REPORTS):
        is_relevant = np.isin(one.order + history.starts[9], history.relevant[one.report])
        assert is_relevant[: is_relevant.sum()].mean() > 0.8


def test_without_vectors_the_ranking_is_that_of_presort_2():
    assert scores_of(RECIPE, make_history(), 5) == scores_of(PLAIN, make_history(), 5)
    assert scores_of(RECIPE, with_vectors(make_history()), 5) != scores_of(PLAIN, make_history(), 5)


@pytest.mark.parametrize("name", ["presort-1", "presort-2"])
def test_other_rankers_read_no_vectors(name):
    assert scores_of(RECIPES[name], with_vectors(make_history()), 5) == scores_of(RECIPES[name], make_history(), 5)
    assert not RECIPES[name].method.reads_vectors


def test_a_stored_model_gives_the_same_ranking(monkeypatch):
    monkeypatch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 1)
    history, models = with_vectors(make_history(9)), Files()
    assert learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    assert scores_of(RECIPE, history, 8, models=models) == scores_of(RECIPE, history, 8)
    assert models.n_kept == 1


def test_a_model_of_other_vectors_is_skipped(monkeypatch):
    monkeypatch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 1)
    history, models = with_vectors(make_history(9)), Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    other = with_vectors(make_history(9), made_by="other", seed=4)
    assert scores_of(RECIPE, other, 8, models=models) == scores_of(RECIPE, other, 8)
    assert models.n_kept == 2


@pytest.mark.parametrize("name", ["meaning center", "meaning weights", "meaning folds of past", "meaning spread"])
def test_a_damaged_model_is_refused(monkeypatch, name):
    monkeypatch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 1)
    history, models = with_vectors(make_history(9)), MemoryModelStore()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    [model] = models.models.values()
    assert RECIPE.method.fault_of(model) == ""
    cut = {**model.arrays, name: model.arrays[name][:1]}
    assert RECIPE.method.fault_of(replace(model, arrays=cut))
    del cut[name]
    assert RECIPE.method.fault_of(replace(model, arrays=cut)) == f"lacks the array {name!r}"


def test_updates_and_cold_starts_read_vectors_too(monkeypatch):
    monkeypatch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 1)
    history, models = with_vectors(make_history(14)), Files()
    known = replace(history, relevant={report: history.relevant[report] for report in REPORTS[:2]})
    learn_ahead(RECIPE, known, REPORTS[:2], models=models, before=8)
    for one in rank_block(RECIPE, history, 12, 13, REPORTS, models=models):
        is_relevant = np.isin(one.order + history.starts[12], history.relevant[one.report])
        assert is_relevant[: is_relevant.sum()].mean() > 0.7
    assert models.n_kept == 1


def test_withdrawn_decisions_leave_no_trace(monkeypatch):
    monkeypatch.setattr("presort.ranker.stacked.method.FEW_PAPERS", 1)
    history, models = with_vectors(make_history(9)), Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=8)
    fewer = with_decisions(history, work=history.relevant["work"][5:])
    seen, _ = explainer_of(fewer, 8, models)
    before, _ = explainer_of(history, 8, models)
    column = seen.learned.column("work")
    assert (seen.learned.vector_model.weights[:, :, column] != before.learned.vector_model.weights[:, :, column]).any()


def test_meaning_is_a_reason_and_determines_similar_papers():
    history = with_vectors(make_history(10))
    seen, task = explainer_of(history, 9)
    for row in range(task.n_past, len(task.papers)):
        reasons = seen.reasons("trade", row)
        assert sum(reason.field == "meaning" for reason in reasons) == 1
        assert sum(abs(reason.share) for reason in reasons) == pytest.approx(1)
        numbers = task.vectors.numbers.astype(np.float64)
        for one in seen.similar("trade", row, 3):
            cosine = numbers[one.row] @ numbers[row] / np.linalg.norm(numbers[one.row]) / np.linalg.norm(numbers[row])
            assert one.similarity == pytest.approx(cosine)
            assert one.row in task.relevant("trade")


def test_a_paper_without_a_muted_term_keeps_its_vector():
    history = with_vectors(make_history(10))
    hints = {"trade": Hints(muted=("tariff",)), "work": Hints(muted=("wage", "union"))}
    gathered = gather(RECIPE.name, history, 9, 10, REPORTS, hints, MemoryModelStore())
    task, n_checked = gathered.task, 0
    for of_report in gathered.muted.values():
        for place, row in of_report.items():
            own = task.vectors.numbers[task.n_past + place].tolist()
            assert task.vectors.numbers[task.n_past + row].tolist() == own
            n_checked += 1
    assert n_checked
    assert len(task.vectors.numbers) == len(task.papers)


def test_an_experiment_reads_vectors_of_what_it_holds_out():
    history = without_texts(with_vectors(make_history(10)))
    plan = plan_runs(history, "trade", n_runs=1, n_held_out=40)
    [run] = make_runs(RECIPE, history, [plan])
    [blind] = make_runs(RECIPE, replace(history, vectors=None), [plan])
    assert run.positions.mean() < blind.positions.mean()
