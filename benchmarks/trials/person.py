"""Simulated user of a trial, with mouse and keys or touch. Counts clicks, dead ends, lost places and wrong answers."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from playwright.sync_api import Browser, Error, Locator, Page

from tests.browser.pages import PATIENT, wait_until_calm

SIZES: Mapping[str, Mapping[str, object]] = {
    "1280x860": {"viewport": {"width": 1280, "height": 860}},
    "400x800": {"viewport": {"width": 400, "height": 800}, "has_touch": True},
}
MARGIN = 5  # number of pixels of a row that may be hidden


class DeadEndError(Exception):
    """Raised if a control that the user needs never becomes visible and enabled."""


@dataclass
class Person:
    """Simulated user on a page in a browser, who records errors and continues the trial where possible."""

    page: Page
    by_touch: bool
    n_clicks: int = 0
    dead_ends: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def click(self, control: Locator, name: str = "") -> None:
        """Click or tap a control as soon as it is enabled and has stopped moving.

        Raises
        ------
        DeadEndError
            If the control never appears or is never enabled.
        """
        wait_until_calm(self.page)
        self.click_at_once(control, name)

    def click_at_once(self, control: Locator, name: str = "") -> None:
        """Click or tap a control, even if the page is still being drawn."""
        try:
            (control.tap if self.by_touch else control.click)(timeout=PATIENT)
        except Error as error:
            self.dead_ends.append(name or str(control))
            raise DeadEndError(f"{name or control}: {error.message.splitlines()[0]}") from error
        self.n_clicks += 1

    def click_on(self, role: str, name: str) -> None:
        """Click the first control that has the given role and name."""
        self.click(self.page.get_by_role(role, name=name, exact=True).first, name)  # type: ignore[arg-type]

    def turn_to(self, name: str) -> None:
        """Open a page from the menu, which is behind a button on a phone."""
        if self.by_touch:
            self.click(self.page.get_by_test_id("stExpandSidebarButton"), "menu")
        self.click(self.page.get_by_role("link", name=re.compile(f"{name}$")).first, name)

    def wait_for(self, control: Locator, name: str) -> None:
        """Wait for a control that should appear without another click.

        Raises
        ------
        DeadEndError
            If the control never appears.
        """
        try:
            control.first.wait_for(timeout=PATIENT)
        except Error as error:
            self.dead_ends.append(name)
            raise DeadEndError(f"{name}: never shown") from error

    def check(self, what: str, shown: object, expected: object) -> None:
        """Record a wrong answer if the answer shown differs from the store."""
        if shown != expected:
            self.wrong.append(f"{what}: {shown!r} instead of {expected!r}")

    @contextmanager
    def time_step(self, what: str) -> Iterator[None]:
        """Record the duration of a step in seconds."""
        start = perf_counter()
        yield
        self.seconds[what] = perf_counter() - start


@contextmanager
def person_at(browser: Browser, size: str) -> Iterator[Person]:
    """Open a new window of a given size. Script errors count as wrong answers."""
    context = browser.new_context(**SIZES[size])  # type: ignore[arg-type]
    person = Person(context.new_page(), by_touch=bool(SIZES[size].get("has_touch")))
    person.page.on("pageerror", lambda error: person.wrong.append(str(error)))
    try:
        yield person
    finally:
        context.close()


def is_in_view(row: Locator, head: Locator) -> bool:
    """Return True if a row of a list is visible in the window, below the sticky header."""
    box, above = row.bounding_box(), head.bounding_box()
    size = row.page.viewport_size
    if not (box and above and size):
        return False
    return box["y"] >= above["y"] + above["height"] - MARGIN and box["y"] + MARGIN <= size["height"]
