"""Small history, and model stores that count their calls."""

import io
import json
from dataclasses import replace

import numpy as np

from presort.data.records import Model
from presort.ranker.gather import gather
from presort.ranker.train import learn_ahead, rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, listed_scores

RECIPE = RECIPES["presort-1"]
METHOD = RECIPE.method
REPORTS = list(SUBJECTS)


class Files:
    """Model store that keeps what a file could store, and counts the calls."""

    def __init__(self):
        self.n_kept, self.files = 0, {}

    def find(self, ranker, trained_before, layout, settings):
        if (ranker, trained_before) not in self.files:
            return None
        trained_on, arrays = self.files[ranker, trained_before]
        arrays.seek(0)
        return Model(
            ranker, layout, settings, trained_before, json.loads(trained_on), dict(np.load(arrays, allow_pickle=False))
        )

    def keep(self, model):
        arrays = io.BytesIO()
        np.savez(arrays, **model.arrays)
        self.n_kept += 1
        self.files[model.ranker, model.trained_before] = json.dumps(model.trained_on), arrays


def scores_of(history, first, *, models=None, reports=REPORTS):
    return listed_scores(rank_block(RECIPE, history, first, first + 1, reports, models=models or Files()))


def relevant_before(history, report, issue):
    rows = history.relevant[report]
    return rows[rows < history.starts[issue]]


def model_store_of(history, first):
    """Train ahead before an issue."""
    models = Files()
    learn_ahead(RECIPE, history, REPORTS, models=models, before=first)
    return models


def later(history, first, models):
    """Return the updated model when an issue is ranked, and the model that it started from."""
    task = gather(RECIPE.name, history, first, first + 1, REPORTS, {}, models).task
    _, model, rows = METHOD._newest(task)
    learned, y = METHOD._up_to_date(task, model, rows)
    return task, y, model, learned


def with_decisions(history, **relevant):
    """Change the relevant papers of reports."""
    return replace(history, relevant={**history.relevant, **relevant})
