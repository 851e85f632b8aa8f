"""What is known of pairs of a paper and a report: the cases that the trees learn from and judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from presort.data.records import Rows
from presort.ranker.presort_1.fields import LearnedFields
from presort.ranker.presort_1.moved import Moved
from presort.ranker.recipe import Labels, Table, n_said

N_COMPANIONS = 4  # the reports most often relevant together with one
N_OF_AUTHORS = 2  # what the network sees of the authors last, beside the record by report: how many, and their papers
DIGITS = 4  # of what is known: what differs only below is the same, so that machines agree
N_OWN = 14  # columns beside those of the fields and the companions


@dataclass(frozen=True, eq=False)
class Reports:
    """What is known of reports before any paper.

    Attributes
    ----------
    shares : array of shape (n_reports,)
        Logarithm of the share of papers that is relevant.
    companions : array of shape (n_reports, n_companions)
        Columns of the reports most often relevant together with each, most often first.
    """

    shares: Table
    companions: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known of papers, each by machines and networks that have not seen it.

    Attributes
    ----------
    margins : array of shape (n_papers, n_reports)
        At mean 0 and spread 1.
    parts : sequence of array of shape (n_papers, n_reports)
        What each field has in the margins.
    record : array of shape (n_papers, n_reports)
        How often each report took other papers of the authors.
    authors : array of shape (n_papers, 2)
        Of how many other papers that is, and how many authors there are.
    outputs : array of shape (n_papers, n_reports)
        What the networks make of the papers.
    by_terms : array of shape (n_papers, n_reports)
        What networks over their terms make of them.
    """

    margins: Table
    parts: Sequence[Table]
    record: Table
    authors: Table
    outputs: Table
    by_terms: Table

    def __getitem__(self, rows: slice) -> "Evidence":
        parts = [part[rows] for part in self.parts]
        return Evidence(
            self.margins[rows], parts, self.record[rows], self.authors[rows], self.outputs[rows], self.by_terms[rows]
        )


def evidence(
    margins: Table, parts: Sequence[Table], inputs: Table, outputs: Table, by_terms: Table, n_of_meaning: int = 0
) -> Evidence:
    """Put together what is known of papers.

    Parameters
    ----------
    inputs : array of shape (n_papers, n_inputs)
        Of the network: what `presort.ranker.presort_1.evidence` gives, and after it the columns of meaning.
    n_of_meaning : int
        How many these are; the first ones, as many as reports, are one part more.
    """
    n_reports = margins.shape[1]
    end = inputs.shape[1] - n_of_meaning
    record = inputs[:, end - n_reports - N_OF_AUTHORS : end - N_OF_AUTHORS]
    nearness = [inputs[:, end : end + n_reports]] if n_of_meaning else []
    return Evidence(margins, [*parts, *nearness], record, inputs[:, end - N_OF_AUTHORS : end], outputs, by_terms)


def reports_of(y: Labels) -> Reports:
    """Return what past decisions, shape (n_past, n_reports), tell of the reports."""
    n_others, n_relevant = n_said(y)
    papers, reports = np.nonzero(y == 1)  # few of all pairs
    is_relevant = csr_array((np.ones(len(papers)), (papers, reports)), shape=y.shape)
    together = (is_relevant.T @ is_relevant).toarray()
    np.fill_diagonal(together, -1)  # nobody's own companion
    companions = np.argsort(-together, axis=1, kind="stable")[:, : _n_companions(y.shape[1])]
    shares = np.log((n_relevant + 1) / (n_others + n_relevant + 1))
    return Reports(shares, companions)


def n_columns(n_reports: int, n_fields: int) -> int:
    """Return how many columns `columns` gives."""
    return N_OWN + n_fields + 2 * _n_companions(n_reports)


def columns(known: Evidence, reports: Reports, papers: Rows, of_reports: Rows) -> Table:
    """Lay out what is known of pairs, shape (n_columns, n_pairs).

    Parameters
    ----------
    known : Evidence
    reports : Reports
    papers, of_reports : arrays of shape (n_pairs,)
        Row of the paper, and column of the report.
    """
    pairs = (papers, of_reports)
    margins, record = known.margins, known.record
    rows = [
        margins[pairs],
        margins.max(axis=1)[papers],
        margins.mean(axis=1)[papers],
        _places(margins)[pairs],
        *(part[pairs] for part in known.parts),
        *(row for said in (known.outputs, known.by_terms) for row in _of_all_reports(said, papers, of_reports)),
        record[pairs],
        *known.authors.T[:, papers],
        reports.shares[of_reports],
    ]
    for companion in reports.companions.T:
        others = (papers, companion[of_reports])
        rows += [margins[others], record[others]]
    return np.array([row.astype(np.float64).round(DIGITS) for row in rows])


def parts_of(X: Any, fields: LearnedFields, weights: NDArray[np.float32] | Moved, spread: Table) -> list[Table]:
    """Return what each field has in the margins of papers, arrays of shape (n_papers, n_reports).

    Parameters
    ----------
    X : CSR array of shape (n_papers, n_terms)
    weights : array of shape (n_terms + 1, n_reports), or Moved
    spread : array of shape (n_reports,)
    """
    return [
        _part_of(X[:, fields.columns(field)], fields.columns(field).start, weights, spread) for field in fields.fields
    ]


def _part_of(X: Any, start: int, weights: NDArray[np.float32] | Moved, spread: Table) -> Table:
    """Return what a field has in the margins; its terms are those of the columns from `start` on."""
    terms = np.unique(X.indices)  # of few papers: the weights of others are not read
    part: Table = (X[:, terms] @ weights[start + terms] / spread).astype(np.float32)
    return part


def _n_companions(n_reports: int) -> int:
    return min(N_COMPANIONS, n_reports - 1)


def _of_all_reports(outputs: Table, papers: Rows, of_reports: Rows) -> list[NDArray[Any]]:
    """Return what is said of pairs, the most that is said of the paper, and the place of the report by it."""
    pairs = (papers, of_reports)
    return [outputs[pairs], outputs.max(axis=1)[papers], _places(outputs)[pairs]]


def _places(values: Table) -> NDArray[np.int32]:
    """Return the place of each report among those of the paper, from 0, largest first."""
    places = np.empty(values.shape, dtype=np.int32)
    order = np.argsort(-values, axis=1, kind="stable")
    np.put_along_axis(places, order, np.arange(values.shape[1], dtype=np.int32)[None], axis=1)
    return places
