"""Boosted trees as plain arrays, and the features of a pair of paper and report that they read.

A tree is not walked: each question is put to all cases at once, and strikes out the leaves that a case can't reach. The
first leaf that is left is where it ends up.

References
----------
Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini: QuickScorer. SIGIR 2015.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier

from presort.data.records import Rows
from presort.ranker.recipe import Labels, Table, label_counts
from presort.ranker.stacked.fields import LearnedFields
from presort.ranker.stacked.svms import WeightDelta

MOST_LEAVES = 16  # of a tree: leaves are struck out as bits of 16
NONE = -1  # the column of a question that is none: a tree may have fewer than others

# Of each array: its kind, as NumPy has them, and its axes.
SHAPES = {
    "trees columns": ("i", "trees", "questions"),
    "trees bounds": ("f", "trees", "questions"),
    "trees struck out": ("u", "trees", "questions"),
    "trees leaves": ("f", "trees", "leaves"),
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trained trees. There are none if there was too little to learn from.

    Attributes
    ----------
    columns : array of shape (n_trees, n_questions)
        Column that each split tests, from 0; -1 if there is no split.
    bounds : array of shape (n_trees, n_questions)
        Threshold: whether a case is above it.
    struck_out : array of shape (n_trees, n_questions)
        The leaves that cases above the bound don't reach: bit n for leaf n, counted from the left. The last leaf of
        a tree is never among them.
    leaves : array of shape (n_trees, n_leaves)
        Amount that each leaf adds to the log odds.
    """

    columns: NDArray[np.int16]
    bounds: Table
    struck_out: NDArray[np.uint16]
    leaves: Table

    def __len__(self) -> int:
        return len(self.leaves)

    def outputs(self, cases: Table) -> Table:
        """Return the log odds of cases but for a constant, shape (n_cases,).

        Parameters
        ----------
        cases : array of shape (n_columns, n_cases)
            In double precision, column by column.
        """
        sums = np.zeros(cases.shape[1])
        for columns, bounds, struck_out, leaves in zip(
            self.columns, self.bounds, self.struck_out, self.leaves, strict=True
        ):
            struck = np.zeros(cases.shape[1], dtype=np.uint16)
            for column, bound, bits in zip(columns.tolist(), bounds, struck_out, strict=True):
                if column != NONE:
                    struck |= (cases[column] > bound) * bits
            first = ~struck & (struck + np.uint16(1))  # the lowest bit that is not set
            sums += leaves[np.bitwise_count(first - np.uint16(1))]
        return sums

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that was learned, as arrays of numbers."""
        return dict(zip(SHAPES, (self.columns, self.bounds, self.struck_out, self.leaves), strict=True))


NO_TREES = Forest(
    np.empty((0, 1), dtype=np.int16), np.empty((0, 1)), np.empty((0, 1), dtype=np.uint16), np.empty((0, 2))
)


@dataclass(frozen=True)
class Trees:
    """Settings of the trees. The trained trees are arrays.

    Attributes
    ----------
    n_trees : int
        Each corrects those before it.
    n_leaves : int
        Of a tree, at most 16.
    rate : float
        Learning rate: share of its fit that a tree adds.
    least : int
        Cases in a leaf.
    """

    n_trees: int = 100
    n_leaves: int = 15
    rate: float = 0.1
    least: int = 200

    def trained(self, cases: Table, y: Labels) -> Forest:
        """Train on cases, shape (n_columns, n_cases), and their labels, 1 or 0, to predict log odds."""
        boosted = HistGradientBoostingClassifier(
            max_iter=self.n_trees,
            max_leaf_nodes=self.n_leaves,
            learning_rate=self.rate,
            min_samples_leaf=self.least,
            early_stopping=False,
            random_state=0,
        )
        boosted.fit(cases.T, y)
        # scikit-learn shows no other way to what the trees are
        return _as_arrays([one.nodes for [one] in boosted._predictors])


def forest_from(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """Restore the forest from the arrays of `Forest.arrays`."""
    columns, bounds, struck_out, leaves = (arrays[name] for name in SHAPES)
    return Forest(columns, bounds, struck_out.astype(np.uint16), leaves)


def fault_of_forest(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> str:
    """Describe why arrays are no valid trees over `n_columns` columns. Empty if they are."""
    columns, _, struck_out, leaves = (arrays[name] for name in SHAPES)
    n_leaves = leaves.shape[1]
    if not 2 <= n_leaves <= MOST_LEAVES or columns.shape[1] != n_leaves - 1:
        return "has trees whose parts don't fit each other"
    is_possible = ((columns >= NONE) & (columns < n_columns)).all() and (struck_out < 2 ** (n_leaves - 1)).all()
    return "" if is_possible else "has trees that can't be"


def _as_arrays(trees: list[NDArray[np.void]]) -> Forest:
    """Lay out trees, each an array of nodes as scikit-learn has them, side by side."""
    n_leaves = max(2, *(int(nodes["is_leaf"].sum()) for nodes in trees))
    columns = np.full((len(trees), n_leaves - 1), NONE, dtype=np.int16)
    bounds = np.zeros((len(trees), n_leaves - 1))
    struck_out = np.zeros((len(trees), n_leaves - 1), dtype=np.uint16)
    leaves = np.zeros((len(trees), n_leaves))
    for tree, nodes in enumerate(trees):
        questions, values = _taken_apart(nodes)
        leaves[tree, : len(values)] = values
        for place, question in enumerate(questions):
            columns[tree, place], bounds[tree, place], struck_out[tree, place] = question
    return Forest(columns, bounds, struck_out, leaves)


def _taken_apart(nodes: NDArray[np.void]) -> tuple[list[tuple[int, float, int]], list[float]]:
    """Return column, bound and leaves on the left of each question, and the values of the leaves from the left."""
    questions: list[tuple[int, float, int]] = []
    values: list[float] = []

    def visit(place: int) -> None:
        node = nodes[place]
        if node["is_leaf"]:
            values.append(float(node["value"]))
            return
        first = len(values)
        visit(int(node["left"]))
        left = (1 << len(values)) - (1 << first)
        questions.append((int(node["feature_idx"]), float(node["num_threshold"]), left))
        visit(int(node["right"]))

    visit(0)
    return questions, values


N_COMPANIONS = 4  # the reports most often relevant together with one
N_OF_AUTHORS = 2  # last author features, after the record by report: number of authors, and their papers
DIGITS = 4  # of what is known: what differs only below is the same, so that machines agree
N_OWN = 14  # columns other than those of the fields and the companions


@dataclass(frozen=True, eq=False)
class Reports:
    """Features of reports, independent of any paper.

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
class PairFeatures:
    """Features of papers, each computed by SVMs and networks that have not seen it.

    Attributes
    ----------
    margins : array of shape (n_papers, n_reports)
        At mean 0 and spread 1.
    parts : sequence of array of shape (n_papers, n_reports)
        Contribution of each field to the margins.
    record : array of shape (n_papers, n_reports)
        Number of other papers of the authors that each report took.
    authors : array of shape (n_papers, 2)
        Of how many other papers that is, and how many authors there are.
    outputs : array of shape (n_papers, n_reports)
        Outputs of the networks.
    by_terms : array of shape (n_papers, n_reports)
        Outputs of the networks over terms.
    """

    margins: Table
    parts: Sequence[Table]
    record: Table
    authors: Table
    outputs: Table
    by_terms: Table

    def __getitem__(self, rows: slice) -> "PairFeatures":
        parts = [part[rows] for part in self.parts]
        return PairFeatures(
            self.margins[rows], parts, self.record[rows], self.authors[rows], self.outputs[rows], self.by_terms[rows]
        )


def pair_features(
    margins: Table, parts: Sequence[Table], inputs: Table, outputs: Table, by_terms: Table, n_of_meaning: int = 0
) -> PairFeatures:
    """Combine the features of papers.

    Parameters
    ----------
    inputs : array of shape (n_papers, n_inputs)
        Inputs of the network: those of `presort.ranker.stacked.features`, followed by the columns of meaning.
    n_of_meaning : int
        Number of columns of meaning. The first `n_reports` of them become one more part.
    """
    n_reports = margins.shape[1]
    end = inputs.shape[1] - n_of_meaning
    record = inputs[:, end - n_reports - N_OF_AUTHORS : end - N_OF_AUTHORS]
    nearness = [inputs[:, end : end + n_reports]] if n_of_meaning else []
    return PairFeatures(margins, [*parts, *nearness], record, inputs[:, end - N_OF_AUTHORS : end], outputs, by_terms)


def reports_of(y: Labels) -> Reports:
    """Compute the features of reports from past decisions, shape (n_past, n_reports)."""
    n_others, n_relevant = label_counts(y)
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


def columns(known: PairFeatures, reports: Reports, papers: Rows, of_reports: Rows) -> Table:
    """Arrange the features of pairs of paper and report, shape (n_columns, n_pairs).

    Parameters
    ----------
    known : PairFeatures
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
        *(row for values in (known.outputs, known.by_terms) for row in _of_all_reports(values, papers, of_reports)),
        record[pairs],
        *known.authors.T[:, papers],
        reports.shares[of_reports],
    ]
    for companion in reports.companions.T:
        others = (papers, companion[of_reports])
        rows += [margins[others], record[others]]
    return np.array([row.astype(np.float64).round(DIGITS) for row in rows])


def parts_of(X: Any, fields: LearnedFields, weights: NDArray[np.float32] | WeightDelta, spread: Table) -> list[Table]:
    """Return the contribution of each field to the margins of papers, arrays of shape (n_papers, n_reports).

    Parameters
    ----------
    X : CSR array of shape (n_papers, n_terms)
    weights : array of shape (n_terms + 1, n_reports), or WeightDelta
    spread : array of shape (n_reports,)
    """
    return [
        _part_of(X[:, fields.columns(field)], fields.columns(field).start, weights, spread) for field in fields.fields
    ]


def _part_of(X: Any, start: int, weights: NDArray[np.float32] | WeightDelta, spread: Table) -> Table:
    """Return the contribution of a field to the margins. Its terms are the columns from `start` on."""
    terms = np.unique(X.indices)  # of few papers: the weights of others are not read
    part: Table = (X[:, terms] @ weights[start + terms] / spread).astype(np.float32)
    return part


def _n_companions(n_reports: int) -> int:
    return min(N_COMPANIONS, n_reports - 1)


def _of_all_reports(outputs: Table, papers: Rows, of_reports: Rows) -> list[NDArray[Any]]:
    """Return the values of pairs, the highest value of each paper, and the report's rank by value."""
    pairs = (papers, of_reports)
    return [outputs[pairs], outputs.max(axis=1)[papers], _places(outputs)[pairs]]


def _places(values: Table) -> NDArray[np.int32]:
    """Return the place of each report among those of the paper, from 0, largest first."""
    places = np.empty(values.shape, dtype=np.int32)
    order = np.argsort(-values, axis=1, kind="stable")
    np.put_along_axis(places, order, np.arange(values.shape[1], dtype=np.int32)[None], axis=1)
    return places
