"""Boosted trees, stored as plain arrays, and the features of a paper-report pair that they use.

A paper-report pair is called a *case*. Trees are not traversed node by node. Each split is evaluated for all cases at
once and masks the leaves that a case can't reach. The leftmost unmasked leaf is the case's leaf.

References
----------
Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini: QuickScorer. SIGIR 2015.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier

from presort.data.records import Rows
from presort.ranker.recipe import Labels, Table, label_counts
from presort.ranker.stacked.fields import LearnedFields
from presort.ranker.stacked.svms import WeightDelta

MOST_LEAVES = 16  # maximum number of leaves per tree, because a 16-bit number stores which leaves are masked
NONE = -1  # column of an empty split, which pads trees that have fewer splits than others

# NumPy dtype kind and axes of each array.
SHAPES = {
    "trees columns": ("i", "trees", "questions"),
    "trees bounds": ("f", "trees", "questions"),
    "trees struck out": ("u", "trees", "questions"),
    "trees leaves": ("f", "trees", "leaves"),
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trained trees. Empty if there was too little training data.

    Attributes
    ----------
    columns : array of shape (n_trees, n_questions)
        Index of the column that each split tests. -1 for an empty split.
    bounds : array of shape (n_trees, n_questions)
        Threshold of each split.
    struck_out : array of shape (n_trees, n_questions)
        Leaves that cases above the threshold can't reach, as a bit mask with bit n for the n-th leaf from the left.
        Never includes a tree's last leaf.
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
        """Return the log odds of the cases, up to a constant, shape (n_cases,).

        Parameters
        ----------
        cases : array of shape (n_columns, n_cases)
            Features in double precision.
        """
        sums = np.zeros(cases.shape[1])
        for columns, bounds, struck_out, leaves in zip(
            self.columns, self.bounds, self.struck_out, self.leaves, strict=True
        ):
            struck = np.zeros(cases.shape[1], dtype=np.uint16)
            for column, bound, bits in zip(columns.tolist(), bounds, struck_out, strict=True):
                if column != NONE:
                    struck |= (cases[column] > bound) * bits
            first = ~struck & (struck + np.uint16(1))  # isolates the lowest unset bit
            sums += leaves[np.bitwise_count(first - np.uint16(1))]
        return sums

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the trees as arrays, for storage."""
        return dict(zip(SHAPES, (self.columns, self.bounds, self.struck_out, self.leaves), strict=True))


NO_TREES = Forest(
    np.empty((0, 1), dtype=np.int16), np.empty((0, 1)), np.empty((0, 1), dtype=np.uint16), np.empty((0, 2))
)


@dataclass(frozen=True)
class Trees:
    """Settings for the trees. The trained trees are a `Forest`.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    n_leaves : int
        Maximum number of leaves per tree, at most 16.
    rate : float
        Learning rate.
    least : int
        Minimum number of cases per leaf.
    share_of_columns : float
        Share of the columns, drawn at random, that each split chooses from.
    """

    n_trees: int = 200
    n_leaves: int = 15
    rate: float = 0.05
    least: int = 500
    share_of_columns: float = 0.5

    def train(self, cases: Table, y: Labels) -> Forest:
        """Train the trees to predict log odds.

        Parameters
        ----------
        cases : array of shape (n_columns, n_cases)
            Features.
        y : array of shape (n_cases,)
            Labels: 1 for relevant, 0 for not relevant.
        """
        boosted = HistGradientBoostingClassifier(
            max_iter=self.n_trees,
            max_leaf_nodes=self.n_leaves,
            learning_rate=self.rate,
            min_samples_leaf=self.least,
            max_features=self.share_of_columns,
            early_stopping=False,
            random_state=0,
        )
        boosted.fit(cases.T, y)
        # scikit-learn has no public API for the nodes.
        return _forest_from_nodes([one.nodes for [one] in boosted._predictors])


def forest_from(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """Restore a forest from the arrays returned by `Forest.arrays`."""
    columns, bounds, struck_out, leaves = (arrays[name] for name in SHAPES)
    return Forest(columns, bounds, struck_out.astype(np.uint16), leaves)


def fault_of_forest(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> str:
    """Describe why arrays aren't valid trees for `n_columns` columns. Returns "" if they are valid."""
    columns, _, struck_out, leaves = (arrays[name] for name in SHAPES)
    n_leaves = leaves.shape[1]
    if not 2 <= n_leaves <= MOST_LEAVES or columns.shape[1] != n_leaves - 1:
        return "has trees of inconsistent sizes"
    is_possible = ((columns >= NONE) & (columns < n_columns)).all() and (struck_out < 2 ** (n_leaves - 1)).all()
    return "" if is_possible else "has invalid trees"


def _forest_from_nodes(trees: list[NDArray[np.void]]) -> Forest:
    """Convert trees from scikit-learn's node arrays to a forest."""
    n_leaves = max(2, *(int(nodes["is_leaf"].sum()) for nodes in trees))
    columns = np.full((len(trees), n_leaves - 1), NONE, dtype=np.int16)
    bounds = np.zeros((len(trees), n_leaves - 1))
    struck_out = np.zeros((len(trees), n_leaves - 1), dtype=np.uint16)
    leaves = np.zeros((len(trees), n_leaves))
    for tree, nodes in enumerate(trees):
        questions, values = _list_splits(nodes)
        leaves[tree, : len(values)] = values
        for place, question in enumerate(questions):
            columns[tree, place], bounds[tree, place], struck_out[tree, place] = question
    return Forest(columns, bounds, struck_out, leaves)


def _list_splits(nodes: NDArray[np.void]) -> tuple[list[tuple[int, float, int]], list[float]]:
    """Return the columns, thresholds and masks of a tree's splits, and its leaf values from left to right."""
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


N_COMPANIONS = 4  # number of companions: the reports that share the most relevant papers with a report
N_OF_AUTHORS = 2  # number of features that follow the record: number of the authors' papers, and number of authors
DIGITS = 4  # decimals to which features are rounded, so that rounding errors on other machines don't change the trees
N_OWN = 15  # number of columns in addition to those for fields and companions


@dataclass(frozen=True, eq=False)
class Reports:
    """Features of reports that don't depend on a paper.

    Attributes
    ----------
    shares : array of shape (n_reports,)
        Logarithm of each report's share of relevant papers.
    companions : array of shape (n_reports, n_companions)
        Columns of the reports that share the most relevant papers with each report, in descending order.
    """

    shares: Table
    companions: NDArray[np.intp]

    def with_report(self, column: int, y: Labels, own: Labels) -> "Reports":
        """Return a copy with another report in a column.

        Parameters
        ----------
        column : int
            Column of the report. It replaces an existing report, or follows all existing reports.
        y : array of shape (n_past, n_reports)
            Labels of the existing reports.
        own : array of shape (n_past,)
            Labels of the report.
        """
        together = (y[own == 1] == 1).sum(axis=0)
        together[column : column + 1] = -1  # a report isn't its own companion
        companions = _most_frequent(together[None], self.companions.shape[1])
        return Reports(
            _put_column(self.shares[None], column, _log_shares(own[:, None]))[0],
            _put_column(self.companions.T, column, companions[0]).T,
        )


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """Features of papers. Each paper's features come from SVMs and networks that were not trained on it.

    Attributes
    ----------
    margins : array of shape (n_papers, n_reports)
        Standardised margins of the SVMs.
    parts : sequence of array of shape (n_papers, n_reports)
        Contribution of each field to the margins.
    record : array of shape (n_papers, n_reports)
        How often the authors' other papers were relevant to each report, compared with the average paper.
    authors : array of shape (n_papers, 2)
        Number of the authors' other papers, and number of authors, both as log(1 + number).
    outputs : array of shape (n_papers, n_reports)
        Outputs of the networks.
    by_terms : array of shape (n_papers, n_reports)
        Outputs of the term networks.
    n_terms : array of shape (n_papers, n_fields)
        Number of each paper's terms by field.
    """

    margins: Table
    parts: Sequence[Table]
    record: Table
    authors: Table
    outputs: Table
    by_terms: Table
    n_terms: Table

    def __getitem__(self, rows: slice) -> "PairFeatures":
        rest = (self.record, self.authors, self.outputs, self.by_terms, self.n_terms)
        return PairFeatures(self.margins[rows], [part[rows] for part in self.parts], *(table[rows] for table in rest))

    def with_report(self, column: int, margins: Table, parts: Sequence[Table], outputs: Table) -> "PairFeatures":
        """Return a copy with another report in a column. The report has no ridge regression and no term network.

        The term network's output is replaced by `outputs`. Other missing features are set to the value of an average
        paper.

        Parameters
        ----------
        column : int
            Column of the report. It replaces an existing report, or follows all existing reports.
        margins, outputs : arrays of shape (n_papers,)
            Margins of the report's SVM, and outputs of the networks.
        parts : sequence of array of shape (n_papers,)
            Contribution of each field to the margins.
        """
        average = np.zeros(len(margins))
        added = [*parts, *[average] * (len(self.parts) - len(parts))]
        return replace(
            self,
            margins=_put_column(self.margins, column, margins),
            parts=[_put_column(part, column, own) for part, own in zip(self.parts, added, strict=True)],
            record=_put_column(self.record, column, average),
            outputs=_put_column(self.outputs, column, outputs),
            by_terms=_put_column(self.by_terms, column, outputs),
        )


def pair_features(
    margins: Table,
    parts: Sequence[Table],
    inputs: Table,
    outputs: Table,
    by_terms: Table,
    n_terms: Table,
    n_of_meaning: int = 0,
) -> PairFeatures:
    """Combine several arrays into the features of papers.

    Parameters
    ----------
    margins, parts, outputs, by_terms, n_terms
        As in `PairFeatures`.
    inputs : array of shape (n_papers, n_inputs)
        The network's inputs. The columns from sentence vectors come last, after those from
        `presort.ranker.stacked.features`.
    n_of_meaning : int
        Number of columns of sentence vectors. The first `n_reports` of them are added to `parts`.
    """
    n_reports = margins.shape[1]
    end = inputs.shape[1] - n_of_meaning
    record = inputs[:, end - n_reports - N_OF_AUTHORS : end - N_OF_AUTHORS]
    nearness = [inputs[:, end : end + n_reports]] if n_of_meaning else []
    authors = inputs[:, end - N_OF_AUTHORS : end]
    return PairFeatures(margins, [*parts, *nearness], record, authors, outputs, by_terms, n_terms)


def reports_of(y: Labels) -> Reports:
    """Compute the features of reports from the past papers' labels, shape (n_past, n_reports)."""
    papers, reports = np.nonzero(y == 1)
    is_relevant = csr_array((np.ones(len(papers)), (papers, reports)), shape=y.shape)
    together = (is_relevant.T @ is_relevant).toarray()
    np.fill_diagonal(together, -1)  # a report isn't its own companion
    return Reports(_log_shares(y), _most_frequent(together, _n_companions(y.shape[1])))


def n_columns(n_reports: int, n_fields: int, n_parts: int) -> int:
    """Return the number of features that `columns` computes. `n_parts` is the number of tables in `parts`."""
    return N_OWN + n_fields + n_parts + 2 * _n_companions(n_reports)


def columns(known: PairFeatures, reports: Reports, papers: Rows, of_reports: Rows) -> Table:
    """Compute the features of paper-report pairs, shape (n_columns, n_pairs).

    Parameters
    ----------
    known : PairFeatures
        Features of the papers.
    reports : Reports
        Features of the reports.
    papers, of_reports : arrays of shape (n_pairs,)
        Row of each pair's paper, and column of its report.
    """
    pairs = (papers, of_reports)
    margins, record = known.margins, known.record
    # Mean number of reports that selected each of the authors' other papers. Some authors write for many reports.
    n_expected = np.exp(record) @ np.exp(reports.shares)
    rows = [
        margins[pairs],
        margins.max(axis=1)[papers],
        margins.mean(axis=1)[papers],
        _places(margins)[pairs],
        *(part[pairs] for part in known.parts),
        *(row for values in (known.outputs, known.by_terms) for row in _compare_reports(values, papers, of_reports)),
        record[pairs],
        n_expected[papers],
        *known.authors.T[:, papers],
        *known.n_terms.T[:, papers],
        reports.shares[of_reports],
    ]
    for companion in reports.companions.T:
        others = (papers, companion[of_reports])
        rows += [margins[others], record[others]]
    return np.array([row.astype(np.float64).round(DIGITS) for row in rows])


def parts_of(X: Any, fields: LearnedFields, weights: NDArray[np.float32] | WeightDelta, spread: Table) -> list[Table]:
    """Return, for each field, its contribution to the papers' margins as an array of shape (n_papers, n_reports).

    Parameters
    ----------
    X : CSR array of shape (n_papers, n_terms)
        Terms of the papers.
    fields : LearnedFields
        Terms of each field.
    weights : array of shape (n_terms + 1, n_reports), or WeightDelta
        Weights of the SVMs.
    spread : array of shape (n_reports,)
        Standard deviations of the SVMs' margins.
    """
    return [
        _part_of(X[:, fields.columns(field)], fields.columns(field).start, weights, spread) for field in fields.fields
    ]


def term_counts(X: Any, fields: LearnedFields) -> Table:
    """Count each paper's terms by field, shape (n_papers, n_fields). `X` and `fields` are as in `parts_of`."""
    counts = [np.diff(X[:, fields.columns(field)].indptr) for field in fields.fields]
    return np.column_stack(counts).astype(np.float64)


def _part_of(X: Any, start: int, weights: NDArray[np.float32] | WeightDelta, spread: Table) -> Table:
    """Return the contribution of a field to the margins. The field's first term is in column `start`."""
    terms = np.unique(X.indices)  # if there are few papers, only a few rows of the weights are needed
    part: Table = (X[:, terms] @ weights[start + terms] / spread).astype(np.float32)
    return part


def _put_column(table: NDArray[Any], column: int, values: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of a table in which a column is replaced or, if `column` is the number of columns, appended."""
    return np.column_stack([table[:, :column], values, table[:, column + 1 :]])


def _log_shares(y: Labels) -> Table:
    n_others, n_relevant = label_counts(y)
    shares: Table = np.log((n_relevant + 1) / (n_others + n_relevant + 1))
    return shares


def _most_frequent(counts: Table, n: int) -> NDArray[np.intp]:
    """Return the columns with the `n` highest counts in each row, highest first."""
    return np.argsort(-counts, axis=1, kind="stable")[:, :n]


def _n_companions(n_reports: int) -> int:
    return min(N_COMPANIONS, n_reports - 1)


def _compare_reports(outputs: Table, papers: Rows, of_reports: Rows) -> list[NDArray[Any]]:
    """Return each pair's value, its paper's highest value, and its report's rank among all reports for the paper."""
    pairs = (papers, of_reports)
    return [outputs[pairs], outputs.max(axis=1)[papers], _places(outputs)[pairs]]


def _places(values: Table) -> NDArray[np.int32]:
    """Return the 0-based rank of each report for each paper. The report with the largest value has rank 0."""
    places = np.empty(values.shape, dtype=np.int32)
    order = np.argsort(-values, axis=1, kind="stable")
    np.put_along_axis(places, order, np.arange(values.shape[1], dtype=np.int32)[None], axis=1)
    return places
