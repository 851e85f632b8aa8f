"""In a real browser: relevant papers are selected, ordered, previewed, published once, and reopened."""

import re
from datetime import date

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing import decisions, drafts, notes, publications
from presort.data.editing.publications import publication_log
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper
from presort.data.text.formulas import formulas_to_unicode
from presort.desk.publish.publishing import PUBLISHED_ALREADY, UNSAVED
from presort.ranker.versions import DEFAULT
from tests.browser.pages import serious_problems, wait_until_calm, wait_until_idle
from tests.browser.reviewing import press, wait_until_drawn

NEWEST = date(2026, 11, 16)
PLACES = (1, 3, 12)
IMAGE = "http://foreign.invalid/x.png"
HOSTILE = [
    "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "**Bold** _wages_ [link](javascript:alert(1)) :material/delete: :red[taxes]",
    "الأجور والبطالة في الاقتصاد",
    "1. Bounds of order $O(n^{2})$ and costs of $5 & more < less > \\LaTeX{}",
    "# A heading",
    ("A very long title " * 170)[:3000],
]


@pytest.fixture
def shown(store):
    return rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT]


def say(store, shown, paper_ids):
    decisions.decide(store, [Decision("lab", NEWEST, one, "yes", "editor", ranking_id=shown.id) for one in paper_ids])


@pytest.fixture
def chosen(store, shown):
    """List positions of three relevant papers, in presorted order."""
    positions = [int(shown.ranking.positions[place - 1]) for place in PLACES]
    papers = catalogue.papers(store, NEWEST)
    say(store, shown, [papers[position - 1].paper_id for position in positions])
    return positions


@pytest.fixture
def hostile(store, shown, chosen):
    """Positions of all relevant papers, with hostile papers after the three."""
    before = len(catalogue.papers(store, NEWEST))
    listed = [Paper(f"h{n}", title, title, (title[:200],)) for n, title in enumerate(HOSTILE)]
    commit_import(store, [ListedPaper(paper, NEWEST) for paper in listed], person="demo")
    say(store, shown, [paper.paper_id for paper in listed])
    return [*chosen, *range(before + 1, before + 1 + len(HOSTILE))]


def open_publish(page, server):
    page.goto(f"{server}/publish?report=lab")
    button(page, "Publish report").wait_for()
    wait_until_idle(page)


def publish(page):
    button(page, "Publish report").click()
    button(page, "Publish").click()


def open_step(page, name):
    page.locator("summary").filter(has_text=name).click()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def rows(page):
    return page.locator(".order li")


def row(page, place):
    return rows(page).nth(place - 1)


def wait_for_order(page, store, order):
    expect(page.locator(".order .status")).to_have_text("saved")
    assert drafts.draft(store, "lab", NEWEST).order == tuple(order)
    papers = catalogue.papers(store, NEWEST)
    expect(page.locator(".order .title")).to_have_text([papers[position - 1].title for position in order])
    expect(page.locator(".order .number")).to_have_text([str(n) for n in range(1, len(order) + 1)])


def drag(page, source, target, *, leave=True):
    """Drag a row by its title with the mouse, and drop it over another."""
    start, end = (one.locator(".title").bounding_box() for one in (source, target))
    page.mouse.move(start["x"] + 20, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 20, start["y"] + 15)
    page.mouse.move(end["x"] + 20, end["y"] + end["height"] + 8, steps=5)
    if leave:
        page.mouse.up()


def test_from_the_relevant_papers_to_the_report_issue_and_back(page, server, store, chosen):
    first, second, third = chosen
    open_publish(page, server)
    papers = page.locator("summary").filter(has_text="Papers")
    expect(papers).to_contain_text("3 of 3")
    page.get_by_role("checkbox").nth(1).uncheck(force=True)
    expect(papers).to_contain_text("2 of 3")
    button(page, "Select all").click()
    expect(papers).to_contain_text("3 of 3")

    open_step(page, "Order")
    row(page, 3).get_by_role("button", name="Move: ").focus()
    page.keyboard.press("Alt+ArrowUp")
    wait_for_order(page, store, [first, third, second])
    expect(row(page, 2).get_by_role("button", name="Move: ")).to_be_focused()
    expect(page.locator(".order .unseen")).to_have_text(re.compile("^2 of 3: "))
    page.keyboard.press("ArrowDown")
    expect(row(page, 3).get_by_role("button", name="Move: ")).to_be_focused()
    row(page, 3).get_by_role("button", name="To the top: ").click()
    wait_for_order(page, store, [second, first, third])
    row(page, 1).get_by_role("button", name="Down: ").click()
    wait_for_order(page, store, [first, second, third])
    row(page, 1).locator(".authors").click()
    page.keyboard.press("Alt+ArrowDown")
    wait_for_order(page, store, [second, first, third])
    page.keyboard.press("Alt+ArrowUp")
    wait_for_order(page, store, [first, second, third])
    drag(page, row(page, 1), row(page, 3))
    wait_for_order(page, store, [second, third, first])
    drag(page, row(page, 1), row(page, 3), leave=False)
    page.keyboard.press("Escape")
    page.mouse.up()
    wait_for_order(page, store, [second, third, first])

    page.get_by_label("Note to readers").fill("A **quiet** week.")
    open_step(page, "Preview")
    mail = page.frame_locator(".st-key-draft iframe")
    expect(mail.locator("body")).to_contain_text("three papers, chosen by ")
    expect(mail.locator(".note")).to_have_text("A **quiet** week.")
    assert serious_problems(page) == []
    page.get_by_role("tab", name="As plain text").click()
    text = page.locator(".st-key-draft code")
    expect(text).to_contain_text("three papers, chosen by ")
    expect(text).to_contain_text("A **quiet** week.")
    with page.expect_download() as download:
        button(page, "Download as text").click()
    assert download.value.suggested_filename == f"lab-{NEWEST}-draft.txt"
    assert download.value.path().read_text(encoding="utf-8") == text.inner_text()

    button(page, "Publish report").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Publish 3 papers?")
    assert publication_log(store, "lab", NEWEST) == []
    wait_until_idle(page)
    assert serious_problems(page) == []
    button(page, "Publish").dblclick()
    publication = page.get_by_text(f"lab {NEWEST} · 3 papers")
    n_papers = len(catalogue.papers(store, NEWEST))
    read = page.get_by_test_id("stMetric").filter(has_text=re.compile("^Read"))
    expect(read).to_contain_text(f"{PLACES[-1]} of {n_papers}")
    expect(publication).to_be_visible()
    assert len(publication_log(store, "lab", NEWEST)) == 1
    published_issue = publications.published(store, "lab")[NEWEST]
    assert (published_issue.published, published_issue.note) == ((second, third, first), "A **quiet** week.")

    wait_until_calm(page)
    open_step(page, "Reopen for review")
    wait_until_calm(page)
    button(page, "Reopen").click()
    expect(page.get_by_text(f"Enter a reason for reopening lab {NEWEST}")).to_be_visible()
    page.get_by_label("Reason").fill("one was missing")
    button(page, "Reopen").click()
    publish(page)
    expect(publication).to_be_visible()
    expect(page.get_by_text("by this desk: one was missing")).to_be_visible()
    assert len(publication_log(store, "lab", NEWEST)) == 2

    button(page, "Next: dev 2026-11-09").click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    page.wait_for_url("**report=dev&issue=2026-11-09**")


def test_undoing_the_publication_shows_the_steps_again(page, server, store, chosen):
    open_publish(page, server)
    publish(page)
    expect(page.get_by_text(f"lab {NEWEST} · 3 papers")).to_be_visible()
    button(page, "Undo").click()
    expect(button(page, "Publish report")).to_be_visible()
    expect(button(page, "Undo")).to_have_count(0)
    expect(page.get_by_role("combobox", name="Issue")).not_to_have_value(re.compile("published"))
    assert NEWEST not in publications.published(store, "lab")


def test_unsent_entries_of_the_left_list_are_announced_and_then_saved(page, server, store):
    open_publish(page, server)
    page.get_by_role("link", name="Back to the list").click()
    wait_until_drawn(page)
    held, is_slow = [], True
    page.route("**/channels/*", lambda route: held.append(route) if is_slow else route.continue_())
    press(page, "xko")
    page.get_by_label("note", exact=True).fill("Weak.")
    page.go_back()
    unsaved = page.get_by_text(UNSAVED)
    expect(unsaved).to_be_visible()
    is_slow = False
    for route in held:
        route.continue_()
    expect(page.locator("summary").filter(has_text="Papers")).to_contain_text("1 of 1")
    expect(unsaved).to_be_hidden()
    assert [one.note for one in notes.paper_notes(store, "lab", NEWEST).values()] == ["Weak."]


def test_hostile_titles_are_text_in_every_step(page, server, store, hostile):
    open_publish(page, server)
    open_step(page, "Order")
    open_step(page, "Preview")
    expect(rows(page)).to_have_count(len(hostile))
    mail = page.frame_locator(".st-key-draft iframe")
    expect(mail.locator("li .title").nth(3)).to_have_text(HOSTILE[0])
    assert mail.locator("script, img, .title *").count() == 0
    page.get_by_role("tab", name="As plain text").click()
    text = " ".join(page.locator(".st-key-draft code").inner_text().split())
    shown = page.locator(".order .title").all_text_contents()
    for title in HOSTILE:
        written = {" ".join(one.split()) for one in (title, formulas_to_unicode(title))}  # authors have no formulas
        n_times = 5 if len(title) <= 200 else 3  # title and authors twice, the abstract once
        assert sum(map(text.count, written)) == n_times
        assert title[:299] in " ".join(shown)
    assert page.title() != "owned"
    labels = page.locator(".st-key-filter")
    assert labels.locator("script, img, strong, em, a, .katex").count() == 0


def test_scripts_and_resources_of_a_mail_template_are_blocked(other_page, server, store, chosen):
    template = store.folder / "templates" / "mail.html.j2"
    template.parent.mkdir()
    template.write_text(
        "<p>{{ name }}</p><script>document.body.innerText = parent.document.title = 'owned'</script>"
        f'<img src="{IMAGE}"><a href="http://foreign.invalid/paper">a paper</a>',
        encoding="utf-8",
    )
    forbidden, asked = [], []
    other_page.on("request", lambda request: asked.append(request.url))
    other_page.on("requestfailed", lambda request: request.failure == "csp" and forbidden.append(request.url))
    open_publish(other_page, server)
    open_step(other_page, "Preview")
    mail = other_page.frame_locator(".st-key-draft iframe")
    expect(mail.locator("p")).to_have_text("Labour Economics")
    assert other_page.title() != "owned"
    with other_page.expect_popup():
        mail.get_by_role("link", name="a paper").click()
    expect(mail.locator("p")).to_have_text("Labour Economics")
    assert forbidden == [IMAGE]  # blocked by the frame's own policy, before any request
    assert {address for address in asked if not address.startswith((server, "blob:", "data:"))} == {IMAGE}


def test_two_windows_see_each_others_changes_and_publish_once(page, other_page, server, store, chosen):
    open_publish(page, server)
    open_publish(other_page, server)
    for one in (page, other_page):
        open_step(one, "Order")
    row(page, 3).get_by_role("button", name="To the top: ").click()
    wait_for_order(page, store, [chosen[2], chosen[0], chosen[1]])
    row(other_page, 2).get_by_role("button", name="Down: ").click()  # has priority
    wait_for_order(other_page, store, [chosen[0], chosen[2], chosen[1]])
    publish(other_page)
    expect(other_page.get_by_text("· 3 papers")).to_be_visible()
    button(page, "Publish report").click()
    expect(page.get_by_text(PUBLISHED_ALREADY)).to_be_visible()
    assert len(publication_log(store, "lab", NEWEST)) == 1
