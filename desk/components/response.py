"""Responses to the review list in the browser. The browser shows all strings of a response as plain text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from presort.data.records import Label
from presort.desk.components.messages import ViewEntry
from presort.ranker.stopping.forecast import TargetRecall


class Rule(NamedTuple):
    """Labelled line, drawn above the paper at the given 1-based position in the presorted list."""

    place: int
    sentence: str


class Section(NamedTuple):
    """Section of an explanation: a heading, the reasons, terms that can be muted or boosted, and collapsed figures."""

    heading: str
    lines: Sequence[str]
    terms: Sequence[str] = ()
    detail: Sequence[str] = ()


class StopAdviceView(NamedTuple):
    """Stop advice as shown in the list.

    Attributes
    ----------
    may_stop : bool
        True if the editor may stop reading.
    verdict : str
        Verdict in a few words.
    says : str
        Short reason for the verdict.
    left : str
        Forecast of the number of unread relevant papers, with its interval.
    stop_at : int
        Stop point: the position of the last paper to read.
    target_recall : TargetRecall
        Target recall chosen by the editor.
    stops : sequence of (TargetRecall, str)
        Target recalls to choose from, with their labels.
    basis : str
        Lists and spot checks on which the forecast is based.
    """

    may_stop: bool
    verdict: str
    says: str
    left: str
    stop_at: int
    target_recall: TargetRecall
    stops: Sequence[tuple[TargetRecall, str]] = ()
    basis: str = ""


class SpotCheckView(NamedTuple):
    """Spot check of a list: papers drawn at random from below the stop point.

    Attributes
    ----------
    offer : str
        Label of the button that draws papers. Empty if no papers can be drawn now.
    says : str
        Progress of the spot check, or its result once complete. Empty before the first draw.
    n_left : int
        Number of drawn papers that are still unread.
    detail : str
        Figures behind the result.
    """

    offer: str
    says: str = ""
    n_left: int = 0
    detail: str = ""


class RerankingView(NamedTuple):
    """Re-ranked order of the list. All positions in a response refer to this order.

    Attributes
    ----------
    number : int
        Number of the re-ranked order.
    order : sequence of int
        1-based list positions in the new order. Empty if the browser already shows this order.
    labels : mapping from paper id to str
        Labels on which the re-ranking was trained. Empty if the original ranking was restored, or if the browser
        already shows this order.
    person : str
        Editor who requested the re-ranking.
    """

    number: int
    order: Sequence[int]
    labels: Mapping[str, Label]
    person: str

    def payload(self) -> dict[str, Any]:
        """Return the order as an object for the browser."""
        labels = dict(self.labels)
        return {"number": self.number, "order": list(self.order), "labels": labels, "person": self.person}


@dataclass(frozen=True)
class ReviewResponse:
    """Response to a review list. The browser shows all strings in it as plain text.

    It doesn't include the numbers of read, relevant and maybe papers, because the browser counts these papers.

    Attributes
    ----------
    up_to : int
        Number of the newest change in the log. The browser returns it as `ReviewRequest.seen`. It never decreases while
        a page is open.
    labels : mapping from paper id to str
        Current label of each paper decided since `ReviewRequest.seen`, including papers reset to "undecided". If `seen`
        is None, contains all decided papers.
    tags, notes : mapping from paper id
        Current tags and notes of each paper whose tags or note changed since `ReviewRequest.seen`. If `seen` is None,
        contains all papers with tags or notes.
    refused : mapping from entry id to str
        Reason why an entry was not saved. All other entries are saved. The browser then deletes its copies of all
        entries, including the refused ones.
    rule : Rule or None
        Line drawn at the stop point.
    read : sequence of (int, int)
        First and last 1-based position of each run of read papers. The positions refer to the presorted list if the
        issue is ranked. The browser adds the papers on which it has unsaved decisions.
    answers : mapping from paper id to sequence of Section
        Requested explanations.
    stop_advice : StopAdviceView or None
        Stop advice. If it is None, the browser continues to show the previous stop advice.
    target_recall : TargetRecall or None
        Target recall chosen by the editors. None if the list never has stop advice.
    minutes : str or None
        Time spent, such as "6 min". None if it hasn't changed.
    drawn : collection of str
        Ids of all papers drawn for spot checks. Decisions on them don't change the reading progress.
    spot_check : SpotCheckView or None
        Spot check. None if the list has no stop point.
    reranking : RerankingView or None
        Re-ranked order. None if the positions refer to the original ranking.
    reranked_by : str
        Editor whose re-ranked order is newer than the order shown. Empty if the list shows the newest order.
    looked : ViewEntry or None
        Order and filters that the browser reported last. None if it has not reported any since the server was started.
    is_outdated : bool
        True if the report issue was published or reopened after the page was drawn. The browser then redraws the page.
    trouble : str
        Reason why none of the message's entries can be saved at the moment. If it isn't empty, the browser sends the
        message again later and ignores all other fields of the response.
    """

    up_to: int
    labels: Mapping[str, Label] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    read: Sequence[tuple[int, int]] = ()
    answers: Mapping[str, Sequence[Section]] = field(default_factory=dict)
    stop_advice: StopAdviceView | None = None
    target_recall: TargetRecall | None = None
    minutes: str | None = None
    drawn: Collection[str] = ()
    spot_check: SpotCheckView | None = None
    reranking: RerankingView | None = None
    reranked_by: str = ""
    looked: ViewEntry | None = None
    is_outdated: bool = False
    trouble: str = ""

    @property
    def read_up_to(self) -> int:
        """Position down to which all papers are read. 0 if the first paper is unread."""
        return self.read[0][1] if self.read and self.read[0][0] == 1 else 0
