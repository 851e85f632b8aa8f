"""Spot check of a list: a few papers, drawn at random from those below the stop point.

`presort.data.editing.read_papers` determines which papers were read. A spot check is complete only if all its papers
were read. Otherwise, the editor may have chosen which of them to decide on, and the sample would be biased.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from presort.data.records import Draw, Label, Positions, StoredRanking
from presort.desk.components.response import SpotCheckView
from presort.desk.session.stop_advice import StopAdvice
from presort.desk.text import count_text
from presort.ranker.stopping.spot_check import draw_spot_check, spot_check_size


def is_at_stop(advice: StopAdvice) -> bool:
    """Return True if everything above the stop point was read. Spot checks are offered only after that."""
    return advice.is_known and advice.may_stop


def eligible_papers(order: Positions, read: Positions, draws: Sequence[Draw]) -> Positions:
    """Return the papers from which a spot check is drawn when the stop point has been reached.

    Parameters
    ----------
    order : array of shape (n_papers,)
        List positions in the shown order.
    read : array of shape (n_read,)
        List positions of the papers read.
    draws : sequence of Draw
        Earlier draws in this list. No paper is drawn twice.

    Returns
    -------
    array of shape (n_eligible,)
        List positions in the shown order.
    """
    return order[~np.isin(order, [*read.tolist(), *drawn_positions(draws)])]


def may_draw(advice: StopAdvice, order: Positions, read: Positions, draws: Sequence[Draw]) -> bool:
    """Return True if a spot check can be drawn now.

    This requires that the stop point was reached, that some papers are unread, that earlier spot checks are complete,
    and that more papers were read since the last spot check. Otherwise, editors could repeat the spot check until they
    liked the result.
    """
    is_next = not draws or (not unread_papers(draws, read) and draws[-1].n_read < _n_read(read, draws))
    return is_next and is_at_stop(advice) and len(eligible_papers(order, read, draws)) > 0


def draw(shown: StoredRanking, order: Positions, read: Positions, draws: Sequence[Draw]) -> Draw:
    """Draw a spot check from the unread papers. The same arguments always draw the same papers.

    Parameters
    ----------
    shown : StoredRanking
        Ranking of the list. Its id serves as the random seed.
    order, read, draws
        See `eligible_papers`.
    """
    check = draw_spot_check(eligible_papers(order, read, draws), seed=shown.id)
    return Draw(shown.id, _n_read(read, draws), check.n_eligible, tuple(check.positions.tolist()))


def drawn_positions(draws: Iterable[Draw]) -> list[int]:
    """Return the list positions of all drawn papers."""
    return [position for one in draws for position in one.positions]


def unread_papers(draws: Iterable[Draw], read: Positions) -> list[int]:
    """Return the list positions of drawn papers that are still unread. Empty if all spot checks are complete."""
    found = set(read.tolist())
    return [position for position in drawn_positions(draws) if position not in found]


def spot_check_for_browser(
    advice: StopAdvice, order: Positions, read: Positions, draws: Sequence[Draw], labels: Mapping[int, Label]
) -> SpotCheckView:
    """Return the text that offers a list's next spot check, and the state or result of the earlier spot checks.

    Parameters
    ----------
    advice : StopAdvice
        Reading progress and forecast, including the drawn papers that were read.
    order, read, draws
        See `eligible_papers`.
    labels : mapping from list position to label
        Current labels of the drawn papers.
    """
    offer = ""
    if may_draw(advice, order, read, draws):
        offer = _offer(spot_check_size(len(eligible_papers(order, read, draws))), is_first=not draws)
    if not draws:
        return SpotCheckView(offer)
    says, n_left = state(read, draws, labels), len(unread_papers(draws, read))
    if n_left:
        return SpotCheckView(offer, says, n_left)
    return SpotCheckView(offer, f"{says}{_format_forecast(advice)}", detail=detail(draws[-1]))


def state(read: Positions, draws: Sequence[Draw], labels: Mapping[int, Label]) -> str:
    """Describe how many drawn papers are left to decide or, if all are decided, how many are relevant.

    Examples
    --------
    >>> draws = [Draw(7, 84, 528, (301, 12))]
    >>> state(np.array([12]), draws, {12: "yes"})
    'Spot check: 1 of 2 papers left to decide'
    >>> state(np.array([12, 301]), draws, {12: "yes", 301: "no"})
    'Spot check: 1 of 2 relevant'
    """
    drawn = drawn_positions(draws)
    if n_left := len(unread_papers(draws, read)):
        return f"Spot check: {n_left} of {count_text(len(drawn), 'paper')} left to decide"
    return f"Spot check: {sum(labels.get(position) == 'yes' for position in drawn)} of {len(drawn)} relevant"


def _offer(n_papers: int, *, is_first: bool) -> str:
    if is_first:
        return f"Spot check: {count_text(n_papers, 'paper')} from below the stop point"
    return f"Check {count_text(n_papers, 'more paper')} from below the stop point"


def _format_forecast(advice: StopAdvice) -> str:
    """Format the forecast so that it can be appended to a result. Returns an empty string if there is none."""
    if not advice.is_known:
        return ""
    span = interval(advice)
    if span == "0":
        return ". Probably no relevant papers left"
    return f". Probably {span} relevant {'paper' if span == '1' else 'papers'} left"


def interval(advice: StopAdvice) -> str:
    """Format the 90 % interval for the number of relevant papers left, for example "0 to 3"."""
    low, high = map(round, advice.between)
    return f"{low} to {high}" if low < high else f"{high}"


def detail(newest: Draw) -> str:
    """Describe the newest spot check's sample, and what the forecast for the other unread papers is based on.

    Examples
    --------
    >>> detail(Draw(7, 84, 528, (301, 12)))
    '2 of 528 unread papers drawn at random. The forecast for the other 526 is based on these papers, the rest of this list and earlier lists.'
    """  # noqa: E501
    n_drawn = len(newest.positions)
    drawn = f"{n_drawn} of {count_text(newest.n_rest, 'unread paper')} drawn at random."
    basis = "these papers, the rest of this list and earlier lists"
    return f"{drawn} The forecast for the other {newest.n_rest - n_drawn:,} is based on {basis}."


def _n_read(read: Positions, draws: Sequence[Draw]) -> int:
    """Count the papers that were read. Drawn papers are excluded, because reading them is part of the spot check."""
    return len(np.setdiff1d(read, drawn_positions(draws)))
