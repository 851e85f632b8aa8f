"""Responses to a review list in the browser; all of it is shown as plain text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from presort.data.records import Label
from presort.ranker.stopping.forecast import TargetRecall


class Rule(NamedTuple):
    """Line above the paper at a place of the presorted list, from 1, with its text."""

    place: int
    sentence: str


class Section(NamedTuple):
    """Section of the explanation of a paper: heading, reasons, and terms that can be muted or boosted.

    `detail` has the figures, shown on demand.
    """

    heading: str
    lines: Sequence[str]
    terms: Sequence[str] = ()
    detail: Sequence[str] = ()


class StopAdviceShown(NamedTuple):
    """Stop advice: verdict, short text and stop point.

    `left` is the forecast of the relevant papers left, with its interval. `target_recall` is the editor's choice;
    `stops` has the text for each choice. `basis` names the lists and spot checks that the forecast is based on.
    """

    may_stop: bool
    verdict: str
    says: str
    left: str
    stop_at: int
    target_recall: TargetRecall
    stops: Sequence[tuple[TargetRecall, str]] = ()
    basis: str = ""


class SpotCheckShown(NamedTuple):
    """Spot check of a list: papers drawn at random from below the stop point.

    Attributes
    ----------
    offer : str
        Label of the button that draws papers. Empty if none can be drawn now.
    says : str
        State of the check, or its result once it is complete. Empty before the first draw.
    n_left : int
        Drawn papers that were not read yet.
    detail : str
        Figures behind the result.
    """

    offer: str
    says: str = ""
    n_left: int = 0
    detail: str = ""


class RerankingShown(NamedTuple):
    """Order of the list in which the places of a response count, if it was re-ranked.

    `order` holds the list positions, from 1; it is empty if the browser shows that order already. `n_decisions` is how
    many decisions it was learned from: 0 if the first order is back.
    """

    number: int
    order: Sequence[int]
    n_decisions: int
    person: str

    def payload(self) -> dict[str, Any]:
        """Return the order as an object for the browser."""
        order = list(self.order)
        return {"number": self.number, "order": order, "nDecisions": self.n_decisions, "person": self.person}


@dataclass(frozen=True)
class ReviewResponse:
    """Response to a review list; all of it is shown as plain text.

    Read-to, relevant and maybe are counted in the browser.

    Attributes
    ----------
    up_to : int
        Number of the newest change in the log; it comes back as `ReviewRequest.seen`. Never falls while a page is open.
    labels : mapping from paper id to str
        Current label of each paper decided since `ReviewRequest.seen`, also if it is "undecided" again. If `seen` is
        None, of every decided paper. Likewise `tags` and `notes`.
    refused : mapping from entry id to str
        Why entries were not saved. All others count as saved, and the browser forgets them.
    rule : Rule or None
        Line at the stop point.
    read : sequence of (int, int)
        Papers read: the first and last place of each run, from 1, in the presorted list if there is one. The browser
        adds unsaved ones.
    answers : mapping from paper id to sequence of Section
        Requested explanations.
    stop_advice : StopAdviceShown or None
        None if it is not known; then the browser keeps showing the last one.
    target_recall : TargetRecall or None
        The editors' choice. None if the list never has stop advice.
    minutes : str or None
        Time spent, such as "6 min". None if it hasn't changed.
    drawn : collection of str
        Ids of all papers ever drawn for a spot check. A decision on one of them says nothing about how far the list
        was read.
    spot_check : SpotCheckShown or None
        None if the list has no stop point.
    reranking : RerankingShown or None
        None if the places are those of the ranking.
    reranked_by : str
        Person who made a newer order than the one shown. Empty if there is none.
    trouble : str
        Why nothing in the message could be saved now. Then the browser sends it again later, and ignores the other
        fields of the response.
    """

    up_to: int
    labels: Mapping[str, Label] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    read: Sequence[tuple[int, int]] = ()
    answers: Mapping[str, Sequence[Section]] = field(default_factory=dict)
    stop_advice: StopAdviceShown | None = None
    target_recall: TargetRecall | None = None
    minutes: str | None = None
    drawn: Collection[str] = ()
    spot_check: SpotCheckShown | None = None
    reranking: RerankingShown | None = None
    reranked_by: str = ""
    trouble: str = ""

    @property
    def read_up_to(self) -> int:
        """Place down to which every paper was read, in the order of `read`. 0 if the first was not."""
        return self.read[0][1] if self.read and self.read[0][0] == 1 else 0
