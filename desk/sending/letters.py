"""Letters: the public content of report issues, for mail, pages and feeds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from presort.data import catalogue
from presort.data.editing.publications import publication_log
from presort.data.errors import RefusedError
from presort.data.records import Editorship, Paper, ReportIssue
from presort.data.running import people
from presort.data.store import Store
from presort.data.text.formulas import formulas_to_unicode
from presort.desk.scores.outcomes import spell_count
from presort.desk.sending.texts import editors_phrase
from presort.desk.service.rankers import review_ranking
from presort.desk.session.publication import published_papers, read_pending_publication

NOBODY = "its editor"  # used if the editor's name is unknown: "chosen by its editor"


@dataclass(frozen=True)
class Letter:
    """Public content of a report issue. Private notes are not included.

    Attributes
    ----------
    code, name : str
        Code and name of the report.
    issue : date
    papers : sequence of Paper
        Published papers or, for a draft, papers selected for publication, in order of publication.
    chosen_by : str
        Phrase that names the editors.
    note : str
        Note to readers. It may be empty.
    published_at : datetime or None
        Time of publication. None for a draft.
    """

    code: str
    name: str
    issue: date
    papers: Sequence[Paper]
    chosen_by: str
    note: str = ""
    published_at: datetime | None = None

    @property
    def counted(self) -> str:
        """Number of papers as text, such as "three papers"."""
        return spell_count(len(self.papers), "paper")

    @property
    def headed(self) -> str:
        """Number of papers, followed by the names of the editors."""
        return f"{self.counted}, {self.chosen_by}"


class Desk:
    """Factory for letters. It reads the data shared by all letters only once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.names = {report.code: report.name for report in catalogue.reports(store, retired=True)}
        self.editorships: Sequence[Editorship] = people.editorships(store)
        self.affiliations = people.affiliations(store)

    def letter(
        self, report_issue: ReportIssue, papers: Sequence[Paper], *, published_at: datetime | None = None
    ) -> Letter:
        """Create a letter from a report issue's papers, given in order.

        Formulas become plain text, because mail can't display maths.
        """
        code, issue = report_issue.report, report_issue.issue
        editors = people.editors_for_readers(self.editorships, report_issue) or [NOBODY]
        by = editors_phrase(editors, self.affiliations)
        papers = [
            replace(one, title=formulas_to_unicode(one.title), abstract=formulas_to_unicode(one.abstract))
            for one in papers
        ]
        return Letter(code, self.names[code], issue, papers, by, report_issue.note, published_at)


def published_letter(store: Store, report: str, issue: date) -> Letter:
    """Return the letter for a published report issue.

    Raises
    ------
    RefusedError
        If the report issue is not published or has been reopened.
    """
    last = publication_log(store, report, issue)[-1:]
    if not last or last[0].reopened is not None:
        raise RefusedError(f"{report} {issue} is not published, so it can't be sent.")
    papers = published_papers(store, last[0].report_issue, catalogue.papers(store, issue))
    return Desk(store).letter(last[0].report_issue, papers, published_at=last[0].made_at)


def draft_letter(store: Store, report: str, issue: date, *, person: str) -> Letter:
    """Return a draft letter for a report issue in its current state."""
    shown = review_ranking(store, report, issue)
    now = read_pending_publication(
        store, report, issue, shown if shown is not None and shown.ranking.is_sorted else None
    )
    draft = ReportIssue(report, issue, tuple(now.to_publish), person, note=now.draft.note)
    return Desk(store).letter(draft, list(now.papers_to_publish.values()))
