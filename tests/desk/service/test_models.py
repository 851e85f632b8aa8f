"""Stored models: whatever happens to their files, rankings are computed, and unusable files are reported once."""

import logging
from dataclasses import replace

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.learning import rankings
from presort.data.learning.models import find_models, keep_model, load_model, model_store
from presort.data.records import Model
from presort.desk.jobs import worker
from presort.desk.service import workflow
from presort.desk.topic.past_issues import learn_past
from presort.ranker.stacked import method
from presort.ranker.stacked.model import LAYOUT
from presort.ranker.versions import DEFAULT, RECIPES

pytestmark = pytest.mark.whole

OURS = RECIPES["presort-1"]
SETTINGS = OURS.method.settings()
NOT_USED = "The ranker is trained from scratch, because the stored model can't be used: "


@pytest.fixture
def ranked(store, monkeypatch):
    """Workspace with a stored model, and the model's file."""
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 7)
    list(workflow.rank(store, [OURS]))
    [path] = find_models(model_store(store).path, OURS.name)
    return store, path


def test_models_trained_ahead_by_a_worker_are_stored(store, monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 7)
    worker.do_learn(store, None, None)
    assert len(find_models(model_store(store).path, DEFAULT)) == 1


def scores(store, newest):
    found = {report.code: rankings.newest_rankings(store, report.code, newest) for report in catalogue.reports(store)}
    return {code: of_report[OURS.name].ranking.scores.tolist() for code, of_report in found.items()}


def rerank(store):
    """Compute all rankings again. Returns the messages about the model."""
    with store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM ranking")
    steps = list(workflow.rank(store, [OURS]))
    assert steps[-1].done == steps[-1].total
    return [step.note for step in steps if "model" in step.note]


def changed(path, **to):
    """Write a model with some values changed."""
    model = load_model(path, ranker=OURS.name, layout=LAYOUT, settings=SETTINGS)
    arrays = {name: array for name, array in {**model.arrays, **to.pop("arrays", {})}.items() if array is not None}
    keep_model(path.parent, replace(model, arrays=arrays, **to))


def dangle(path):
    path.unlink()
    path.symlink_to("gone")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(
            lambda path: path.write_bytes(path.read_bytes()[:-99]), "is damaged or not a Presort model", id="cut"
        ),
        pytest.param(dangle, "can't be read: No such file or directory", id="dangling"),
        pytest.param(lambda path: changed(path, layout=0), "has layout 0 of presort-1, but", id="older-version"),
        pytest.param(lambda path: changed(path, arrays={"mean": None}), "lacks the array 'mean'.", id="missing-array"),
    ],
)
def test_a_file_that_can_not_be_used_is_named_once_and_replaced(ranked, newest, damage, message):
    store, path = ranked
    before = scores(store, newest)
    damage(path)
    [note] = rerank(store)
    assert note.startswith(NOT_USED)
    assert path.name in note
    assert message in note
    assert scores(store, newest) == before
    written = path.stat().st_mtime_ns
    assert rerank(store) == []
    assert path.stat().st_mtime_ns == written


def test_a_read_only_model_folder_is_reported_and_stops_nothing(ranked, newest):
    store, path = ranked
    before = scores(store, newest)
    path.unlink()
    path.mkdir()
    [note] = rerank(store)
    assert note.startswith("The next ranking will train the model again, because the trained model can't be stored: ")
    assert f"{path.name} can't be written: Is a directory" in note
    assert scores(store, newest) == before


def test_an_unusable_model_is_logged(ranked, caplog):
    store, path = ranked
    changed(path, arrays={"weights": np.full_like(weights_in(path), np.nan)})
    with caplog.at_level(logging.WARNING):
        assert learn_past(store, OURS, 1).sorter.n_reports > 0
    assert caplog.messages == [f"{NOT_USED}models/{path.name} has an array 'weights' with values that aren't finite."]


def weights_in(path):
    return load_model(path, ranker=OURS.name, layout=LAYOUT, settings=SETTINGS).arrays["weights"]


def test_a_model_store_without_a_folder_is_empty(store, newest):
    messages = []
    models = model_store(store, messages.append)
    assert models.find("any", newest, 1, {}) is None
    models.keep(Model("any", 1, {}, newest, {}, {"a": np.zeros(2)}))
    assert models.find("any", newest, 1, {}).arrays["a"].tolist() == [0, 0]
    assert messages == []
