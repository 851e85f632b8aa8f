"""Review list in a trial: decisions with keys or touch, and detours from the list, all compared with the store."""

from collections.abc import Callable
from datetime import date

from playwright.sync_api import Locator, expect

from benchmarks.trials.person import Person, is_in_view
from benchmarks.trials.service import Service
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.rerankings import newest_reranking
from presort.data.learning import rankings
from presort.ranker.versions import DEFAULT
from tests.browser.pages import wait_until_calm
from tests.browser.reviewing import wait_until_saved

RELEVANT, MAYBE = {1, 2, 3, 5, 8, 13}, {4}  # 1-based numbers of decisions; all other decisions are "not relevant"
N_CHECKED = 20  # number of positions to compare with the stored ranking
KEYS = {"yes": "y", "maybe": "m", "no": "n"}
BUTTONS = {"yes": 0, "maybe": 1, "no": 2}


class Reading:
    """Review list of one report issue in a browser, and the simulated user's decisions."""

    def __init__(self, person: Person, service: Service, report: str, issue: date) -> None:
        self.person, self.page, self.service = person, person.page, service
        self.report, self.issue = report, issue
        self.shown = self.page.locator(".row:not([hidden])")
        self.current = self.page.locator(".row.current")
        self.head = self.page.locator(".progress")
        self.decided: dict[str, str] = {}  # labels by title

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the issue's papers, by paper id."""
        return {paper.paper_id: paper.title for paper in catalogue.papers(self.service.store, self.issue)}

    def act(self, key: str, button: Locator, name: str) -> None:
        """Press a key, or tap the control that has the same effect."""
        if self.person.by_touch:
            self.person.click_at_once(button, name)
        else:
            self.page.keyboard.press(key)

    def decide_next(self) -> None:
        """Decide on the first undecided paper. With keys, record a lost place if this isn't the current paper."""
        n = len(self.decided) + 1
        label = "yes" if n in RELEVANT else "maybe" if n in MAYBE else "no"
        first = self.page.locator(".row[data-label=undecided]:not([hidden])").first
        place, title = first.locator(".number").inner_text(), title_of(first)
        if not self.person.by_touch and title_of(self.current) != title:
            self.person.lost.append(f"decision {n}")
            self.act("g", self.page.locator(".to-place"), "back to my place")
        row = self.page.locator(".row").nth(int(place) - 1)
        self.act(KEYS[label], row.locator(".decision button").nth(BUTTONS[label]), f"decide {label}")
        expect(row).to_have_attribute("data-label", label)
        self.decided[title] = label

    def decide_to(self, n: int) -> None:
        """Decide on papers until the given number of papers have decisions."""
        while len(self.decided) < n:
            self.decide_next()
        wait_until_saved(self.page)

    def leave_and_return(self, name: str, leave: Callable[[], None]) -> None:
        """Leave the current paper, return with one key or button, and check the place.

        The place is the current paper or the first undecided paper, because with touch, a paper remains current after a
        decision.
        """
        wait_until_calm(self.page)
        places = {title_of(self.current), title_of(self.page.locator(".row[data-label=undecided]").first)}
        leave()
        wait_until_calm(self.page)
        self.act("g", self.page.locator(".to-place"), f"back from {name}")
        wait_until_calm(self.page)
        if title_of(self.current) not in places or not is_in_view(self.current, self.head):
            self.person.lost.append(name)

    def check_order(self) -> None:
        """Compare the first positions with the stored ranking, or with its newest re-ranking."""
        stored = rankings.newest_rankings(self.service.store, self.report, self.issue)[DEFAULT]
        again = newest_reranking(self.service.store, self.report, self.issue, stored.id)
        positions = stored.ranking.positions if again is None else again.positions
        papers = catalogue.papers(self.service.store, self.issue)
        expected = [papers[position - 1].title for position in positions.tolist()[:N_CHECKED]]
        pairs = [(title_of(self.page.locator(".row").nth(n)), title) for n, title in enumerate(expected)]
        self.person.check("order", [one for one in pairs if one[0] != one[1] and "$" not in one[1]], [])

    def check_decisions(self) -> None:
        """Compare the decisions with the log."""
        wait_until_saved(self.page)
        titles = self.titles
        labels = decisions.labels(self.service.store, self.report, self.issue)
        self.person.check("number of decisions", len(labels), len(self.decided))
        plain = {titles[paper]: label for paper, label in labels.items() if "$" not in titles[paper]}
        self.person.check("decisions", plain, {title: self.decided.get(title) for title in plain})


def title_of(row: Locator) -> str:
    """Return the title in a row as text, although its cell displays formulas."""
    return (row.locator(".sign").get_attribute("aria-label") or "").partition("? ")[2]
