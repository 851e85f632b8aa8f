"""The natural order: which of two outcomes left the editor less to read.

Of two outcomes with the same numbers of papers and of relevant papers, the one whose last relevant paper stands
earlier is better; if they stand level, the one whose second-to-last stands earlier; and so on.
"""

from presort.metrics.outcome import Outcome, check_outcome


def natural_order_key(outcome: Outcome) -> tuple[int, ...]:
    r"""Sort key of the natural order: the positions from the last to the first.

    Returns
    -------
    tuple of int, length r
        :math:`(p_r, p_{r-1}, \dots, p_1)`; smaller is better. Keys compare only among outcomes of the same r and n.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> natural_order_key(Outcome([1, 3], n=4))
    (3, 1)
    """
    check_outcome("outcome", outcome)
    return tuple(outcome.positions[::-1].tolist())


def compare_natural(a: Outcome, b: Outcome) -> int:
    """Return which of two outcomes is better in the natural order.

    Returns
    -------
    int
        -1 if a is better, 1 if b is better, 0 if they are the same.

    Raises
    ------
    ValueError
        If a and b differ in r or n: then the natural order does not compare them.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> compare_natural(Outcome([2, 3], n=5), Outcome([1, 4], n=5))
    -1
    """
    check_outcome("a", a)
    check_outcome("b", b)
    if (a.r, a.n) != (b.r, b.n):
        raise ValueError(f"a and b must have the same r and n, got r={a.r}, n={a.n} and r={b.r}, n={b.n}")
    key_a, key_b = natural_order_key(a), natural_order_key(b)
    return (key_a > key_b) - (key_a < key_b)
