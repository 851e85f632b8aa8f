"""Rank the unread papers of an open list again, with the decisions that were made in it.

Retraining a ranker takes seconds, and a few decisions change little in it. Here each paper keeps the score of the
ranking and gains by its similarity to the relevant papers of the issue: similarity of words and authors, and of the
scores that it gets from the rankings of all other reports. Two papers on one subject have similar scores there even if
they share no word.

The weight of similarity depends on the training data of the ranking. A report that began with one example learns most
from the decisions in the list, and similarity finds many of the relevant papers. A report with hundreds of relevant
papers already ranks its typical papers first. Its unread relevant papers are untypical, and similarity would move them
down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Paper, Positions
from presort.ranker.recipe import DECIMALS, Table
from presort.ranker.stacked.features import of_length_1
from presort.ranker.stacked.fields import Field, learn_fields
from presort.ranker.terms import Limits
from presort.ranker.tokens import side_by_side, tokens_of

FIELDS = {
    "words": Field(lambda tokens: side_by_side(tokens.title, tokens.abstract), Limits(min_df=2), 1.0),
    "authors": Field(lambda tokens: tokens.authors, Limits(), 0.5),
    "codes": Field(lambda tokens: tokens.codes, Limits(max_df=0.5), 0.5),
}
# Weights in standard deviations of the scores, chosen on 13 reports and 8 issues of the arXiv corpus.
OF_TEXT, OF_REPORTS = 1.0, 1.5
FEWEST_KNOWN = 10  # relevant papers in the training of another report; with fewer its ranking knows its subject little
GROWTH, USUAL = 0.3, 3  # the weights hold for three relevant papers in the list; more of them are more certain


@dataclass(frozen=True, eq=False)
class ListFeatures:
    """Features by which papers of an issue are compared. Rows are in list order.

    Attributes
    ----------
    text : CSR array of shape (n_papers, n_terms)
        Words, authors and codes.
    reports : array of shape (n_papers, n_reports)
        Scores of other reports, standardised; rows of length 1. No columns if there are none.
    """

    text: Any
    reports: Table


def list_features(papers: Sequence[Paper], other_scores: Sequence[Table]) -> ListFeatures:
    """Return the features by which papers of an issue are compared. It takes 0.2 s for 1,000 papers.

    Parameters
    ----------
    papers : sequence of Paper
        In list order.
    other_scores : sequence of array of shape (n_papers,)
        Scores of the papers for each other report, higher is likelier relevant.
    """
    return ListFeatures(learn_fields(FIELDS, tokens_of(papers))[1], report_features(len(papers), other_scores))


def report_features(n_papers: int, other_scores: Sequence[Table]) -> Table:
    """Return the part of `list_features` that comes from the scores of other reports."""
    reports = np.zeros((n_papers, len(other_scores)))
    for column, scores in enumerate(other_scores):
        reports[:, column] = _standard(scores)
    return of_length_1(reports)


def rerank(
    features: ListFeatures,
    order: Positions,
    scores: Table,
    is_relevant: NDArray[np.bool_],
    is_fixed: NDArray[np.bool_],
    *,
    n_known: int,
) -> Positions:
    """Return a list in its new order: papers that are fixed keep their places, the others move between theirs.

    Parameters
    ----------
    features : ListFeatures
        Of the papers of the list.
    order : array of shape (n_papers,)
        List positions, from 1, as the list is read now.
    scores : array of shape (n_papers,)
        Of the ranking, in list order.
    is_relevant, is_fixed : array of bool, shape (n_papers,)
        Papers found relevant, and papers read or decided; in list order.
    n_known : int
        Relevant papers of earlier issues, and examples, that the ranking was trained on.

    Returns
    -------
    array of shape (n_papers,)
        List positions. Papers that are equal keep their order.

    Examples
    --------
    >>> papers = [Paper("p1", "Wages"), Paper("p2", "Banks"), Paper("p3", "Trade"), Paper("p4", "Minimum wages")]
    >>> found = np.array([True, False, False, False])
    >>> order = np.array([1, 2, 3, 4], dtype=np.int32)
    >>> rerank(list_features(papers, []), order, np.array([0.9, 0.2, 0.2, 0.2]), found, found, n_known=1).tolist()
    [1, 4, 2, 3]
    """
    rows = np.flatnonzero(is_relevant)
    new = _standard(scores)
    if len(rows):
        weight = (len(rows) / USUAL) ** GROWTH * len(rows) / (len(rows) + n_known)
        new = new + weight * OF_TEXT * _standard(_likeness(features.text, rows))
        if features.reports.shape[1]:
            new = new + weight * OF_REPORTS * _standard(_likeness(features.reports, rows))
    moves = order[~is_fixed[order - 1]]
    result = order.copy()
    by_score = np.argsort(-new[moves - 1].round(DECIMALS), kind="stable")
    result[~is_fixed[order - 1]] = moves[by_score]
    return result


def _likeness(features: Any, rows: NDArray[np.intp]) -> Table:
    """Return how much each paper is like some of them on average, shape (n_papers,)."""
    likeness: Table = np.asarray(features @ np.asarray(features[rows].mean(axis=0)).ravel(), dtype=np.float64)
    return likeness


def _standard(scores: Table) -> Table:
    standard: Table = (scores - scores.mean()) / (scores.std() or 1.0)
    return standard
