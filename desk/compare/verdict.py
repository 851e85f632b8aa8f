"""The verdict on the *Compare* page: the recommended ranker."""

import math
from collections.abc import Sequence

from presort.desk.scores.papers_saved import PairResult


def verdict(pair_results: Sequence[PairResult], active: str) -> str:
    """Return a sentence that names the recommended ranker and the reason.

    Parameters
    ----------
    pair_results : sequence of PairResult
        Result of `presort.desk.scores.papers_saved.compare_recommended`.
    active : str
        Ranker in use.

    Examples
    --------
    >>> def of(*p_values):
    ...     names = ["presort-1", "arxiv-sanity"][: len(p_values)]
    ...     return [PairResult("presort-2", name, 57, 9, 34, 6.8, 0.1, 4.6, 9.3, p) for name, p in zip(names, p_values)]
    >>> verdict(of(0.001, 0.001), "presort-2")
    'Keep presort-2: it needs less reading than presort-1 and arxiv-sanity.'
    >>> verdict(of(0.2, 0.001), "presort-2")
    'Keep presort-2: it needs less reading than arxiv-sanity, and no other ranker clearly needs less reading.'
    >>> verdict(of(0.2, 0.3), "presort-2")
    'Keep presort-2: no other ranker clearly needs less reading.'
    >>> verdict(of(0.001, 0.2), "presort-1")
    'Use presort-2: it needs less reading than presort-1.'
    >>> verdict(of(math.nan), "presort-2")
    'Keep presort-2: too few lists for a test.'
    >>> verdict(of(0.001), "krichel-2007")
    'presort-2 needs less reading than presort-1. The ranker in use, krichel-2007, was not compared.'
    """
    ranker, better = pair_results[0].ranker, [one.opponent for one in pair_results if one.is_clear]
    if active not in {ranker, *(one.opponent for one in pair_results)}:
        found = (
            f"{ranker} needs less reading than {_join_names(better)}"
            if better
            else f"No clear difference: {_no_winner_reason(pair_results)}"
        )
        return f"{found}. The ranker in use, {active}, was not compared."
    if active != ranker:
        return f"Use {ranker}: it needs less reading than {_join_names(better)}."
    if not better:
        return f"Keep {ranker}: {_no_winner_reason(pair_results)}."
    others = ", and no other ranker clearly needs less reading" if len(better) < len(pair_results) else ""
    return f"Keep {ranker}: it needs less reading than {_join_names(better)}{others}."


def _no_winner_reason(pair_results: Sequence[PairResult]) -> str:
    """Return the reason why no ranker is clearly better than the others."""
    if not any(one.earlier or one.later for one in pair_results):
        return "all rankers put the relevant papers in the same positions"
    return (
        "too few lists for a test"
        if any(math.isnan(one.p) for one in pair_results)
        else "no other ranker clearly needs less reading"
    )


def _join_names(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
