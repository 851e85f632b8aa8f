"""What the page Natural order says of all orders that are possible."""

from desk.possible_orders import JUDGED_OF_MORE, MOST_JUDGED
from metrics import Measure

R, N = "r, relevant papers", "n, papers in the list"
LINES = "Measures drawn as lines"
ORDERS = "All orders, best on top"
ORDERS_SAY = (
    "A row is an order: a filled square is a relevant paper, the best place on the left. Beside it, each measure, "
    "better further right, from the worst to the best of these rows. Where a line turns right, in red, the measure "
    "prefers an order to a better one; where it runs straight down, it can't tell them apart."
)
RATES_SAY = (
    "Share of all pairs of orders, in percent, of which it prefers the worse. The framed size is the one chosen. "
    f"Where there are more than {MOST_JUDGED} orders, it is an estimate from {JUDGED_OF_MORE} drawn at random, right "
    "to a few percent."
)
DOWNLOAD_ORDERS, DOWNLOAD_RATES = "Download the rows as CSV", "Download the rates as CSV"
SHARES = {"measure": "Measure", "pairs": "Pairs", "prefers_worse": "Prefers the worse", "cannot_tell": "Can't tell"}


def r_cut(r: int, n: int) -> str:
    """Say that r was too large.

    Examples
    --------
    >>> r_cut(9, 7)
    'With 9 relevant of 7 papers there is no order to judge; drawn with 6.'
    """
    return f"With {r} relevant of {n} papers there is no order to judge; drawn with {n - 1}."


def contradictions_title(r: int, n: int) -> str:
    """Head the table of measures for one size.

    Examples
    --------
    >>> contradictions_title(3, 7)
    'With 3 relevant of 7 papers'
    """
    return f"With {r} relevant of {n} papers"


def drawn_say(n_outcomes: int, n_drawn: int) -> str:
    """Say what the rows are.

    Examples
    --------
    >>> drawn_say(10, 10)
    'All 10 orders.'
    >>> drawn_say(2002, 101)
    'Too many to draw: 101 of 2,002 orders, evenly from the best to the worst. Between two rows a line may turn unseen.'
    """
    if n_drawn == n_outcomes:
        return f"All {n_outcomes:,} orders."
    some = f"{n_drawn} of {n_outcomes:,} orders, evenly from the best to the worst"
    return f"Too many to draw: {some}. Between two rows a line may turn unseen."


def rates_title(measure: Measure) -> str:
    """Head the heat map."""
    return f"How often {measure.label} prefers the worse"
