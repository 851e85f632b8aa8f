"""Constraints that a sensible measure meets, tried on generated cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

from presort.metrics import constraint_cases as cases
from presort.metrics.arguments import shown
from presort.metrics.constraint_cases import Case

TOLERANCE = 1e-12  # of the largest value in a case: less is rounding
Scorer = Callable[..., float]


@dataclass(frozen=True)
class Finding:
    """Result of testing one constraint on one measure.

    Attributes
    ----------
    holds : bool
        True if the measure met the constraint in all cases tried.
    case : str
        The case that settles it, what should score more first. If the constraint fails, the smallest that does; of
        the deepness threshold the last, n = 300. If a threshold holds, the n that shows it. Otherwise empty.
    more, less : float
        Values of the two sides of that case (for deepness: the two losses). NaN without a case.
    n_cases : int
        Cases tried, this one included.
    """

    holds: bool
    case: str = ""
    more: float = math.nan
    less: float = math.nan
    n_cases: int = 0


def check_constraints(measure: Scorer, task: str) -> dict[str, Finding]:
    r"""Try on generated cases whether a measure meets the constraints of its task.

    Parameters
    ----------
    measure : callable
        From two arguments to a float, higher is better; the same arguments must give the same value. By task:

        - ranking: `measure(flags, n_relevant)`, with flags a tuple of 0/1 for the returned papers, best-ranked first,
          and n_relevant the relevant papers in all, returned or not.
        - clustering: `measure(output, gold)`, both a tuple of clusters, and a cluster a tuple of papers (str). Every
          paper is in one cluster of each.
        - filtering: `measure(output, gold)`, both a tuple of 0/1 for all papers of the collection: returned, relevant.
    task : {"ranking", "clustering", "filtering"}
        Task of the measure.

    Returns
    -------
    dict of str to Finding
        By constraint. Holding in the cases tried is no proof; failing is, and shows the smallest case found.

    Raises
    ------
    ValueError
        If task is none of the three.

    Notes
    -----
    A side scores more when it does so by more than 1e-12 of the largest value in the case. NaN never scores more and
    nothing scores more than NaN, so a measure without an answer fails.

    Ranking, at most some 1,800 calls of the measure:

    - priority: a relevant paper swapped with the irrelevant one below it lowers the value.
    - deepness: the higher the only relevant paper is, the more it loses by moving down one position.
    - deepness threshold: from some n on, n relevant papers below n others score less than one relevant paper on top
      and 2n - 1 others below (n relevant in all, n from 2 to 300).
    - closeness threshold: for some such n they score more.
    - confidence: appending an irrelevant paper lowers the value, if a relevant one is listed.

    Clustering, at most some 1,500 calls; "class" is a cluster of gold:

    - homogeneity: splitting a cluster of two classes into these raises the value.
    - completeness: merging two clusters of one class raises it.
    - rag bag: an odd paper does less harm among n papers of n classes than among n of one class.
    - size versus quantity: splitting one paper off a class of n + 1 does less harm than splitting n pairs.

    Filtering, at most some 650 calls:

    - priority: a relevant paper returned in place of an irrelevant one raises the value.

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
        raise ValueError(f"measure must be a function, got {shown(measure)}")
    if task not in CONSTRAINTS:
        raise ValueError(f"task must be one of {', '.join(CONSTRAINTS)}, got {task!r}")
    remembered = cache(measure)  # neighbouring cases share a side
    return {
        name: decide(_tried(remembered, case) for case in generated())
        for name, (decide, generated) in CONSTRAINTS[task].items()
    }


def _tried(measure: Scorer, case: Case) -> Finding:
    more, less = ([float(measure(*arguments)) for arguments in side] for side in (case.more, case.less))
    noise = TOLERANCE * max(map(abs, more + less))
    more_value, less_value = (side[0] - sum(side[1:]) for side in (more, less))
    holds = more_value > less_value and not math.isclose(more_value, less_value, rel_tol=0, abs_tol=noise)
    return Finding(holds, case.text, more_value, less_value)


def _in_all(findings: Iterable[Finding]) -> Finding:
    n_cases = 0
    for n_cases, finding in enumerate(findings, start=1):
        if not finding.holds:
            return replace(finding, n_cases=n_cases)
    return Finding(True, n_cases=n_cases)


def _from_some_on(findings: Iterable[Finding]) -> Finding:
    tried = list(findings)
    holding = list(takewhile(lambda finding: finding.holds, reversed(tried)))
    return replace(holding[-1] if holding else tried[-1], n_cases=len(tried))


def _in_some(findings: Iterable[Finding]) -> Finding:
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
        "priority": (_in_all, cases.ranking_priority),
        "deepness": (_in_all, cases.ranking_deepness),
        "deepness threshold": (_from_some_on, cases.deepness_threshold),
        "closeness threshold": (_in_some, cases.closeness_threshold),
        "confidence": (_in_all, cases.ranking_confidence),
    },
    "clustering": {
        "homogeneity": (_in_all, cases.clustering_homogeneity),
        "completeness": (_in_all, cases.clustering_completeness),
        "rag bag": (_in_all, cases.clustering_rag_bag),
        "size versus quantity": (_in_all, cases.clustering_size_versus_quantity),
    },
    "filtering": {"priority": (_in_all, cases.filtering_priority)},
}
