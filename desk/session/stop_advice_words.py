"""Sentences about when to stop."""

import math
from collections.abc import Sequence
from typing import get_args

from presort.desk.components.messages import TargetRecall
from presort.desk.session.progress import StopAdvice
from presort.desk.text import chance_text, counted
from presort.ranker.stopping.background import PRIOR_MEAN
from presort.ranker.stopping.finished_list import Basis

KEEP_READING, MAY_STOP = "keep reading", "you can stop"
TARGET_RECALL = "Relevant papers that may be missed"
LITTLE = 0.1  # relevant papers; fewer are none, as far as can be told
NONE, ONE_LIST = "none, in 19 lists of 20", "1 list in 20"
AWAITED = "stop advice is being prepared"
WHY_AWAITED = "past issues are being ranked; this page refreshes when they are"
FIRST_LISTS = "Estimated mostly from other services because earlier lists of this service have too few relevant papers."


def stop_says(target_recall: TargetRecall, advice: StopAdvice) -> str:
    """Describe the stop point of a choice and the papers then missed. Only its name while advice is being prepared."""
    name = NONE if target_recall == "none" else target_recall
    if not advice.is_known:
        return name
    stop = advice.stops[target_recall]
    where = MAY_STOP if advice.read_to >= stop.place else _stop_near(stop.place, advice)
    if target_recall == "none" or stop.place == advice.n_papers:
        return f"{name}: {where}"
    most = round(stop.at_most)
    at_most = f", at most {most}" if most > _whole(stop.left) else ""
    return f"{name}: {where}, {missed_says(stop.left, advice.n_relevant)}{at_most}"


def stops_say(advice: StopAdvice) -> Sequence[tuple[TargetRecall, str]]:
    """State for each choice where it lets one stop."""
    return [(one, stop_says(one, advice)) for one in get_args(TargetRecall)]


def missed_says(left: float, n_relevant: float) -> str:
    """State about how many of the relevant papers to be expected are missed if so many are left.

    Examples
    --------
    >>> missed_says(1.4, 12.3), missed_says(0.3, 12.3)
    ('about 1 of 12 missed', 'probably none of 12 missed')
    >>> missed_says(0.3, 0.3)
    'probably none relevant at all'
    """
    if not round(n_relevant):
        return "probably none relevant at all"
    missed = f"about {_whole(left)}" if left >= 0.5 else "probably none"
    return f"{missed} of {round(n_relevant)} missed"


def verdict(advice: StopAdvice) -> str:
    """State whether to read on."""
    return MAY_STOP if advice.may_stop else KEEP_READING


def light_says(advice: StopAdvice) -> str:
    """State how much is left, and where to stop."""
    if advice.read_to == advice.n_papers:
        return "every paper was read"
    if not advice.is_known:
        return AWAITED
    if not advice.may_stop:
        return f"{left_says(advice.left)} · {_stop_near(advice.stop_at, advice)}"
    if advice.target_recall == "none":
        return f"a paper is missed in fewer than {ONE_LIST}"
    return missed_says(advice.left, advice.n_relevant)


def left_says(left: float) -> str:
    """State about how many relevant papers are left, as long as some may be.

    Examples
    --------
    >>> left_says(3.7), left_says(1.4), left_says(0.3)
    ('about 4 left', 'about 1 left', 'perhaps 1 left')
    >>> left_says(0.5), left_says(0.04)
    ('about 1 left', 'probably none left')
    """
    if left < LITTLE:
        return "probably none left"
    return f"about {_whole(left)} left" if left >= 0.5 else "perhaps 1 left"


def sure_says(advice: StopAdvice) -> str:
    """State how sure it is what is left, or why nothing is known yet; nothing once every paper was read."""
    if advice.read_to == advice.n_papers:
        return ""
    if not advice.is_known:
        return WHY_AWAITED
    low, high = map(round, advice.between)
    span = f"{low} to {high}" if low < high else f"{high}"
    return f"{span} left, 9 times of 10; chance that all were seen {chance_text(advice.none_left)}"


def _whole(n_papers: float) -> int:
    return math.floor(n_papers + 0.5)


def _stop_near(stop: int, advice: StopAdvice) -> str:
    return f"stop near {stop:,}" if stop < advice.n_papers else "read to the end"


def progress(advice: StopAdvice, counts: str, says: str) -> str:
    """State, in Markdown, how far an editor has come."""
    return f"**{advice.n_read:,}** of {advice.n_papers:,} read · **{verdict(advice)}** · {says} · {counts}"


def basis_says(basis: Basis, *, is_first: bool = False) -> str:
    """Describe the basis of a forecast, and say if it has no data on papers far below the stop point.

    Parameters
    ----------
    basis : Basis
    is_first : bool
        Whether it rests mostly on other services.

    Examples
    --------
    >>> basis_says(Basis(14, 3, 62))
    'Estimated from 14 earlier lists, 3 of them read to the end, and 62 spot-checked papers.'
    >>> basis_says(Basis(14))
    'Estimated from 14 earlier lists. None was read to the end or spot-checked, so it is assumed that 3 % of the relevant papers are anywhere in the list.'
    >>> basis_says(Basis(14, 14)), basis_says(Basis())
    ('Estimated from 14 earlier lists, all read to the end.', 'Estimated from other lists: this report has no earlier one.')
    """  # noqa: E501
    if is_first:
        return FIRST_LISTS
    if not basis.n_lists:
        return "Estimated from other lists: this report has no earlier one."
    lists = f"Estimated from {counted(basis.n_lists, 'earlier list')}"
    if not (basis.n_whole or basis.n_spot_checked):
        share = f"{100 * PRIOR_MEAN:.0f} %"
        assumption = f"it is assumed that {share} of the relevant papers are anywhere in the list"
        return f"{lists}. None was read to the end or spot-checked, so {assumption}."
    if basis.n_whole:
        lists += (
            ", all read to the end" if basis.n_whole == basis.n_lists else f", {basis.n_whole} of them read to the end"
        )
    if basis.n_spot_checked:
        lists += f"{',' if basis.n_whole else ''} and {counted(basis.n_spot_checked, 'spot-checked paper')}"
    return f"{lists}."


def rule_says(advice: StopAdvice) -> str:
    """Describe what a line means that parts the list where reading may end."""
    if advice.target_recall == "none":
        return f"You can stop here: a relevant paper is missed in fewer than {ONE_LIST}."
    return f"You can stop here: {missed_says(advice.stops[advice.target_recall].left, advice.n_relevant)}."
