"""Stop advice: the stop point for each target recall, the forecast of remaining relevant papers, and their wording.

The target recall is set per report, not per editor.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast, get_args

import numpy as np

from presort.data import catalogue
from presort.data.catalogue import log_change
from presort.data.records import Label
from presort.data.rights import Right
from presort.data.store import Connection, Store
from presort.desk.text import chance_text, count_text
from presort.ranker.stopping.background import PRIOR_MEAN
from presort.ranker.stopping.curves import Flags, Floats
from presort.ranker.stopping.finished_list import Basis
from presort.ranker.stopping.forecast import TargetRecall
from presort.ranker.stopping.relevance_model import ListModel, RelevanceModel

ALMOST_ONE = float(np.nextafter(1, 0))
NAME = "target-recall:"  # prefix of the setting's name, followed by the report code
# Accepted miss rate for each target recall. "none" has no rate, because all relevant papers must be found.
SHARES: Mapping[TargetRecall, float] = {"1 in 10": 0.1, "1 in 20": 0.05, "1 in 100": 0.01}
USUAL: TargetRecall = "1 in 20"  # default
KEEP_READING, MAY_STOP = "keep reading", "you can stop"
TARGET_RECALL = "Target recall over many lists"  # an average: in a single list, a larger share may be missed
LITTLE = 0.1  # if fewer relevant papers than this are expected, the wording is "probably no relevant paper left"
NAMES: Mapping[TargetRecall, str] = {
    "1 in 10": "90 %",
    "1 in 20": "95 %",
    "1 in 100": "99 %",
    "none": "all, in 95 % of lists",
}
AWAITED = "stop advice is being prepared"
WHY_AWAITED = "past issues are being ranked; this page refreshes when they are ready"
FIRST_LISTS = "Estimated mostly from other services because earlier lists of this service have too few relevant papers."


def target_recall(store: Store, report: str) -> TargetRecall:
    """Return the target recall chosen by a report's editors. Defaults to 95 %."""
    with store.reading(Right.SEE, report) as connection:
        return target_recall_now(connection, report)


def target_recall_now(connection: Connection, report: str) -> TargetRecall:
    """Return `target_recall`, read on an open connection."""
    kept = catalogue.read_setting(connection, f"{NAME}{report}")
    return cast("TargetRecall", kept) if kept in get_args(TargetRecall) else USUAL


def set_target_recall(store: Store, report: str, chosen: TargetRecall) -> None:
    """Store a report's target recall, and log the change."""
    change = f"Target recall: {NAMES[chosen]}"
    with store.writing(Right.EDIT, report) as connection:
        log_change(connection, change, person=store.author(connection), report=report)
        catalogue.write_setting(connection, f"{NAME}{report}", chosen)


class Stop(NamedTuple):
    """Stop point for one target recall.

    Attributes
    ----------
    place : int
        1-based position of the last paper to read.
    left : float
        Expected number of relevant papers below this position. NaN while stop advice is being prepared.
    at_most : float
        Upper 95 % limit for that number. NaN while stop advice is being prepared.
    """

    place: int
    left: float
    at_most: float


@dataclass(frozen=True)
class StopAdvice:
    """Editor's reading progress, and the forecast for the unread papers.

    Attributes
    ----------
    n_papers : int
        Number of papers in the issue.
    n_read : int
        Number of papers read anywhere in the list.
    read_up_to : int
        All papers up to this position were read. 0 if the first paper is unread.
    n_found : int
        Number of relevant papers among those read.
    left : float
        Expected number of relevant papers among the unread papers. NaN while stop advice is being prepared.
    between : tuple of (float, float)
        90 % prediction interval of `left`.
    none_left : float
        Probability that no relevant paper is left. 1 only if every paper was read.
    target_recall : str
        Target recall chosen by the editors.
    stops : mapping from str to Stop
        Stop point for each target recall. While stop advice is being prepared, it is the end of the list.
    is_awaited : bool
        True while past lists needed for stop advice are being ranked.
    """

    n_papers: int
    n_read: int
    read_up_to: int
    n_found: int
    left: float
    between: tuple[float, float]
    none_left: float
    target_recall: TargetRecall
    stops: Mapping[TargetRecall, Stop]
    is_awaited: bool = False

    def without_forecast(self) -> "StopAdvice":
        """Return a copy without the forecast, for use while stop advice is still being prepared."""
        nowhere = Stop(self.n_papers, math.nan, math.nan)
        return replace(self, left=math.nan, stops=dict.fromkeys(self.stops, nowhere), is_awaited=True)

    @property
    def stop_at(self) -> int:
        """Stop point for the editor's target recall."""
        return self.stops[self.target_recall].place

    @property
    def n_relevant(self) -> float:
        """Expected total number of relevant papers."""
        return self.n_found + self.left

    @property
    def may_stop(self) -> bool:
        """True if the editor has reached the stop point."""
        return self.read_up_to >= self.stop_at

    @property
    def is_known(self) -> bool:
        """True if there is a forecast."""
        return not math.isnan(self.left)


def list_model(relevance_model: RelevanceModel, scores: Floats, n_papers: int) -> ListModel:
    """Return the model of a list that `advise` needs.

    Parameters
    ----------
    relevance_model : RelevanceModel
        The report's relevance model before this issue.
    scores : array of shape (n_scored,)
        Scores of the ranked papers, in descending order.
    n_papers : int
        Number of papers in the list, at least `n_scored`. Papers that were added to the issue after it was ranked come
        last. They have no scores, so the score of the last ranked paper is used for them.
    """
    return relevance_model.for_list(np.append(scores, np.full(n_papers - len(scores), scores[-1])))


def advise(
    model: ListModel,
    labels: Sequence[Label | None],
    is_read: Flags,
    target_recall: TargetRecall,
) -> StopAdvice:
    """Compute the stop advice for a list.

    Parameters
    ----------
    model : ListModel
        Model of the list, returned by `list_model`.
    labels : sequence of str or None
        Each paper's label, in the shown order.
    is_read : array of bool, shape (n_papers,)
        True for each paper that was read, in the shown order.
    target_recall : str
        Target recall chosen by the editors.
    """
    n_papers = len(labels)
    is_relevant = np.array([label == "yes" for label in labels], dtype=bool)
    forecast = model.forecast(is_read, is_relevant)
    from_top = forecast.from_top()  # entry k covers the papers below position k, and entry 0 the whole list
    left, none_left = from_top.left(), from_top.none_left()
    places: dict[TargetRecall, int] = {one: forecast.stop(share) for one, share in SHARES.items()}
    # If there are few relevant papers, the stop point for a miss rate may be further down than the one for "none", so
    # the maximum is used. If the curves come from other services, the list must be read to the end, because a paper was
    # missed in 6 to 8 % of first lists with these curves instead of 5 %.
    places["none"] = max(forecast.stop_for_all(), *places.values()) if model.is_ready else n_papers
    read_up_to = int(np.append(is_read, False).argmin())
    low, high = from_top.between(at=[read_up_to, *places.values()])
    stops = {
        one: Stop(place, float(left[place]), float(most))
        for (one, place), most in zip(places.items(), high[1:], strict=True)
    }
    return StopAdvice(
        n_papers,
        int(is_read.sum()),
        read_up_to,
        forecast.n_found,
        left=float((forecast.weights @ forecast.hidden).sum()),
        between=(float(low[0]), float(high[0])),
        none_left=1.0 if is_read.all() else min(float(none_left[read_up_to]), ALMOST_ONE),
        target_recall=target_recall,
        stops=stops,
    )


def stop_text(target_recall: TargetRecall, advice: StopAdvice) -> str:
    """Describe the stop point for a target recall, and the number of papers that would be missed there.

    While advice is being prepared, only the name of the target recall is returned.
    """
    name = NAMES[target_recall]
    if not advice.is_known:
        return name
    stop = advice.stops[target_recall]
    where = MAY_STOP if advice.read_up_to >= stop.place else _stop_near(stop.place, advice)
    if target_recall == "none" or stop.place == advice.n_papers:
        return f"{name}: {where}"
    most = round(stop.at_most)
    at_most = f", at most {most}" if most > _round_half_up(stop.left) else ""
    return f"{name}: {where}, {missed_text(stop.left, advice.n_relevant)}{at_most}"


def stops_text(advice: StopAdvice) -> Sequence[tuple[TargetRecall, str]]:
    """Describe the stop point for each target recall."""
    return [(one, stop_text(one, advice)) for one in get_args(TargetRecall)]


def missed_text(left: float, n_relevant: float) -> str:
    """Describe the expected number of missed papers if `left` of `n_relevant` relevant papers stay unread.

    Examples
    --------
    >>> missed_text(1.4, 12.3), missed_text(0.3, 12.3)
    ('about 1 of 12 relevant papers missed', 'probably no relevant paper missed')
    >>> missed_text(0.3, 0.3)
    'probably no relevant papers at all'
    """
    if not round(n_relevant):
        return "probably no relevant papers at all"
    if left < 0.5:
        return "probably no relevant paper missed"
    return f"about {_round_half_up(left)} of {count_text(round(n_relevant), 'relevant paper')} missed"


def verdict(advice: StopAdvice) -> str:
    """Return the advice in a few words: keep reading, or stop."""
    return MAY_STOP if advice.may_stop else KEEP_READING


def advice_text(advice: StopAdvice) -> str:
    """Describe the expected number of relevant papers left, and the stop point."""
    if advice.read_up_to == advice.n_papers:
        return "every paper was read"
    if not advice.is_known:
        return AWAITED
    if not advice.may_stop:
        return f"{papers_left_text(advice.left)} · {_stop_near(advice.stop_at, advice)}"
    if advice.target_recall == "none":
        return "a paper is missed in fewer than 5 % of lists"
    return missed_text(advice.left, advice.n_relevant)


def papers_left_text(left: float) -> str:
    """Describe the expected number of relevant papers left.

    Examples
    --------
    >>> papers_left_text(3.7), papers_left_text(1.4), papers_left_text(0.3)
    ('about 4 relevant left', 'about 1 relevant left', 'perhaps 1 relevant left')
    >>> papers_left_text(0.5), papers_left_text(0.04)
    ('about 1 relevant left', 'probably no relevant paper left')
    """
    if left < LITTLE:
        return "probably no relevant paper left"
    return f"about {_round_half_up(left)} relevant left" if left >= 0.5 else "perhaps 1 relevant left"


def uncertainty_text(advice: StopAdvice) -> str:
    """Describe the forecast's uncertainty, or why there is no forecast yet. Empty if every paper was read."""
    if advice.read_up_to == advice.n_papers:
        return ""
    if not advice.is_known:
        return WHY_AWAITED
    low, high = map(round, advice.between)
    span = f"{low} to {high}" if low < high else f"{high}"
    return f"{span} relevant left (90 % interval) · probability that none is left: {chance_text(advice.none_left)}"


def _round_half_up(n_papers: float) -> int:
    return math.floor(n_papers + 0.5)


def _stop_near(stop: int, advice: StopAdvice) -> str:
    return f"stop near {stop:,}" if stop < advice.n_papers else "read to the end"


def progress(advice: StopAdvice, counts: str, says: str) -> str:
    """Format the reading progress as Markdown."""
    return f"**{advice.n_read:,}** of {advice.n_papers:,} read · **{verdict(advice)}** · {says} · {counts}"


def basis_text(basis: Basis, *, is_first: bool = False) -> str:
    """Describe what a forecast is based on, and what it assumes if there is no data on papers far down the list.

    Parameters
    ----------
    basis : Basis
        Numbers of earlier lists and spot-checked papers.
    is_first : bool
        True if the forecast is based mostly on other services.

    Examples
    --------
    >>> basis_text(Basis(14, 3, 62))
    'Estimated from 14 earlier lists, 3 of them read to the end, and 62 spot-checked papers.'
    >>> basis_text(Basis(14))
    'Estimated from 14 earlier lists. None was read to the end or spot-checked, so the estimate assumes that 3 % of the relevant papers are at random positions.'
    >>> basis_text(Basis(14, 14)), basis_text(Basis())
    ('Estimated from 14 earlier lists, all read to the end.', 'Estimated from lists of other reports because this report has no earlier lists.')
    """  # noqa: E501
    if is_first:
        return FIRST_LISTS
    if not basis.n_lists:
        return "Estimated from lists of other reports because this report has no earlier lists."
    lists = f"Estimated from {count_text(basis.n_lists, 'earlier list')}"
    if not (basis.n_whole or basis.n_spot_checked):
        share = f"{100 * PRIOR_MEAN:.0f} %"
        assumption = f"the estimate assumes that {share} of the relevant papers are at random positions"
        return f"{lists}. None was read to the end or spot-checked, so {assumption}."
    if basis.n_whole:
        lists += (
            ", all read to the end" if basis.n_whole == basis.n_lists else f", {basis.n_whole} of them read to the end"
        )
    if basis.n_spot_checked:
        lists += f"{',' if basis.n_whole else ''} and {count_text(basis.n_spot_checked, 'spot-checked paper')}"
    return f"{lists}."


def rule_text(advice: StopAdvice) -> str:
    """Return the wording of the line at the stop point."""
    if advice.target_recall == "none":
        return "You can stop here: a relevant paper is missed in fewer than 5 % of lists."
    return f"You can stop here: {missed_text(advice.stops[advice.target_recall].left, advice.n_relevant)}."
