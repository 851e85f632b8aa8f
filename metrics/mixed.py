"""Nosel-Copnori: two measures mixed, one easy to read and one that misses no difference."""

from presort.metrics.arguments import is_number, shown
from presort.metrics.batch import Batch, Floats, alone
from presort.metrics.combinatorial import copnori_each
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import nosel_each


def nosel_copnori_each(batch: Batch, mu: float = 0.1) -> Floats:
    """`nosel_copnori` of each outcome."""
    if not is_number(mu) or not 0 <= mu <= 1:
        raise ValueError(f"mu must be a number from 0 to 1, got {shown(mu)}")
    share = float(mu)
    return share * nosel_each(batch) + (1 - share) * batch.once(copnori_each)


def nosel_copnori(outcome: Outcome, mu: float = 0.1) -> float:
    r"""Nosel and Copnori mixed: how much reading is saved, and between equals the whole natural order.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    mu : float, optional
        Share of Nosel, from 0 (Copnori alone) to 1 (Nosel alone). Below 1, every better outcome has the higher value.

    Returns
    -------
    float
        From -mu/r - (1 - mu) to 1, 0 in the mean over random orders; higher is better. NaN if none or all papers are
        relevant.

    Raises
    ------
    ValueError
        If mu is not a number from 0 to 1.

    Notes
    -----
    :math:`\mu \, \mathrm{Nosel} + (1 - \mu) \, \mathrm{Copnori}`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> round(nosel_copnori(Outcome([1, 4], n=5)), 4)
    0.3
    """
    return alone(lambda batch: nosel_copnori_each(batch, mu), outcome)
