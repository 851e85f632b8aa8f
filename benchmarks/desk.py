"""Measure the speed of *Review* in a real browser, compared with the same list in plain widgets.

Copies a workspace and reopens the newest issue of five reports. Measures the time to first paint, the time from a key
press to the visible change, a burst of 200 key presses, and five editors who each save two decisions per second for a
minute. Afterwards, the log must contain every decision made in a browser exactly once.

    python -m benchmarks.desk WORKSPACE
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from socket import socket
from statistics import median
from subprocess import DEVNULL, PIPE, Popen
from time import perf_counter
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from presort.data import catalogue
from presort.data.editing import log, publications
from presort.data.editing.preferences import set_preference
from presort.data.learning import rankings
from presort.data.store import Store, open_store
from presort.desk import access, settings
from presort.desk.web import launch, token_door
from presort.ranker.versions import DEFAULT

CHROMIUM = "/usr/bin/chromium-headless-shell"
N_EDITORS = 5
MINUTE = 60  # seconds for which editors work at the same time
PAUSE = 0.5  # seconds between an editor's decisions
N_BURST = 200

PAINTED = """
const look = () => {
  const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
  const row = hosts.map((host) => host.shadowRoot?.querySelector(".row")).find((found) => found?.offsetHeight)
    ?? document.querySelector("[class*=st-key-paper-]");
  if (!row?.offsetHeight) return requestAnimationFrame(look);
  requestAnimationFrame(() => setTimeout(() => { window.painted = performance.now(); }));
};
look();
"""
PRESS = """async ([key, n]) => {
  const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
  const root = hosts.map((host) => host.shadowRoot).find((one) => one?.querySelector(".grid"));
  const changed = [], painted = [];
  for (let i = 0; i < n; i++) {
    // Press keys at random moments within a frame, as a person does. Right after a frame, all would wait equally long.
    if (n < 50) await new Promise((next) => setTimeout(next, (i * 7) % 17));
    const start = performance.now();
    const change = new Promise((seen) => {
      const watch = new MutationObserver(() => { watch.disconnect(); seen(performance.now() - start); });
      watch.observe(root.querySelector(".grid"), { subtree: true, attributes: true, attributeFilter: ["data-label"] });
    });
    const init = { key, code: "KeyX", bubbles: true, composed: true, cancelable: true };
    root.activeElement.dispatchEvent(new KeyboardEvent("keydown", init));
    changed.push(await change);
    if (n < 50) {
      await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
      painted.push(performance.now() - start);
    }
  }
  return [changed, painted];
}"""


class RunningDesk(NamedTuple):
    """Desk that is running on a local port."""

    address: str
    token: str
    process: Popen[str]
    issue: date

    def address_of(self, report: str) -> str:
        """Return an address that opens a report's list in a new browser, even if older issues are pending."""
        return f"{self.address}/review?report={report}&issue={self.issue}&{token_door.TOKEN}={self.token}"


def main() -> None:
    """Run the benchmark and print the figures."""
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "presort.db").exists():
        print("skipped: name the folder of a workspace whose newest issue is ranked")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        workspace = shutil.copytree(sys.argv[1], Path(folder) / "workspace")
        store = open_store(workspace)
        issue, reports = _prepare(store)
        print(f"{issue.n_papers} papers, issue of {issue.date}, reports {', '.join(reports)}")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        with _serving(workspace, issue.date) as served:
            _measure_alone(browser, store, served, reports[0], issue.date)
            _measure_load(browser, store, served, reports, issue.date)
            _measure_plain(
                browser, store, served, reports[-1]
            )  # the last report, because its list still has papers to decide
        browser.close()
        store.close()


def _prepare(store: Store) -> tuple[Any, list[str]]:
    """Reopen the newest issue for some of the reports that have a ranking of it."""
    issue = catalogue.issues(store)[-1]
    codes = [report.code for report in catalogue.reports(store)]
    ranked = [code for code in codes if DEFAULT in rankings.newest_rankings(store, code, issue.date)][:N_EDITORS]
    for code in ranked:
        if issue.date in publications.published(store, code):
            publications.reopen(store, code, issue.date, "Reopened for a benchmark.", person="benchmark")
    return issue, ranked


def _measure_alone(browser: Browser, store: Store, served: RunningDesk, report: str, issue: date) -> None:
    _open(browser, served, report).context.close()  # the first visit fills the server's caches
    page = _open(browser, served, report)
    print(f"first paint of the list {page.evaluate('window.painted') / 1000:.2f} s (floor 2.5, aim 1.5)")
    changed, painted = page.evaluate(PRESS, ["x", 30])
    _wait_until_saved(page)
    print(
        f"key to change {median(changed):.1f} ms, worst {max(changed):.1f}; to the painted frame {median(painted):.0f}"
    )
    before = _n_logged(store, report, issue)
    page.evaluate(PRESS, ["x", N_BURST])
    _wait_until_saved(page)
    print(f"{N_BURST} keys in a burst: {_n_logged(store, report, issue) - before} saved")
    page.context.close()


def _measure_load(browser: Browser, store: Store, served: RunningDesk, reports: list[str], issue: date) -> None:
    pages = [_open(browser, served, report) for report in reports]
    problems: list[str] = []
    for page in pages:
        page.on("pageerror", lambda error: problems.append(str(error)))
        _wait_until_saved(page)
    before = {report: _n_logged(store, report, issue) for report in reports}
    n_pressed, start, cpu = 0, perf_counter(), _cpu_seconds(served.process.pid)
    while perf_counter() - start < MINUTE:
        round_start = perf_counter()
        for page in pages:
            page.keyboard.press("x")
        n_pressed += 1
        pages[0].wait_for_timeout(max(0.0, PAUSE - (perf_counter() - round_start)) * 1000)
    for page in pages:
        _wait_until_saved(page)
    spent = _cpu_seconds(served.process.pid) - cpu
    saved = {report: _n_logged(store, report, issue) - before[report] for report in reports}
    n_saved = sum(saved.values())
    print(
        f"{len(reports)} editors, {n_pressed} decisions each in {perf_counter() - start:.0f} s: {n_saved} saved",
        end="; ",
    )
    print(f"errors: {len(problems)}; lost: {n_pressed * len(reports) - n_saved}")
    print(f"server time per saved batch, including polling: {1000 * spent / n_saved:.1f} ms (floor 25, aim 10)")
    for page in pages:
        page.context.close()


def _measure_plain(browser: Browser, store: Store, served: RunningDesk, report: str) -> None:
    set_preference(store, access.PERSON, "plain", "true")
    # The content security policy is bypassed, because Playwright calls `eval` to wait.
    page = browser.new_context(bypass_csp=True).new_page()
    page.add_init_script(PAINTED)
    page.goto(served.address_of(report))
    papers = page.locator("[class*=st-key-paper-]")  # the page opens at the next 50 unread papers
    papers.nth(30).wait_for()
    page.wait_for_function("window.painted")
    first = int(re.findall(r"st-key-paper-(\d+)", papers.first.get_attribute("class") or "")[0])
    print(f"in plain widgets: first 50 papers {page.evaluate('window.painted') / 1000:.2f} s", end="; ")
    cpu, waits = _cpu_seconds(served.process.pid), []
    for place in range(first, first + 10):
        row = page.locator("[data-testid=stHorizontalBlock]").filter(has=page.locator(f".st-key-paper-{place}"))
        start = perf_counter()
        row.get_by_role("radio", name="no").click()
        row.get_by_role("radio", name="no", checked=True).wait_for()
        page.wait_for_function(
            "!document.querySelector('[data-testid=stApp]').matches('[data-test-script-state=running]')"
        )
        waits.append(perf_counter() - start)
    spent = _cpu_seconds(served.process.pid) - cpu
    print(f"a click {1000 * median(waits):.0f} ms, server time {1000 * spent / len(waits):.0f} ms")
    page.context.close()


def _open(browser: Browser, served: RunningDesk, report: str) -> Page:
    page = browser.new_context(viewport={"width": 1300, "height": 900}, bypass_csp=True).new_page()
    page.add_init_script(PAINTED)
    page.goto(served.address_of(report))
    page.locator(".row").first.wait_for()
    page.wait_for_function("window.painted")
    _wait_until_saved(page)
    return page


def _wait_until_saved(page: Page) -> None:
    page.locator(".status", has_text="saved").wait_for()


def _n_logged(store: Store, report: str, issue: date) -> int:
    return len(log.decisions_since(store, report, issue, 0))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _serving(workspace: Path, issue: date) -> Iterator[RunningDesk]:
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        port = probe.getsockname()[1]
    environment = settings.to_environment(settings.Settings(workspace))
    process = Popen(launch.command(launch.LOCALHOST, port), env=environment, stdout=PIPE, stderr=DEVNULL, text=True)
    try:
        next(line for line in process.stdout or () if "URL:" in line)
        yield RunningDesk(f"http://{launch.LOCALHOST}:{port}", token_door.read_token(workspace), process, issue)
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    main()
