"""Generate the demo service, with its issues, reports and editors' selections."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count

from presort.data.demo.dice import Dice
from presort.data.demo.papers import Draft, write_paper
from presort.data.demo.people import People, make_people
from presort.data.demo.taste import TASTES, select
from presort.data.records import ListedPaper

LAST_ISSUE = date(2026, 11, 16)  # a Monday
SIZE_SPREAD = 1 / 6  # maximum relative deviation of an issue's size from `papers_per_issue`
LEAST_ISSUES = 2
LEAST_PAPERS = 20  # minimum number of papers per issue


@dataclass(frozen=True, slots=True)
class DemoReport:
    """Report of the demo service, with its editor."""

    code: str
    name: str
    editor: str


@dataclass(frozen=True)
class World:
    """Content of the demo service: its reports, and its listed papers sorted by issue and list position."""

    reports: tuple[DemoReport, ...]
    listings: tuple[ListedPaper, ...]


def make_world(*, seed: int = 1, n_issues: int = 35, papers_per_issue: int = 240) -> World:
    """Generate a service with reports on economics. The same arguments give the same result on every machine.

    The last issue is pending for all reports. For two of them, the issue before it is pending, too.

    Parameters
    ----------
    seed : int
        Random seed.
    n_issues : int
        Number of weekly issues, at least 2.
    papers_per_issue : int
        Average number of papers per issue, at least 20. The size of an issue deviates from it by at most a sixth.

    Returns
    -------
    World
        Twelve reports and all listed papers.

    Raises
    ------
    ValueError
        If `n_issues` or `papers_per_issue` is too small.

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
    """Return the issue dates, oldest first. Issues appear on Mondays, except on some around New Year and in summer.

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
        size = round(papers_per_issue * dice.draw_uniform(1 - SIZE_SPREAD, 1 + SIZE_SPREAD))
        ids = [f"demo:wp:{day.year}-{next(numbers[day.year]):04d}" for _ in range(size)]
        issues.append([_write_unique_paper(paper_id, day, titles, people, dice) for paper_id in ids])
    return issues


def _write_unique_paper(paper_id: str, issue: date, titles: set[str], people: People, dice: Dice) -> Draft:
    """Generate a paper with a unique title, because an import would treat papers with the same title as duplicates."""
    while True:
        draft = write_paper(paper_id, issue, people=people, dice=dice)
        title = draft.paper.title.casefold()
        if title not in titles:
            titles.add(title)
            return draft


def _selections(dates: list[date], issues: list[list[Draft]], seed: int) -> dict[str, list[set[int]]]:
    years = [(day - dates[0]).days / 365 for day in dates]
    return {taste.code: select(taste, issues, years, Dice(seed, f"editor {taste.code}")) for taste in TASTES}
