"""What the page This week says."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from presort.data.editing.log import PublishedIssue
from presort.data.editing.pending import LATE, SortedBy
from presort.data.records import Pending, Publication, Skipping, Source
from presort.desk.access import person_name
from presort.desk.text import age, counted, moment

TO_FINISH, PUBLISHED = "to finish", "gone out"
SKIP = "Skip"
SKIP_HELP = "It waits no longer, and nothing goes out. Decisions stay. You can take it up again."

WELCOME = "**Welcome.** Three steps, and a sorted list lies here."
BRING = "Drop the file of an issue: RIS, BibTeX, CSV and others."
ADD = "A report is a subject, such as *labour economics*."
SORT = "Once both are there, each report gets the papers in its own order."
NOT_YET = "No list waits yet. One does once whoever runs the desk has brought papers and named you for a report."

DEMO = "Twelve made-up reports, in a folder of their own."

VERY_LATE = 42  # days after which nobody waits for an issue

COLUMNS = {"made_at": "When (UTC)", "person": "Who", "decision_text": "What", "title": "Title"}


def lateness(days: int) -> str:
    """State whether an issue is late, by the days since its date but those of holidays; nothing if it is not.

    Examples
    --------
    >>> lateness(13), lateness(14)
    ('', 'late: readers expect it within two weeks')
    >>> lateness(42)
    'very late: after six weeks, publish it, be it empty, or skip it'
    """
    if days >= VERY_LATE:
        return "very late: after six weeks, publish it, be it empty, or skip it"
    return "late: readers expect it within two weeks" if days >= LATE else ""


def summary(issues: Sequence[Pending]) -> str:
    """Describe how much there is to finish: one issue at least, oldest first.

    Examples
    --------
    >>> from datetime import date
    >>> week = Pending("lab", date(2026, 11, 16), 300, 0, is_started=False, days_old=5)
    >>> summary([week])
    '1 issue to finish, 5 days old.'
    >>> summary([Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19), week, week])
    '3 issues to finish, the oldest 2 weeks old; 1 is late.'
    """
    n_late = sum(one.days_counted >= LATE for one in issues)
    oldest = f"{'the oldest ' if len(issues) > 1 else ''}{age(issues[0].days_old)}"
    late = f"; {n_late:,} {'is' if n_late == 1 else 'are'} late" if n_late else ""
    return f"{counted(len(issues), 'issue')} to finish, {oldest}{late}."


def describe_pending(issue: Pending, name: str, n_read: int, by_rankers: Sequence[SortedBy]) -> str:
    """Describe a pending issue: its size, how far it was read and whether each ranker sorted it.

    Examples
    --------
    >>> from datetime import date
    >>> begun = Pending("lab", date(2026, 11, 9), 612, 84, is_started=True, days_old=14, n_relevant=9)
    >>> describe_pending(begun, "lab · Labour", 84, [SortedBy.ALL])
    'lab · Labour · 612 papers · 84 read, 9 relevant · 2 weeks old, late'
    >>> new = Pending("lab", date(2026, 11, 16), 598, 0, is_started=False, days_old=5)
    >>> describe_pending(new, "lab", 0, []), describe_pending(new, "lab", 0, [SortedBy.LESS])
    ('lab · 598 papers · not begun, not sorted yet · 5 days old', 'lab · 598 papers · not begun, out of date · 5 days old')
    """  # noqa: E501
    facts = [name, counted(issue.n_papers, "paper"), _progress(issue, n_read, by_rankers), how_old(issue)]
    return " · ".join(facts)


def how_old(issue: Pending) -> str:
    """Describe how old an issue is, and whether it is late but for holidays.

    Examples
    --------
    >>> from datetime import date
    >>> how_old(Pending("lab", date(2026, 11, 9), 612, 0, is_started=False, days_old=43))
    '6 weeks old, very late'
    """
    late = lateness(issue.days_counted).partition(":")[0]
    return f"{age(issue.days_old)}, {late}" if late else age(issue.days_old)


def begins_at(place: int) -> str:
    """Name the button that opens an issue, at the place where reading goes on.

    Examples
    --------
    >>> begins_at(1), begins_at(85)
    ('Begin', 'Go on at paper 85')
    """
    return f"Go on at paper {place:,}" if place > 1 else "Begin"


def _progress(issue: Pending, n_read: int, by_rankers: Sequence[SortedBy]) -> str:
    if issue.n_decided or n_read:
        progress = f"{max(n_read, issue.n_decided):,} read, {issue.n_relevant:,} relevant"
    else:
        progress = "reopened, nothing decided" if issue.is_started else "not begun"
    if not by_rankers:
        return f"{progress}, not sorted yet"
    return f"{progress}, out of date" if SortedBy.LESS in by_rankers else progress


def was_skipped(report: str, issue: date) -> str:
    """State what it did that an issue was skipped.

    Examples
    --------
    >>> was_skipped("lab", date(2026, 11, 9))
    'lab 2026-11-09 is skipped: nothing goes out, and its decisions stay.'
    """
    return f"{report} {issue} is skipped: nothing goes out, and its decisions stay."


def went_out(row: PublishedIssue) -> str:
    """Describe what went out, and where the last relevant paper stood.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from datetime import date, datetime
    >>> row = PublishedIssue("lab", date(2026, 11, 16), "editor", datetime(2026, 11, 17, 8, 30), 612, 12, True, 61)
    >>> went_out(row)
    '12 of 612 papers · the last relevant one at 61 · this desk, 2026-11-17'
    >>> went_out(replace(row, n_published=0, last_place=None))
    '0 of 612 papers · nothing was relevant · this desk, 2026-11-17'
    """
    if not row.is_sorted:
        last = "in the order received"
    elif row.last_place is None:
        last = "nothing was relevant"
    else:
        last = f"the last relevant one at {row.last_place:,}"
    papers = counted(row.n_papers, "paper")
    return f"{row.n_published:,} of {papers} · {last} · {person_name(row.person)}, {row.published_at:%Y-%m-%d}"


def entries(n_shown: int, n_all: int) -> str:
    """Describe how much of a log is shown.

    Examples
    --------
    >>> entries(84, 84), entries(2, 1200)
    ('84 entries, newest first', '2 of 1,200 entries, newest first')
    """
    some = f"{n_shown:,} of " if n_shown < n_all else ""
    return f"{some}{n_all:,} {'entry' if n_all == 1 else 'entries'}, newest first"


def by(person: str, source: Source) -> str:
    """Format who decided; of what a file says, who brought it in.

    Examples
    --------
    >>> by("Ann", "desk"), by("Ann", "file"), by("editor", "desk")
    ('Ann', 'Ann, from a file', 'this desk')
    """
    return f"{person_name(person)}, from a file" if source == "file" else person_name(person)


def published(publication: Publication) -> list[str]:
    """State of one going out when it was and by whom, and when and why it was reopened."""
    published_issue = publication.report_issue
    lines = [f"{moment(publication.made_at)} · {by(published_issue.person, published_issue.source)}: issued"]
    if reopened := publication.reopened:
        lines.append(f"{moment(reopened.made_at)} · {person_name(reopened.person)}: reopened, as: {reopened.reason}")
    return lines


def skipped(skipping: Skipping) -> str:
    """State when an issue was skipped, or taken up again, and by whom.

    Examples
    --------
    >>> from datetime import datetime
    >>> skipped(Skipping("Ann", datetime(2026, 11, 16, 9, 5), is_taken_back=False))
    '2026-11-16 09:05 · Ann: skipped'
    """
    done = "taken up again" if skipping.is_taken_back else "skipped"
    return f"{moment(skipping.made_at)} · {person_name(skipping.person)}: {done}"


def ends_demo(folder: Path) -> str:
    """State how to be rid of the demo.

    Examples
    --------
    >>> ends_demo(Path("/home/ann/desk-demo"))
    'It is open as long as this desk. Nothing of it comes in here; to be rid of it, delete the folder /home/ann/desk-demo.'
    """  # noqa: E501
    return f"It is open as long as this desk. Nothing of it comes in here; to be rid of it, delete the folder {folder}."
