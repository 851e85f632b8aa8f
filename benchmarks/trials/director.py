"""Trial of a director who has never seen Presort: eight questions, answered from *Overview* in a few clicks.

Run as ``python -m benchmarks.trials.director [--demo FOLDER]``. Serves the demo with a few recent changes. Each
question starts on *Overview*, in a real browser at 1280x860, and is answered from the pages. Each answer is compared
with `benchmarks.trials.answers`, which computes it from the store with other functions. The exit code is 1 if a limit
is exceeded. There are limits on the clicks, the clicks and typed fields to add a report, dead ends, and wrong answers.
"""

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import fields
from datetime import date
from pathlib import Path
from shutil import copytree
from urllib.parse import unquote

from playwright.sync_api import Locator, Page, sync_playwright

from benchmarks.desk import CHROMIUM
from benchmarks.trials import answers
from benchmarks.trials.person import DeadEndError, Person, person_at
from benchmarks.trials.service import Service
from presort.data import catalogue
from presort.data.editing.hints import hints
from presort.data.records import ImportSummary
from presort.data.running import people, service, weekly
from presort.data.store import Store, open_store
from presort.desk.manage.reports import ABOUT
from presort.desk.scores.effort import SAVED_OVER_BASELINE
from presort.desk.service.demo import build_demo
from presort.desk.text import time_text
from tests.browser.pages import PATIENT, choose_row, wait_until_calm

LIMITS = {"clicks": 2, "clicks to add a report": 3, "fields to add a report": 3}  # maximum values
RANKER, BASELINE, MEASURE = "presort-2", "krichel-2007", "Average precision"
N_DEEPEST = 5
NEW_CODE, NEW_NAME, ABOUT_NEW = "tra", "Trade", "International trade, tariffs and firms that export"
RENAMED, NAME_BEFORE, NAME_AFTER = "spo", "Sports Economics", "Sports"
OF_IMPORT = dict.fromkeys((field.name for field in fields(ImportSummary)), 0) | {"listings": 3, "new_papers": 3}
Cells = list[dict[str, str]]


def change_lately(store: Store) -> None:
    """Make the recent changes that the director asks about: a renamed report, an import, a failed weekly job."""
    catalogue.rename_report(store, RENAMED, NAME_AFTER)
    with store.writing() as connection:
        service.log_import(connection, "week.ris", ImportSummary(**OF_IMPORT), person="Dora")
    week = weekly.monday_of(date.today())
    weekly.begin(store, week, "import")
    weekly.end(store, week, "import", "failed", "week.ris, line 812: no title.")


def cells(table: Locator) -> Cells:
    """Return the visible rows of a table, each as a mapping from column headings to cells."""
    heads = table.locator("th").all_inner_texts()
    rows = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    return [dict(zip(heads, row, strict=False)) for row in rows]


def card(page: Page, label: str) -> tuple[str, str]:
    """Return the figure on a card and the secondary figure below it."""
    found = page.get_by_test_id("stMetric").filter(
        has=page.get_by_test_id("stMetricLabel").get_by_text(label, exact=True)
    )
    below = found.get_by_test_id("stMetricDelta")
    return found.get_by_test_id("stMetricValue").inner_text(), below.inner_text() if below.count() else ""


def number(text: str) -> float:
    """Return the first number in a string, or NaN if there is none."""
    found = re.search(r"[-+]?[\d,]*\.?\d+", text)
    return float(found[0].replace(",", "")) if found else math.nan


def table(page: Page, at: int = 0) -> Locator:
    """Return a visible table on the page."""
    return page.get_by_test_id("stDataFrame").nth(at)


def method(person: Person, name: str) -> None:
    """Open a page from the menu *Method*."""
    person.click(person.page.get_by_test_id("stTopNav").get_by_role("button", name="Method"), "Method")
    person.click(person.page.get_by_role("menuitem", name=re.compile(f"{name}$")), name)
    person.wait_for(person.page.get_by_role("heading", name=name, level=1), name)
    person.wait_for(person.page.get_by_test_id("stMetric"), f"figures of {name}")
    wait_until_calm(person.page)


def find_late_reports(person: Person, store: Store) -> None:
    """Answer question 1: the late reports, how many issues are late, and the editors' addresses."""
    page, expected = person.page, answers.late(store, date.today())
    person.check("late reports", card(page, "Late")[0].split(" of ")[0], str(len(expected)))
    person.check("late issues", number(card(page, "Late")[1]), float(sum(one.n_late for one in expected.values())))
    person.click(page.get_by_role("radio", name=f"Late {len(expected)}"), "Late")
    wait_until_calm(page)
    rows = {row["Report"]: row for row in cells(table(page))}
    person.check("late in the table", {code: int(row["Late"]) for code, row in rows.items()},
                 {code: one.n_late for code, one in expected.items()})  # fmt: skip
    for code, one in expected.items():
        link = unquote(rows.get(code, {}).get("Mail", ""))
        person.check(
            f"whom to write to about {code}", bool(one.mail) and link.startswith(f"mailto:{one.mail[0]}?"), True
        )
        missing = [text for text in (code, *map(str, one.pending)) if text not in link.partition("subject=")[2]]
        person.check(f"missing in the subject for {code}", missing, [])


def find_declined_report(person: Person, store: Store) -> None:
    """Answer question 2: the report that declined, since when, and why."""
    page, rows = person.page, answers.rows_of_ranker(answers.outcomes(store), RANKER)
    (report, since), *others = answers.find_declined(rows).items()
    person.check("declined reports", card(page, "Declined")[0].split(" of ")[0], str(1 + len(others)))
    alert = page.locator(".st-key-alerts").filter(has_text=report)
    person.check("since", f"since {since}" in alert.inner_text(), True)
    place = [row["Report"] for row in cells(table(page))].index(report)
    choose_row(table(page), place + 1, x=60)
    person.n_clicks += 1
    person.wait_for(page.get_by_role("tab", name="Deepest papers"), "Deepest papers")
    mine = rows[rows["report"] == report]
    person.check("title", page.get_by_role("combobox", name="Report").input_value().split(" ")[0], report)
    lengths = {row["Issue"]: int(row["Papers"]) for row in cells(table(page))}
    of_issues = {str(day): n for day, n in zip(mine["issue"], mine["n_papers"], strict=True)}
    person.check("list lengths", lengths, {day: of_issues[day] for day in lengths})
    first = mine["issue"].min()
    changes = [one for one in people.editorships(store) if one.report == report and one.first > first]
    marks = page.locator(".vega-embed text").filter(has_text=re.compile("editor|ranker", re.IGNORECASE))
    person.check("changes of editor or ranker", marks.count() > 0, bool(changes or service.ranker_choices(store)))
    person.click(page.get_by_role("tab", name="Deepest papers"), "Deepest papers")
    wait_until_calm(page)
    links = page.get_by_test_id("stMain").get_by_role("link").filter(has_text=re.compile(r"\d{4}-\d\d-\d\d · "))
    person.check("near misses", links.all_inner_texts(), answers.deepest(store, rows, report, N_DEEPEST))


def find_reading_effort(person: Person, store: Store) -> None:
    """Answer question 3: the reading effort, its trend, and the savings, including those over the 2007 baseline."""
    page, every = person.page, answers.outcomes(store)
    rows = answers.rows_of_ranker(every, RANKER)
    effort, change = answers.effort(rows)
    papers, minutes, list_order = answers.measure_savings(store, rows)
    shown, shown_change = card(page, "Reading effort")
    person.check("reading effort", shown, f"{100 * effort:.1f} %")
    person.check("change", shown_change.strip("↑↓ \n"), f"{100 * change:+.1f} pt")
    shown_minutes, shown_papers = card(page, "Saved per list")
    person.check("saved", (shown_minutes, shown_papers),
                 (f"{minutes:.1f} min", f"{papers:.0f} papers · list order {100 * list_order:.1f} %"))  # fmt: skip
    gain = answers.gains(every, RANKER)[BASELINE]
    of_baseline = 100 * answers.effort(answers.rows_of_ranker(every, BASELINE))[0]
    shown_gain = card(page, SAVED_OVER_BASELINE)
    expected = (f"{gain.minutes:.1f} min", f"{gain.papers:.0f} papers · {BASELINE} {of_baseline:.1f} %")
    person.check("saved over the baseline", shown_gain, expected)


def which_ranker_is_better(person: Person, store: Store) -> None:
    """Answer question 4: the better ranker, and the papers and time it saves per list, with interval and p-value."""
    page, expected = person.page, answers.gains(answers.outcomes(store), RANKER)
    person.turn_to("Compare")
    person.wait_for(page.get_by_role("heading", name=re.compile("^Keep")), "verdict")
    wait_until_calm(page)
    person.check(
        "verdict", page.get_by_role("heading", name=re.compile("^Keep")).inner_text().split(":")[0], f"Keep {RANKER}"
    )
    rows = {row[f"{RANKER} against"]: row for row in cells(table(page))}
    person.check("rankers", set(rows), set(expected))
    for name, gain in expected.items():
        papers, seconds = (float(rows[name][head]) for head in ("Papers saved per list", "Time per list, s"))
        person.check(f"papers against {name}", papers, round(gain.papers, 1) + 0.0)
        person.check(f"seconds against {name}", seconds, round(60 * gain.minutes) + 0.0)
        low, high = map(float, rows[name]["95 % CI, papers"].split(" to "))
        slack = 0.35 * (gain.high - gain.low)  # because the expected interval is computed by another method
        is_near = math.isclose(low, gain.low, abs_tol=slack) and math.isclose(high, gain.high, abs_tol=slack)
        person.check(f"interval against {name}, {low} to {high}", is_near, True)
        p = next(text for head, text in rows[name].items() if head in ("p", "p, corrected"))
        person.check(f"p against {name}, {p} or {gain.p:.4f}",
                     math.isclose(number(p), gain.p, abs_tol=0.02 + 0.3 * gain.p), True)  # fmt: skip


def find_contradictions(person: Person, store: Store) -> None:
    """Answer question 5: how often average precision prefers the worse order, and the worst case."""
    page = person.page
    n_wrong, n_pairs, worst = answers.contradictions(answers.outcomes(store))
    method(person, "Natural order")
    person.check("measure", page.get_by_role("combobox", name="Measure").input_value(), MEASURE)
    shown = card(page, "Prefers the worse order")
    person.check("share", shown, (f"{100 * n_wrong / n_pairs:.1f} %", f"{n_wrong:,} pairs"))
    papers, where = card(page, "Worst case")
    person.check("worst case", number(papers), float(worst["papers"]))
    person.check("where", where, f"papers · {worst['report']} {worst['issue']}")
    first = cells(table(page))[0]
    person.check("first case", (first["Report"], int(first["Extra papers"])), (worst["report"], worst["papers"]))


def which_report_is_hardest(person: Person, store: Store) -> None:
    """Answer question 6: the hardest, the easiest and the most discriminating report."""
    expected = answers.hardest(answers.outcomes(store))
    method(person, "Systems and topics")
    labels = {"hardest": "Hardest report", "easiest": "Easiest report", "most discriminating": "Most discriminating"}
    for what, label in labels.items():
        person.check(what, card(person.page, label)[0], expected[what])


def find_editors(person: Person, store: Store) -> None:
    """Answer the first part of question 7: the editors of a report."""
    today, known = date.today(), people.editorships(store)
    for row in cells(table(person.page)):
        names = people.editors_on(known, row["Report"], today)
        person.check(f"editor of {row['Report']}", row["Editor"], ", ".join(names))


def add_a_report(person: Person, store: Store) -> int:
    """Do the second part of question 7: add a report. Returns the number of typed fields."""
    page, typed = person.page, {"Code": NEW_CODE, "Name": NEW_NAME, ABOUT: ABOUT_NEW}
    person.turn_to("Manage")
    person.click_on("button", "Add report")
    for label, text in typed.items():
        page.get_by_role("dialog").get_by_role("textbox", name=label, exact=True).fill(text)
    person.click(page.get_by_role("dialog").get_by_role("button", name="Add", exact=True), "Add")
    person.wait_for(page.get_by_role("link", name=f"Open the first list of {NEW_CODE}"), "its first list")
    names = {one.code: one.name for one in catalogue.reports(store)}
    person.check("report added", names.get(NEW_CODE), NEW_NAME)
    person.check("its first example", list(hints(store)[NEW_CODE].seeds), [ABOUT_NEW])
    return len(typed)


def find_changes(person: Person, store: Store) -> None:
    """Answer question 8: recent changes, the results of the last import and weekly job, and undelivered mail."""
    page = person.page
    line = page.locator(".st-key-operations").inner_text()
    last, (failed, *_) = service.imports(store)[0], weekly.newest_steps(store)
    person.check("last import", f"Last import {time_text(last.made_at)}, {last.summary.new_papers} new" in line, True)
    person.check("weekly job", f"Weekly job {failed.week}: failed" in line, True)
    person.check("why it failed", page.get_by_role("alert").filter(has_text=failed.message).count(), 1)
    person.check("undelivered mail", "Undelivered mail 0" in line, True)
    person.turn_to("Manage")
    person.click(page.get_by_test_id("stMain").get_by_role("radio", name="Log"), "Log")
    person.wait_for(table(page), "log")
    wait_until_calm(page)
    changes = [(row["Object"], row["Before"], row["After"]) for row in cells(table(page))]
    person.check("renamed report in the log", (RENAMED, NAME_BEFORE, NAME_AFTER) in changes, True)


QUESTIONS: Mapping[str, Callable[[Person, Store], int | None]] = {
    "1 who is late": find_late_reports,
    "2 what declined, why": find_declined_report,
    "3 reading effort, saved": find_reading_effort,
    "4 better ranker": which_ranker_is_better,
    "5 measure misleads": find_contradictions,
    "6 hardest report": which_report_is_hardest,
    "7 who edits": find_editors,
    "8 what changed": find_changes,
    "7 add a report": add_a_report,  # must be last, because it changes the data for the other questions
}


def ask(person: Person, running: Service, name: str) -> dict[str, object]:
    """Ask a question on *Overview*. Returns the row of the table."""
    person.page.goto(f"{running.base}/overview")
    person.wait_for(person.page.get_by_text("Undelivered mail"), "Overview")
    wait_until_calm(person.page)
    before, n_wrong, n_dead, n_fields = person.n_clicks, len(person.wrong), len(person.dead_ends), None
    with suppress(DeadEndError):
        n_fields = QUESTIONS[name](person, running.store)
    n_dead = len(person.dead_ends) - n_dead
    is_right = len(person.wrong) == n_wrong and not n_dead
    return {"question": name, "clicks": person.n_clicks - before, "fields": n_fields or 0, "dead ends": n_dead,
            "right": "yes" if is_right else "no"}  # fmt: skip


def is_broken(row: Mapping[str, object]) -> bool:
    """Return True if a row exceeds a limit."""
    adds = row["question"] == "7 add a report"
    most = LIMITS["clicks to add a report" if adds else "clicks"]
    return (
        row["right"] == "no"
        or int(str(row["clicks"])) > most
        or int(str(row["fields"])) > LIMITS["fields to add a report"]
    )


def main() -> None:
    """Ask all questions, print the table, and exit with 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", type=Path, help="Folder of a demo to copy, instead of building one.")
    parser.add_argument("--question", choices=QUESTIONS, help="Ask only this question.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        workspace = Path(temporary) / "workspace"
        if asked.demo:
            copytree(asked.demo, workspace)
        with closing(open_store(workspace)) as store:
            if not asked.demo:
                for _ in build_demo(store):
                    pass
            change_lately(store)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        with Service(workspace) as running, person_at(browser, "1280x860") as person:
            person.page.set_default_timeout(PATIENT)
            person.page.goto(running.address)
            person.click(person.page.get_by_role("radio", name="Director"), "Director")
            rows = [ask(person, running, name) for name in ([asked.question] if asked.question else QUESTIONS)]
        browser.close()
    for one in [*(f"dead end: {one}" for one in person.dead_ends), *person.wrong]:
        print(one)
    print(*rows[0], sep=" | ")
    for row in rows:
        print(*row.values(), sep=" | ")
    sys.exit(any(map(is_broken, rows)))


if __name__ == "__main__":
    main()
