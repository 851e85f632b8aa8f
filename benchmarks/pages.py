"""Claim: with 13,520 rankings, each page is complete within 1.5 s in a real browser, with warm caches.

Run as ``python -m benchmarks.pages [--reports 65] [--issues 52] [--papers 200] [--folder FOLDER] [--visits 5]``.
Creates a workspace like `benchmarks.outcomes`, with a decision on each relevant paper, and adds an issue that is
pending for all reports. Opens each page once, then repeatedly by its address, and once after another report issue was
published. Prints the median and the longest time from the request until nothing in the window changes any more.
"""

import argparse
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright
from sqlalchemy import insert, select

from benchmarks import outcomes, workspaces
from benchmarks.desk import CHROMIUM, _serving
from presort.data import catalogue
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper, Paper
from presort.data.store import Store, open_store
from presort.data.tables import DecisionRow, OutcomeRow, RankingRow
from presort.data.tables.current_decisions import update_current_decisions
from presort.data.tables.positions import unpack
from presort.desk.pages import BY_ADDRESS
from presort.desk.web.token_door import TOKEN

QUIET = 700  # milliseconds without a change after which a page is considered complete
# Time of the last visible change in the window. Progress indicators don't count.
WATCH = """
window.changed = 0;
const isSeen = (node) => {
  const element = node.nodeType === 1 ? node : node.parentElement;
  if (!element?.closest("[data-testid=stMain]")) return false;
  const { top, bottom, height, width } = element.getBoundingClientRect();
  return height > 0 && width > 0 && bottom > 0 && top < innerHeight;
};
const watch = (root) => new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    for (const node of addedNodes) {
      for (const one of [node, ...(node.querySelectorAll?.("*") ?? [])]) if (one.shadowRoot) watch(one.shadowRoot);
    }
    if (isSeen(target.host ?? target)) window.changed = performance.now();
  }
}).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
watch(document);
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) { const root = attach.call(this, init); watch(root); return root; };
"""
IS_COMPLETE = f"""() => window.changed && performance.now() - window.changed > {QUIET}
  && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
  && document.querySelector("h1")"""


def make(store: Store, n_reports: int, n_issues: int, n_papers: int) -> None:
    """Fill a workspace. Its last issue is pending for all reports."""
    outcomes.make(store, n_reports, n_issues, n_papers)
    with store.writing() as connection:
        found = connection.execute(
            select(RankingRow.report_id, RankingRow.issue_id, OutcomeRow.places, OutcomeRow.scored_at)
            .join(RankingRow, RankingRow.id == OutcomeRow.ranking_id)
            .where(RankingRow.ranker == outcomes.RANKERS[0])
        ).all()
        rows = [
            {"report_id": report, "issue_id": issue, "paper_id": (issue - 1) * n_papers + n, "made_at": made_at}
            for report, issue, places, made_at in found
            for n in range(1, len(unpack(places)) + 1)
        ]
        values = {"person_id": 1, "about": "relevant", "label": "yes", "source": "desk"}
        connection.execute(insert(DecisionRow), [row | values for row in rows])
        update_current_decisions(connection)
    day = workspaces.FIRST + timedelta(weeks=n_issues)
    listed = (ListedPaper(Paper(f"{day}:{n}", f"Paper {n} of {day}"), day) for n in range(n_papers))
    commit_import(store, listed, person="benchmark")


def seconds(page: Page, address: str) -> float:
    """Open a page, and return the seconds until it is complete."""
    page.goto(address)
    page.wait_for_function(IS_COMPLETE, timeout=120_000)
    changed: float = page.evaluate("window.changed")
    return changed / 1000


def main() -> None:
    """Print a line for each page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=65)
    parser.add_argument("--issues", type=int, default=52)
    parser.add_argument("--papers", type=int, default=200)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="folder to store the workspace in, or of an existing one")
    options = parser.parse_args()
    with ExitStack() as kept:
        folder = options.folder or Path(kept.enter_context(tempfile.TemporaryDirectory()))
        store = open_store(folder)
        if not catalogue.issues(store):
            make(store, options.reports, options.issues, options.papers)
        kept.callback(store.close)
        newest = catalogue.issues(store)[-1].date
        served = kept.enter_context(_serving(folder, newest))
        browser = kept.enter_context(sync_playwright()).chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True).new_page()
        page.add_init_script(WATCH)
        first = seconds(page, f"{served.address}/overview?{TOKEN}={served.token}")
        print(f"first page after the server started: overview {first:.2f} s")
        for address in BY_ADDRESS:
            cold, *warm = (seconds(page, f"{served.address}/{address}") for _ in range(options.visits + 1))
            outcomes.publish(store, options.issues)
            after = seconds(page, f"{served.address}/{address}")
            timing = f"{median(warm):.2f} s, at most {max(warm):.2f}; first time {cold:.2f}"
            print(f"{address}: {timing}; after a publication {after:.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
