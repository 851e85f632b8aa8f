"""A report issue with all that its readers are told, from whatever it is written for: mail, a page or a feed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from data import catalogue, people, rankings, reviews
from data.errors import RefusedError
from data.records import Editorship, Paper, ReportIssue
from data.reopening import issuings
from data.store import Store
from desk import rankers
from desk.making import making
from desk.words.finish import headed
from desk.words.manage import chosen_by
from desk.words.outcomes import counted_in_words

NOBODY = "editor"  # chose the papers, where no name is known


@dataclass(frozen=True)
class Letter:
    """What readers are told of one report issue; private notes are never in it.

    Attributes
    ----------
    code, name : str
        Of the report.
    issue : date
        Of the issue.
    papers : sequence of Paper
        Those that go out, in order.
    chosen_by : str
        Says who chose them.
    note : str
        To the readers; may be empty.
    issued_at : datetime or None
        When it was issued; None of one in the making.
    """

    code: str
    name: str
    issue: date
    papers: Sequence[Paper]
    chosen_by: str
    note: str = ""
    issued_at: datetime | None = None

    @property
    def counted(self) -> str:
        """How many papers it has, in words."""
        return counted_in_words(len(self.papers), "paper")

    @property
    def headed(self) -> str:
        """How many papers it has, and who chose them."""
        return headed(self.counted, self.chosen_by)


class Desk:
    """Makes letters; what is the same for many of them is read once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.names = {report.code: report.name for report in catalogue.reports(store, retired=True)}
        self.editorships: Sequence[Editorship] = people.editorships(store)
        self.affiliations = people.affiliations(store)

    def letter(
        self, report_issue: ReportIssue, papers: Sequence[Paper], *, issued_at: datetime | None = None
    ) -> Letter:
        """Make a letter of what goes out.

        Parameters
        ----------
        papers : sequence of Paper
            Those that go out, in order.
        """
        code, issue = report_issue.report, report_issue.issue
        alone = NOBODY if report_issue.person in people.IN_LOGS else report_issue.person
        editors = people.editors_on(self.editorships, code, issue) or [alone]
        by = chosen_by(editors, self.affiliations)
        return Letter(code, self.names[code], issue, papers, by, report_issue.note, issued_at)


def issued_letter(store: Store, report: str, issue: date) -> Letter:
    """Make the letter of a report issue that has gone out.

    Raises
    ------
    RefusedError
        If it has not.
    """
    last = issuings(store, report, issue)[-1:]
    if not last or last[0].reopened is not None:
        raise RefusedError(f"{report} {issue} has not been issued; there is nothing to send.")
    papers = published_papers(store, last[0].report_issue, catalogue.papers(store, issue))
    return Desk(store).letter(last[0].report_issue, papers, issued_at=last[0].made_at)


def letter_in_the_making(store: Store, report: str, issue: date, *, person: str) -> Letter:
    """Make the letter of a report issue as it would go out now."""
    newest = rankings.newest_rankings(store, report, issue).get(rankers.active(store, issue))
    is_sorted = newest is not None and len(newest.ranking.scores) > 0
    now = making(store, report, issue, newest if is_sorted else None)
    draft = ReportIssue(report, issue, tuple(now.outgoing), person, note=now.draft.note)
    return Desk(store).letter(draft, list(now.published.values()))


def published_papers(store: Store, gone_out: ReportIssue, papers: Sequence[Paper]) -> list[Paper]:
    """Give the papers that went out, in order.

    What was imported says only which papers were relevant: all of them went out. At the desk, the log says of each
    relevant paper whether it did.

    Parameters
    ----------
    papers : sequence of Paper
        Of the issue, in list order.
    """
    if gone_out.published:
        return [papers[position - 1] for position in gone_out.published]
    of_issue = (store, gone_out.report, gone_out.issue)
    left_out = reviews.words(*of_issue, "publish")
    relevant = {paper for paper, word in reviews.words(*of_issue).items() if word == "yes"}
    return [paper for paper in papers if paper.paper_id in relevant - left_out.keys()]
