"""Use generated cases to test whether measures satisfy formal constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

from presort.metrics import constraint_cases as cases
from presort.metrics.arguments import short_repr
from presort.metrics.constraint_cases import Case

TOLERANCE = 1e-12  # rounding tolerance, relative to the largest value in a case
Scorer = Callable[..., float]


@dataclass(frozen=True)
class Finding:
    """Result of testing whether one measure satisfies one constraint.

    Attributes
    ----------
    holds : bool
        True if the measure meets the constraint in the tested cases.
    case : str
        Description of the decisive case, with the side that should score higher first. If a constraint fails, this is
        the smallest failing case or, for the deepness threshold, the last case (n = 300). If the deepness threshold
        holds, this is the first case of those up to n = 300 that hold without exception. If the closeness threshold
        holds, this is the first case that holds. Empty if another constraint holds.
    more, less : float
        Values of the two sides of the decisive case; for deepness, the two losses. NaN if `case` is empty.
    n_cases : int
        Number of tested cases, including the decisive case.
    """

    holds: bool
    case: str = ""
    more: float = math.nan
    less: float = math.nan
    n_cases: int = 0


def check_constraints(measure: Scorer, task: str) -> dict[str, Finding]:
    r"""Test whether a measure meets the formal constraints of its task.

    Parameters
    ----------
    measure : callable
        Deterministic function of two arguments that returns a float, higher is better. The arguments depend on the
        task:

        - ranking: `measure(flags, n_relevant)`. `flags` is a tuple of 0/1, the relevance of the returned papers in
          rank order. `n_relevant` is the number of relevant papers, returned or not.
        - clustering: `measure(output, gold)`. Both are tuples of clusters, and a cluster is a tuple of papers (str).
          Every paper is in exactly one cluster of each.
        - filtering: `measure(output, gold)`. Both are tuples of 0/1 for all papers of the collection: whether the
          paper is returned, and whether it is relevant.
    task : {"ranking", "clustering", "filtering"}
        Task of the measure.

    Returns
    -------
    dict of str to Finding
        Findings by constraint. A counterexample proves that the measure fails a constraint. A constraint that holds in
        all tested cases is not proved.

    Raises
    ------
    ValueError
        If measure is not callable or task is unknown.

    Notes
    -----
    A side scores higher if the difference exceeds 1e-12 times the largest value in the case. Comparisons with NaN are
    always false, so an undefined value fails the constraint.

    Ranking, with at most about 1,800 calls of the measure:

    - priority: swapping a relevant paper with the irrelevant paper directly below it lowers the value.
    - deepness: moving the only relevant paper down by one position costs more the closer it is to the top.
    - deepness threshold: for every n above some threshold, one relevant paper above 2n - 1 irrelevant ones scores
      higher than n irrelevant papers above n relevant ones. In both lists, n is the total number of relevant papers,
      returned or not. n ranges from 2 to 300.
    - closeness threshold: for some n from 2 to 300, the list with one relevant paper at the top scores lower than the
      list with n relevant papers below n irrelevant ones.
    - confidence: appending an irrelevant paper lowers the value if at least one relevant paper is listed.

    Clustering, with at most about 1,500 calls (a "class" is a gold cluster):

    - homogeneity: splitting a cluster of two classes by class raises the value.
    - completeness: merging two clusters of the same class raises the value.
    - rag bag: adding an unrelated paper to a cluster with n papers of n classes lowers the value less than adding it to
      a cluster with n papers of one class.
    - size versus quantity: splitting one paper off a cluster of n + 1 papers lowers the value less than splitting n
      clusters of two papers. Each of these clusters contains a complete class.

    Filtering, with at most about 650 calls:

    - priority: returning a relevant paper instead of an irrelevant one raises the value.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013, sections 2.1 and 4.

    Examples
    --------
    >>> def precision(flags, n_relevant):
    ...     return sum(flags) / len(flags)
    >>> findings = check_constraints(precision, "ranking")
    >>> findings["priority"].case
    '10 over 01, 1 relevant'
    >>> findings["confidence"].holds
    True
    """
    if not callable(measure):
        raise ValueError(f"measure must be a function, got {short_repr(measure)}")
    if task not in CONSTRAINTS:
        raise ValueError(f"task must be one of {', '.join(CONSTRAINTS)}, got {task!r}")
    remembered = cache(measure)  # consecutive cases often share a side
    return {
        name: decide(_test_case(remembered, case) for case in generated())
        for name, (decide, generated) in CONSTRAINTS[task].items()
    }


def _test_case(measure: Scorer, case: Case) -> Finding:
    more, less = ([float(measure(*arguments)) for arguments in side] for side in (case.more, case.less))
    noise = TOLERANCE * max(map(abs, more + less))
    more_value, less_value = (side[0] - sum(side[1:]) for side in (more, less))
    holds = more_value > less_value and not math.isclose(more_value, less_value, rel_tol=0, abs_tol=noise)
    return Finding(holds, case.text, more_value, less_value)


def _require_all(findings: Iterable[Finding]) -> Finding:
    n_cases = 0
    for n_cases, finding in enumerate(findings, start=1):
        if not finding.holds:
            return replace(finding, n_cases=n_cases)
    return Finding(True, n_cases=n_cases)


def _require_from_some_case_on(findings: Iterable[Finding]) -> Finding:
    tried = list(findings)
    holding = list(takewhile(lambda finding: finding.holds, reversed(tried)))
    return replace(holding[-1] if holding else tried[-1], n_cases=len(tried))


def _require_any(findings: Iterable[Finding]) -> Finding:
    tried = []
    for finding in findings:
        tried.append(finding)
        if finding.holds:
            return replace(finding, n_cases=len(tried))
    return replace(tried[0], n_cases=len(tried))


Decide = Callable[[Iterable[Finding]], Finding]
Generate = Callable[[], Iterator[Case]]
CONSTRAINTS: dict[str, dict[str, tuple[Decide, Generate]]] = {
    "ranking": {
        "priority": (_require_all, cases.ranking_priority),
        "deepness": (_require_all, cases.ranking_deepness),
        "deepness threshold": (_require_from_some_case_on, cases.deepness_threshold),
        "closeness threshold": (_require_any, cases.closeness_threshold),
        "confidence": (_require_all, cases.ranking_confidence),
    },
    "clustering": {
        "homogeneity": (_require_all, cases.clustering_homogeneity),
        "completeness": (_require_all, cases.clustering_completeness),
        "rag bag": (_require_all, cases.clustering_rag_bag),
        "size versus quantity": (_require_all, cases.clustering_size_versus_quantity),
    },
    "filtering": {"priority": (_require_all, cases.filtering_priority)},
}
