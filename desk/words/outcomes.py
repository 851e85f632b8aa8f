"""How good an order was, in an editor's words."""

import math

from metrics import Outcome


def how_good(outcome: Outcome) -> str:
    """Say how far an editor had to read.

    Examples
    --------
    >>> how_good(Outcome([1, 3, 12], 300))
    'Your last relevant paper stood at 12 of 300: all 3 were in the first 4 % of the list.'
    """
    if not outcome.r:
        return f"Nothing in these {outcome.n} papers was relevant, so there is no order to judge."
    last = int(outcome.last)
    share = math.ceil(100 * last / outcome.n)
    them = "it was" if outcome.r == 1 else f"all {outcome.r} were"
    return f"Your last relevant paper stood at {last} of {outcome.n}: {them} in the first {share} % of the list."
