"""Custom rankers: build a recipe from any scikit-learn estimator, and rank tables of papers without a workspace."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectorMixin, VarianceThreshold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from presort.data.errors import UnreadableFileError
from presort.data.importers.data_frame import read_data_frame
from presort.data.records import Paper
from presort.ranker.classifiers import can_score
from presort.ranker.gather import MIN_RELEVANT, can_train
from presort.ranker.published.counts import TermCounts
from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import MemoryModelStore, Recipe, Task, TrainingLabels
from presort.ranker.terms import Limits
from presort.ranker.text import title_abstract

REPORT = "report"  # report code that is used to rank a table


class Texts(TransformerMixin, BaseEstimator):
    """Transformer that converts papers to strings, for pipelines whose first step reads strings.

    Parameters
    ----------
    text : callable
        Function that returns a paper's text.
    """

    def __init__(self, text: Callable[[Paper], str]) -> None:
        self.text = text

    def fit(self, papers: Sequence[Paper], y: None = None) -> Self:
        """Do nothing, because there is nothing to fit."""
        return self

    def transform(self, papers: Sequence[Paper]) -> NDArray[np.object_]:
        """Return the text of each paper, shape (n_papers,)."""
        return np.array([self.text(paper) for paper in papers], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        """Return True, because there is nothing to fit. Called by a pipeline that consists only of this step."""
        return True


def recipe_of(
    name: str,
    estimator: BaseEstimator,
    *,
    text: Callable[[Paper], str] = title_abstract,
    description: str = "",
    minutes: float = 60,
) -> Recipe:
    """Build a recipe that trains a scikit-learn estimator separately for each report.

    Parameters
    ----------
    name : str
        Name under which rankings are stored. Choose a new name if a change affects the rankings.
    estimator : estimator
        Classifier or regressor, trained on labels 1 (relevant) and 0 (not relevant). Its scores come from the first of
        `decision_function`, `predict_proba` and `predict` that it has. Its input is the sublinear tf-idf of the words,
        as a sparse matrix if it accepts sparse matrices. A `Pipeline` reads strings instead, and so does an estimator
        that contains a pipeline with a vectorizer, such as a `GridSearchCV`. Pipeline steps that don't need labels are
        fitted once to all past papers; all other steps are fitted for each report. A random estimator needs a fixed
        `random_state`.
    text : callable
        Function that returns the text to read for a `Paper`. Defaults to the title and abstract in lower case.
    description : str
        Sentence that describes the recipe to users. Defaults to the estimator's `repr`.
    minutes : float
        Time limit, in minutes, for ranking for all reports. It applies only if an installed package provides the
        recipe.

    Raises
    ------
    ValueError
        If the estimator is neither a classifier nor a regressor.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> recipe_of("ridge", RidgeClassifier(alpha=2.0)).description
    'RidgeClassifier(alpha=2.0), trained separately for each report.'
    """
    if not can_score(estimator):
        raise ValueError(f"estimator must be a classifier or a regressor, got {estimator}")
    shared, own = _split_estimator(clone(estimator))

    def make_features() -> Pipeline:
        if shared is None:
            return make_pipeline(TermCounts(text, limits=Limits(min_df=2)), TfidfTransformer(sublinear_tf=True))
        return make_pipeline(Texts(text), *map(_clone_step, shared))

    summary = description or f"{' '.join(str(estimator).split())}, trained separately for each report."
    return Recipe(name, summary, SeparateReports(make_features, lambda: clone(own)), minutes)


def rank_papers(past: pd.DataFrame, new: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    """Rank new papers based on decisions on past papers, without a workspace.

    Parameters
    ----------
    past, new : DataFrame, one row per paper
        Past and new papers, read in the same way and with the same column names as tables in `presort import`:
        ``title``, and optionally ``paper_id``, ``abstract``, ``authors`` and ``codes`` (lists, or text separated by
        ``;``), ``series`` and others. ``past`` also needs a column ``relevant``: true, false, or missing if no decision
        was made.
    recipe : Recipe
        Recipe from `recipe_of` or `presort.ranker.versions.find_recipe`.

    Returns
    -------
    DataFrame
        Rows of ``new``, best first, with the 1-based ``position`` and the ``score`` (higher means more likely
        relevant).

    Raises
    ------
    ValueError
        If a column is missing or can't be read, a row has no title, or ``past`` has too few decisions. The message
        names the table, the 1-based row number and the column.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> past = pd.DataFrame({"title": ["Wages", "Wages and jobs", "Prices"], "relevant": [True, True, False]})
    >>> new = pd.DataFrame({"title": ["Prices and rents", "Wages and unions"]})
    >>> rank_papers(past, new, recipe_of("ridge", RidgeClassifier()))[["title", "position"]]
                  title  position
    1  Wages and unions         1
    0  Prices and rents         2
    """
    papers = [*_papers("past", past), *_papers("new", new)]
    task = Task(
        ranker=recipe.name,
        issues=[date.min, date.max],
        starts=np.array([0, len(past)]),
        papers=papers,
        kept_tokens=None,
        n_past=len(past),
        n_listed=len(new),
        decided={REPORT: _read_labels(past)},
        models=MemoryModelStore(),
        has_readers=False,
    )
    scores = np.full(len(new), np.nan)
    for scored in recipe.method.score(task, [REPORT], 1) if len(new) else ():
        if scored.scores is not None:
            scores = np.asarray(scored.scores)
    order = np.argsort(-scores, kind="stable")
    return new.iloc[order].assign(position=np.arange(1, len(new) + 1), score=scores[order])


def _split_estimator(estimator: Any) -> tuple[list[Any] | None, Any]:
    """Split an estimator into steps that all reports share and an estimator that is fitted separately for each report.

    The shared steps are None if the estimator reads a matrix instead of strings.
    """
    if not isinstance(estimator, Pipeline):
        return ([] if _reads_texts(estimator) else None), estimator
    others = estimator.steps[:-1]  # the last step computes the scores
    n_shared = next((n for n, (_, step) in enumerate(others) if _needs_labels(step)), len(others))
    own = estimator.steps[n_shared:]
    return [step for _, step in others[:n_shared]], Pipeline(own) if len(own) > 1 else own[0][1]


def _reads_texts(estimator: Any) -> bool:
    """Return True if any part of an estimator reads strings, for example the pipeline in a parameter search."""
    parts = [part for part in estimator.get_params().values() if isinstance(part, BaseEstimator)]
    return any(get_tags(part).input_tags.string for part in parts)


def _needs_labels(step: Any) -> bool:
    if step == "passthrough":
        return False
    is_choosing = isinstance(step, SelectorMixin) and not isinstance(step, VarianceThreshold)
    return is_choosing or get_tags(step).target_tags.required


def _clone_step(step: Any) -> Any:
    return step if step == "passthrough" else clone(step)


def _read_labels(past: pd.DataFrame) -> TrainingLabels:
    if "relevant" not in past:
        raise ValueError("past must have a column named relevant")
    labels = past["relevant"].dropna()
    if wrong := [value for value in labels if value not in (True, False)]:
        raise ValueError(f"relevant must be true, false or missing, got {wrong[0]!r}")
    y = labels.to_numpy(dtype=bool).astype(np.int8)
    if not can_train(y):
        raise ValueError(
            f"past must have at least {MIN_RELEVANT} relevant papers and 1 irrelevant paper, got {y.sum()} and "
            f"{len(y) - y.sum()}"
        )
    return TrainingLabels(np.flatnonzero(past["relevant"].notna()), y)


def _papers(name: str, table: pd.DataFrame) -> list[Paper]:
    try:
        return [entry.paper for entry in read_data_frame(name, table)]
    except UnreadableFileError as error:
        raise ValueError(str(error)) from error
