"""Trial of an editor who has never seen Presort: from a file of papers, or from the demo, to published issues.

Run as ``python -m benchmarks.trials.editor [--size 400x800] [--way demo] [--demo FOLDER]``. Each way runs in a browser
at 1280x860 with mouse and keys, and at 400x800 with touch, each with its own workspace and server. During the trial the
page is reloaded and the server is killed. Positions, decisions, figures and published papers are compared with the
store. The exit code is 1 if a limit is exceeded. There are limits on the clicks to the first ranked list, the clicks to
publish, dead ends, lost places, and wrong answers.
"""

import argparse
import csv
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from shutil import copytree

from playwright.sync_api import Browser, Error, expect, sync_playwright

from benchmarks.desk import CHROMIUM
from benchmarks.trials.person import SIZES, DeadEndError, Person, is_in_view, person_at
from benchmarks.trials.reading import Reading, title_of
from benchmarks.trials.service import Service
from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.editing import publications
from presort.data.editing.hints import hints
from presort.data.editing.notes import paper_notes
from presort.data.store import open_store
from presort.desk.manage.reports import ABOUT
from presort.desk.service.demo import build_demo
from tests.browser.pages import PATIENT, fits, wait_until_calm
from tests.browser.reviewing import wait_until_drawn, wait_until_saved

LIMITS = {"first list": 8, "publish": 4, "dead ends": 0, "places lost": 0, "wrong": 0}  # maximum values
SEED, N_ISSUES, PAPERS_PER_ISSUE = 7, 4, 300  # for the synthetic file
# Numbers of papers decided before navigating and before the server is killed, and the maximum number.
N_FIRST, N_KILLED, N_LONGEST = 12, 15, 80
LONGEST = 300  # maximum characters of an error in the output
OUTAGE = 2  # number of papers decided while the server is down


def start_from_file(person: Person, service: Service, file: Path) -> tuple[Reading, int]:
    """Start with an empty workspace, import a file, and open a ranked list."""
    page = person.page
    page.goto(service.address)
    person.click_on("link", "Import papers")
    with person.time_step("preview"):
        page.locator("input[type=file]").set_input_files(file)
        start = page.get_by_role("button", name=re.compile(r"^Import [\d,]+ papers$"))
        person.wait_for(start, "preview of the file")
    person.click(start, "Import")
    person.click_on("button", "Add a report")
    person.wait_for(page.get_by_role("textbox", name="Code"), "form of the report")
    for label, text in (("Code", "lab"), ("Name", "Labour"), (ABOUT, "Minimum wages, unemployment and hours of work")):
        page.get_by_role("textbox", name=label, exact=True).fill(text)
    person.click_on("button", "Add")
    person.click_on("link", "Open the first list of lab")
    with person.time_step("first ranked list"):
        person.wait_for(page.get_by_text("trained on 1 example"), "ranked list")
    wait_until_drawn(page)
    newest = catalogue.issues(service.store)[-1].date
    return Reading(person, service, "lab", newest), person.n_clicks


def start_in_demo(person: Person, service: Service, _: Path) -> tuple[Reading, int]:
    """Start at the demo's address, and open the first ranked list on *This week*."""
    page = person.page
    page.goto(service.address)
    begin = page.get_by_role("link", name="Start").first
    person.wait_for(begin, "first list")
    address = begin.get_attribute("href") or ""
    person.click(begin, "Start")
    with person.time_step("first ranked list"):
        person.wait_for(page.get_by_text("ranked by"), "ranked list")
    wait_until_drawn(page)
    report, issue = (address.split(f"{name}=")[1].split("&")[0] for name in ("report", "issue"))
    return Reading(person, service, report, date.fromisoformat(issue)), person.n_clicks


def read_list(reading: Reading) -> None:
    """Decide on papers, navigate, lose the connection, re-rank, and read on until the list advises stopping."""
    person, page, service = reading.person, reading.page, reading.service
    reading.check_order()
    reading.decide_to(N_FIRST)
    reading.check_decisions()
    look_around(reading)
    undo(reading)
    annotate(reading)
    person.check("width", fits(page), True)

    page.reload()
    wait_until_drawn(page)
    reading.decide_to(N_KILLED)
    service.kill()
    for _ in range(OUTAGE):
        reading.decide_next()
    service.restart()
    person.wait_for(page.locator(".status").filter(has_text=re.compile("^saved$")), "saved after the outage")
    expect(page.locator(".status")).to_have_count(
        1, timeout=PATIENT
    )  # while redrawing, the page briefly shows two lists
    wait_until_calm(page)
    reading.check_decisions()

    with person.time_step("re-rank"):
        reading.act("r", page.locator("button.rerank"), "Re-rank unread papers")
        person.wait_for(page.locator("button.undo-rerank:visible"), "re-ranked list")
    reading.check_order()
    while len(reading.decided) < N_LONGEST and not page.locator(".progress.may-stop").count():
        reading.decide_next()
        wait_until_saved(page)
    check_spots(reading)
    reading.check_decisions()


def look_around(reading: Reading) -> None:
    """Leave the current paper in every possible way, and return to it."""
    person, page = reading.person, reading.page
    words = title_of(page.locator(".row").nth(40)).split()

    def search(query: str) -> None:
        reading.act("/", page.locator("button.find"), "search")
        page.keyboard.type(query)
        wait_until_calm(page)
        person.check(f"first hit of {query} in view", is_in_view(reading.shown.first, reading.head), True)
        if not person.by_touch:
            # go to the first hit, because keys pressed in the search field are typed as text
            page.keyboard.press("Enter")

    def choose(name: str) -> Callable[[], None]:
        return lambda: person.click(page.locator(".choice").get_by_role("button", name=name).first, name)

    def abstracts() -> None:
        person.click(page.get_by_role("button", name="abstracts"), "abstracts")

    def scroll() -> None:
        page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")

    reading.leave_and_return("scrolling", scroll)
    reading.leave_and_return("search", lambda: search(max(words, key=len)))
    reading.leave_and_return("search of a phrase", lambda: search(" ".join(words[:2])))
    for name in ("relevant", "list order", "all"):
        reading.leave_and_return(name, choose(name))
    reading.leave_and_return("abstracts", abstracts)
    reading.leave_and_return("abstracts closed", abstracts)


def undo(reading: Reading) -> None:
    """Undo the last decision, and make it again."""
    title, label = list(reading.decided.items())[-1]
    reading.act("u", reading.page.get_by_role("button", name="↶ undo"), "undo")
    wait_until_saved(reading.page)
    del reading.decided[title]
    reading.check_decisions()
    reading.decide_next()
    reading.person.check("decision after undo", reading.decided.get(title), label)


def annotate(reading: Reading) -> None:
    """Open the paper, mute a word and undo this, and add a tag and a note."""
    person, page, current = reading.person, reading.page, reading.current
    paper = next(one for one, title in reading.titles.items() if title == title_of(current))
    reading.act("o", current.locator(".opener"), "open")
    mute = current.locator("select").filter(has_text="mute")
    person.wait_for(mute, "mute or boost")
    term = mute.locator("option[value]:not([value=''])").first.get_attribute("value")
    mute.select_option(value=term)
    person.n_clicks += 1
    person.click(current.get_by_role("button", name="undo", exact=True), "undo muting")
    expect(current.get_by_role("button", name="undo", exact=True)).to_have_count(0)
    reading.act("t", current.get_by_role("textbox", name="tag"), "tag")
    page.keyboard.type("later")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    reading.act("e", current.get_by_role("textbox", name="note"), "note")
    page.keyboard.type("Compare with last year.")
    page.keyboard.press("Escape")
    reading.act("o", current.locator(".opener"), "close")
    wait_until_saved(page)
    kept = paper_notes(reading.service.store, reading.report, reading.issue)[paper]
    person.check("note and tag", (kept.note, kept.tags), ("Compare with last year.", ("later",)))
    person.check("muted words", hints(reading.service.store)[reading.report].muted, ())


def check_spots(reading: Reading) -> None:
    """Do the spot check if the list offers one, and return to the current paper."""
    page, offer = reading.page, reading.page.locator(".check-line button:visible")
    wait_until_calm(page)
    if not offer.count():
        return
    before = title_of(reading.current)
    reading.act("c", offer.first, "spot check")
    rest = page.get_by_role("button", name="as not relevant")
    reading.person.wait_for(rest, "papers of the spot check")
    reading.decided |= {title_of(row): "no" for row in reading.shown.all()}
    reading.person.click(rest, "Mark these as not relevant")
    wait_until_saved(page)
    reading.act("c", page.get_by_role("button", name="Back to the list").first, "Back to the list")
    wait_until_calm(page)
    if title_of(reading.current) != before or not is_in_view(reading.current, reading.head):
        reading.person.lost.append("spot check")


def publish(reading: Reading) -> int:
    """Publish the relevant papers. Returns the number of clicks, starting from the list."""
    person, page = reading.person, reading.page
    before = person.n_clicks
    person.click(page.locator("button.publish"), "Publish")
    person.wait_for(page.get_by_role("heading", name="Publish", level=1), "Publish")
    page.evaluate("window.scrollTo(0, 0)")
    maybe = page.get_by_role("button", name="Publish and leave")
    wait_until_calm(page)
    person.click(maybe if maybe.count() else page.get_by_role("button", name="Publish report"), "Publish report")
    with person.time_step("publish"):
        person.click(page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True), "Publish, confirmed")
        person.wait_for(
            page.get_by_test_id("stMetric").filter(has_text=re.compile("^Read")), "figures of the published issue"
        )
    check_published(reading)
    return person.n_clicks - before


def check_published(reading: Reading) -> None:
    """Compare the figures shown after publishing with the store."""
    person, page, store = reading.person, reading.page, reading.service.store
    papers = catalogue.papers(store, reading.issue)
    went_out = publications.published(store, reading.report)[reading.issue]
    relevant = {title for title, label in reading.decided.items() if label == "yes"}
    titles = {papers[position - 1].title for position in went_out.published}
    person.check("number of published papers", len(titles), len(relevant))
    person.check("published papers", {title for title in titles if "$" not in title} - relevant, set())
    read_figure = (
        page.get_by_test_id("stMetric")
        .filter(has_text=re.compile("^Read"))
        .get_by_test_id("stMetricValue")
        .inner_text()
    )
    n_read = len(papers) - len(went_out.review_progress.unread)
    person.check("papers read", read_figure, f"{n_read} of {len(papers)}")
    person.check("papers published", page.get_by_text(f"{len(relevant)} papers").count() > 0, True)


def afterwards(reading: Reading) -> None:
    """Open *My report*, correct the published issue, and go to the next issue."""
    person, page, store = reading.person, reading.page, reading.service.store
    person.turn_to("My report")
    person.wait_for(page.get_by_test_id("stDataFrame"), "table of My report")
    page.go_back()
    person.click(page.get_by_text("Reopen for review"), "Reopen for review")
    person.wait_for(page.get_by_role("textbox", name="Reason"), "Reason")
    page.get_by_role("textbox", name="Reason").fill("One paper was missing.")
    person.click_on("button", "Reopen")
    person.wait_for(page.get_by_role("button", name="Publish report"), "Publish report")
    person.check("published after reopening", reading.issue in publications.published(store, reading.report), False)
    person.click_on("link", "Back to the list")
    wait_until_drawn(page)
    reading.check_decisions()
    corrected = reading.shown.filter(has=page.locator("[aria-pressed=true]")).first
    title = title_of(corrected)
    person.click(corrected.locator(".decision button[aria-pressed=true]"), "take back a decision")
    del reading.decided[title]
    wait_until_saved(page)
    publish(reading)
    onward = page.get_by_test_id("stMain").get_by_role("link", name="This week")
    following = page.get_by_role("button", name="Next:").or_(page.get_by_role("link", name="Next:")).or_(onward)
    person.click(following.first, "what is next")
    person.wait_for(page.get_by_role("heading", level=1), "what is next")


WAYS: Mapping[str, Callable[[Person, Service, Path], tuple[Reading, int]]] = {
    "file": start_from_file,
    "demo": start_in_demo,
}


def try_out(browser: Browser, size: str, way: str, workspace: Path, file: Path) -> dict[str, object]:
    """Run one way at one size. Returns the row of the table."""
    row: dict[str, object] = {"way": way, "size": size, "first list": "-", "publish": "-"}
    with Service(workspace) as service, person_at(browser, size) as person:
        try:
            reading, row["first list"] = WAYS[way](person, service, file)
            read_list(reading)
            row["publish"] = publish(reading)
            afterwards(reading)
        except DeadEndError:
            pass  # counted by `person`
        except (Error, AssertionError) as error:
            person.dead_ends.append(" ".join(str(error).split())[:LONGEST])
    row |= {"dead ends": len(person.dead_ends), "places lost": len(person.lost), "wrong": len(person.wrong)}
    print(
        f"{way} at {size}: {person.n_clicks} clicks;",
        ", ".join(f"{what} {s:.1f} s" for what, s in person.seconds.items()),
    )
    for what, found in (("dead end", person.dead_ends), ("place lost", person.lost), ("wrong", person.wrong)):
        for one in found:
            print(f"  {what}: {one}")
    return row


def write_file(path: Path) -> Path:
    """Write the synthetic papers of several issues to a CSV file, like an editor's export."""
    world = make_world(seed=SEED, n_issues=N_ISSUES, papers_per_issue=PAPERS_PER_ISSUE)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "title", "abstract", "authors", "issue"])
        for listed in world.listings:
            paper = listed.paper
            if "$" not in paper.title:  # formulas in titles are displayed with other characters
                rows.writerow([paper.paper_id, paper.title, paper.abstract, "; ".join(paper.authors), listed.issue])
    return path


def main() -> None:
    """Run each way at each size, print the table, and exit with 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, help="Run only at this size.")
    parser.add_argument("--way", choices=WAYS, help="Run only this way.")
    parser.add_argument("--demo", type=Path, help="Folder of a demo to copy, instead of building one.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        file = write_file(folder / "weeks.csv")
        demo = asked.demo or folder / "demo"
        if not demo.exists() and asked.way != "file":
            with closing(open_store(demo)) as store:
                for _ in build_demo(store):
                    pass
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        table = []
        for way in [asked.way] if asked.way else WAYS:
            for size in [asked.size] if asked.size else SIZES:
                workspace = folder / f"{way}-{size}"
                if way == "demo":
                    copytree(demo, workspace)
                table.append(try_out(browser, size, way, workspace, file))
        browser.close()
    print(*table[0], sep=" | ")
    for row in table:
        print(*row.values(), sep=" | ")
    sys.exit(any(row[name] == "-" or int(str(row[name])) > most for row in table for name, most in LIMITS.items()))


if __name__ == "__main__":
    main()
