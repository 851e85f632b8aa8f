"""Boosted trees as plain arrays, and what they make of cases.

A tree is not walked: each question is put to all cases at once, and strikes out the leaves that a case can't reach. The
first leaf that is left is where it ends up.

References
----------
Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini: QuickScorer. SIGIR 2015.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from presort.ranker.recipe import Labels, Table

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
    """What trees have learned; no trees at all where there was too little to learn from.

    Attributes
    ----------
    columns : array of shape (n_trees, n_questions)
        What each question looks at, from 0; -1 where there is no question.
    bounds : array of shape (n_trees, n_questions)
        Whether a case lies above this, is the question.
    struck_out : array of shape (n_trees, n_questions)
        The leaves that cases above the bound don't reach: bit n for leaf n, counted from the left. The last leaf of
        a tree is never among them.
    leaves : array of shape (n_trees, n_leaves)
        What each leaf adds to the log odds.
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
    """Settings of the trees; what they learn lives in arrays.

    Attributes
    ----------
    n_trees : int
        Each corrects those before it.
    n_leaves : int
        Of a tree, at most 16.
    rate : float
        How much of what it finds a tree adds.
    least : int
        Cases in a leaf.
    """

    n_trees: int = 100
    n_leaves: int = 15
    rate: float = 0.1
    least: int = 200

    def trained(self, cases: Table, y: Labels) -> Forest:
        """Learn from cases, shape (n_columns, n_cases), and what they are, 1 or 0, to give log odds."""
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
    """Take what `Forest.arrays` gave."""
    columns, bounds, struck_out, leaves = (arrays[name] for name in SHAPES)
    return Forest(columns, bounds, struck_out.astype(np.uint16), leaves)


def fault_of_forest(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> str:
    """Return in what arrays of the right kinds hold no trees over so many columns; nothing if they do."""
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
