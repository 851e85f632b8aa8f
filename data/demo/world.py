"""A made-up service for current awareness, complete with issues, reports and what their editors selected."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count

from presort.data.demo.dice import Dice
from presort.data.demo.papers import Draft, write_paper
from presort.data.demo.people import People, make_people
from presort.data.demo.taste import TASTES, select
from presort.data.records import ListedPaper

LAST_ISSUE = date(2026, 11, 16)  # a Monday
SIZE_SPREAD = 1 / 6  # an issue is at most this much larger or smaller than asked for
LEAST_ISSUES = 2
LEAST_PAPERS = 20


@dataclass(frozen=True, slots=True)
class DemoReport:
    """A report of the made-up service, and who edits it."""

    code: str
    name: str
    editor: str


@dataclass(frozen=True)
class World:
    """Everything that Presort could have imported: reports, and listed papers by issue and place in its list."""

    reports: tuple[DemoReport, ...]
    listings: tuple[ListedPaper, ...]


def make_world(*, seed: int = 1, n_issues: int = 35, papers_per_issue: int = 240) -> World:
    """Make up a service for current awareness in economics, the same one for the same arguments on any machine.

    The last issue is pending for all reports. For two reports the issue before it is pending too.

    Parameters
    ----------
    seed : int
        Another seed makes another world.
    n_issues : int
        Weekly issues up to the last one, at least 2.
    papers_per_issue : int
        Papers in an issue on average, at least 20; every issue has up to a sixth more or less.

    Returns
    -------
    World
        Twelve reports and all the papers.

    Raises
    ------
    ValueError
        If there are too few issues or papers.

    Examples
    --------
    >>> world = make_world(n_issues=3, papers_per_issue=40)
    >>> [report.code for report in world.reports[:3]]
    ['lab', 'mac', 'mon']
    >>> sorted({str(listed.issue) for listed in world.listings})
    ['2026-11-02', '2026-11-09', '2026-11-16']
    """
    if n_issues < LEAST_ISSUES:
        raise ValueError(f"n_issues must be at least {LEAST_ISSUES}, got {n_issues}")
    if papers_per_issue < LEAST_PAPERS:
        raise ValueError(f"papers_per_issue must be at least {LEAST_PAPERS}, got {papers_per_issue}")
    dates = issue_dates(n_issues)
    issues = _write_issues(dates, papers_per_issue, make_people(seed), seed)
    selected = _selections(dates, issues, seed)
    listings = tuple(
        ListedPaper(draft.paper, day, tuple(code for code, picked in selected.items() if place in picked[number]))
        for number, (day, issue) in enumerate(zip(dates, issues, strict=True))
        for place, draft in enumerate(issue)
    )
    return World(tuple(DemoReport(taste.code, taste.name, taste.editor) for taste in TASTES), listings)


def issue_dates(n_issues: int) -> list[date]:
    """Return the dates of the last issues: Mondays, oldest first, none around New Year and early in summer months.

    Examples
    --------
    >>> [str(day) for day in issue_dates(2)]
    ['2026-11-09', '2026-11-16']
    """
    dates: list[date] = []
    day = LAST_ISSUE
    while len(dates) < n_issues:
        if not _is_pause(day):
            dates.append(day)
        day -= timedelta(weeks=1)
    return dates[::-1]


def _is_pause(monday: date) -> bool:
    return (monday.month in (6, 7, 8) and monday.day <= 7) or (monday.month == 12 and monday.day >= 25)


def _write_issues(dates: list[date], papers_per_issue: int, people: People, seed: int) -> list[list[Draft]]:
    dice = Dice(seed, "papers")
    numbers = {day.year: count(1) for day in dates}
    titles: set[str] = set()
    issues = []
    for day in dates:
        size = round(papers_per_issue * dice.between(1 - SIZE_SPREAD, 1 + SIZE_SPREAD))
        ids = [f"demo:wp:{day.year}-{next(numbers[day.year]):04d}" for _ in range(size)]
        issues.append([_new_paper(paper_id, day, titles, people, dice) for paper_id in ids])
    return issues


def _new_paper(paper_id: str, issue: date, titles: set[str], people: People, dice: Dice) -> Draft:
    """Write a paper whose title no other one has: two alike would pass for two versions of one paper."""
    while True:
        draft = write_paper(paper_id, issue, people=people, dice=dice)
        title = draft.paper.title.casefold()
        if title not in titles:
            titles.add(title)
            return draft


def _selections(dates: list[date], issues: list[list[Draft]], seed: int) -> dict[str, list[set[int]]]:
    years = [(day - dates[0]).days / 365 for day in dates]
    return {taste.code: select(taste, issues, years, Dice(seed, f"editor {taste.code}")) for taste in TASTES}
