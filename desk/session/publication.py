"""Papers of a report issue, their order and the notes, before and after publication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from presort.data import catalogue
from presort.data.editing import decisions, drafts
from presort.data.records import ApprovedDraft, Decision, Draft, Label, Paper, ReportIssue, StoredRanking
from presort.data.store import Store
from presort.desk.session.progress import current_order


@dataclass(frozen=True)
class PendingPublication:
    """Current state of a report issue that is not published yet.

    Attributes
    ----------
    report : str
        Code of the report.
    issue : date
        Date of the issue.
    papers : sequence of Paper
        Papers of the issue, in list order.
    shown : StoredRanking or None
        Ranking of the list. None if the list is shown in list order, that is, unranked.
    draft : Draft
        Last saved order and notes.
    relevant : sequence of int
        List positions of the relevant papers, in publication order.
    to_publish : sequence of int
        List positions of the papers to publish, in publication order.
    maybe : sequence of int
        List positions of the papers marked maybe, in the shown order.
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
        """Unique name, used in the keys of widgets."""
        return f"{self.report}-{self.issue}"

    @property
    def papers_to_publish(self) -> Mapping[int, Paper]:
        """Papers to publish by list position, in publication order."""
        return {position: self.papers[position - 1] for position in self.to_publish}

    @property
    def approved_state(self) -> ApprovedDraft:
        """State that the editor approves by publishing."""
        return ApprovedDraft(tuple(self.to_publish), frozenset(self.maybe), self.draft.note)

    def decisions(self, positions: Sequence[int], label: Label, *, person: str) -> list[Decision]:
        """Return the decisions that select or deselect papers for publication.

        Decisions without effect are left out.
        """
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


def read_pending_publication(store: Store, report: str, issue: date, shown: StoredRanking | None) -> PendingPublication:
    """Read the current state of a report issue.

    Parameters
    ----------
    store : Store
        Workspace.
    report : str
        Code of the report.
    issue : date
        Date of the issue.
    shown : StoredRanking or None
        Ranking that determines the order of papers that are missing from the draft. If it is None, they are in list
        order.
    """
    papers = catalogue.papers(store, issue)
    order = current_order(store, shown, len(papers)).tolist()
    labels = decisions.labels(store, report, issue)
    draft = drafts.draft(store, report, issue)
    in_order = dict.fromkeys([*draft.order, *order])
    relevant = [position for position in in_order if labels.get(papers[position - 1].paper_id) == "yes"]
    maybe = [position for position in order if labels.get(papers[position - 1].paper_id) == "maybe"]
    to_publish = drafts.to_publish(store, report, issue, order)
    return PendingPublication(report, issue, papers, shown, draft, relevant, to_publish, maybe)


def published_papers(store: Store, published_issue: ReportIssue, papers: Sequence[Paper]) -> list[Paper]:
    """Return the published papers in publication order.

    For an imported report issue, all relevant papers are returned, in list order.

    Parameters
    ----------
    store : Store
        Workspace.
    published_issue : ReportIssue
        Published report issue.
    papers : sequence of Paper
        Papers of the issue, in list order.
    """
    if published_issue.source == "file":
        labels = decisions.labels(store, published_issue.report, published_issue.issue)
        return [paper for paper in papers if labels.get(paper.paper_id) == "yes"]
    return [papers[position - 1] for position in published_issue.published]


def reorder(published: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Reorder some of the papers within the positions that they occupy. All other papers stay where they are.

    Parameters
    ----------
    published : sequence of int
        List positions of all papers, in the current order.
    order : sequence of int
        List positions of the papers to reorder, in the new order. Unknown and repeated positions are ignored.

    Examples
    --------
    >>> reorder([1, 2, 3, 4], [4, 9, 1, 2])
    (4, 1, 3, 2)
    """
    known = [position for position in dict.fromkeys(order) if position in published]
    moved = iter(known)
    return tuple(next(moved) if position in known else position for position in published)
