"""Papers, order and notes of a report issue to be published, and of a published one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from presort.data import catalogue
from presort.data.editing import decisions, drafts
from presort.data.records import Approved, Decision, Draft, Label, Paper, ReportIssue, StoredRanking
from presort.data.store import Store
from presort.desk.session.progress import order_now


@dataclass(frozen=True)
class Making:
    """Current state of a report issue.

    Attributes
    ----------
    report, issue
        Report and issue.
    papers : sequence of Paper
        Of the issue, in list order.
    shown : StoredRanking or None
        Ranking of the list. None in list order.
    draft : Draft
        Order and notes as last saved.
    relevant : sequence of int
        List positions of the relevant papers in the order to publish.
    to_publish : sequence of int
        List positions of the papers to publish, in that order.
    maybe : sequence of int
        List positions of the papers that are maybe, in the order shown.
    """

    report: str
    issue: date
    papers: Sequence[Paper]
    shown: StoredRanking | None
    draft: Draft
    relevant: Sequence[int]
    to_publish: Sequence[int]
    maybe: Sequence[int]

    @property
    def name(self) -> str:
        """Unique name, for keys of widgets."""
        return f"{self.report}-{self.issue}"

    @property
    def published(self) -> Mapping[int, Paper]:
        """Papers to publish, by list position and in order."""
        return {position: self.papers[position - 1] for position in self.to_publish}

    @property
    def approved(self) -> Approved:
        """Draft that its editor approves by publishing it."""
        return Approved(tuple(self.to_publish), frozenset(self.maybe), self.draft.note)

    def decisions(self, positions: Sequence[int], label: Label, *, person: str) -> list[Decision]:
        """Return decisions on publishing papers, without those that change nothing."""
        ranking_id = None if self.shown is None else self.shown.id
        return [
            Decision(
                self.report,
                self.issue,
                self.papers[position - 1].paper_id,
                label,
                person,
                about="publish",
                ranking_id=ranking_id,
            )
            for position in positions
            if (position in self.to_publish) != (label == "yes")
        ]


def making(store: Store, report: str, issue: date, shown: StoredRanking | None) -> Making:
    """Read the current state of a report issue.

    Parameters
    ----------
    shown : StoredRanking or None
        Gives the order of papers that the draft does not place.
    """
    papers = catalogue.papers(store, issue)
    order = order_now(store, shown, len(papers)).tolist()
    labels = decisions.labels(store, report, issue)
    draft = drafts.draft(store, report, issue)
    in_order = dict.fromkeys([*draft.order, *order])
    relevant = [position for position in in_order if labels.get(papers[position - 1].paper_id) == "yes"]
    maybe = [position for position in order if labels.get(papers[position - 1].paper_id) == "maybe"]
    to_publish = drafts.to_publish(store, report, issue, order)
    return Making(report, issue, papers, shown, draft, relevant, to_publish, maybe)


def published_papers(store: Store, published_issue: ReportIssue, papers: Sequence[Paper]) -> list[Paper]:
    """Return the papers that went out, in order.

    An imported report issue names only the relevant papers: all of them were published, in list order.

    Parameters
    ----------
    papers : sequence of Paper
        Of the issue, in list order.
    """
    if published_issue.source == "file":
        labels = decisions.labels(store, published_issue.report, published_issue.issue)
        return [paper for paper in papers if labels.get(paper.paper_id) == "yes"]
    return [papers[position - 1] for position in published_issue.published]


def reordered(published: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Reorder some papers of a list within the places that they have.

    Parameters
    ----------
    published : sequence of int
        List positions of all of them.
    order : sequence of int
        The new order of some positions. Positions outside the list and repetitions are ignored.

    Examples
    --------
    >>> reordered([1, 2, 3, 4], [4, 9, 1, 2])
    (4, 1, 3, 2)
    """
    known = [position for position in dict.fromkeys(order) if position in published]
    moved = iter(known)
    return tuple(next(moved) if position in known else position for position in published)
