"""In a real browser: what was found relevant is filtered, put in order, looked at, issued once, and reopened."""

import re
from datetime import date

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from data import catalogue, drafts, rankings, reviews
from data.publish import publish
from data.records import Decision, ListedPaper, Paper
from data.reopening import issuings
from data.store import open_store
from desk.preferences import set_plain
from ranker.versions import DEFAULT

NEWEST = date(2026, 11, 16)
PLACES = (1, 3, 12)
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
def store(workspace):
    store = open_store(workspace)
    yield store
    store.close()


@pytest.fixture
def shown(store):
    return rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT]


def say(store, shown, paper_ids):
    reviews.decide(store, [Decision("lab", NEWEST, one, "yes", "editor", ranking_id=shown.id) for one in paper_ids])


@pytest.fixture
def chosen(store, shown):
    """List positions of three relevant papers, as presorted."""
    positions = [int(shown.ranking.positions[place - 1]) for place in PLACES]
    papers = catalogue.papers(store, NEWEST)
    say(store, shown, [papers[position - 1].paper_id for position in positions])
    return positions


@pytest.fixture
def hostile(store, shown, chosen):
    """Positions of all that is relevant, with hostile papers after the three."""
    before = len(catalogue.papers(store, NEWEST))
    listed = [Paper(f"h{n}", title, title, (title[:200],)) for n, title in enumerate(HOSTILE)]
    publish(store, [ListedPaper(paper, NEWEST) for paper in listed], person="demo")
    say(store, shown, [paper.paper_id for paper in listed])
    return [*chosen, *range(before + 1, before + 1 + len(HOSTILE))]


def open_finish(page, server):
    page.goto(f"{server}/finish?report=lab")
    button(page, "Issue report").wait_for()


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
    """Take a row by its title with the mouse, and let it go over another."""
    start, end = (one.locator(".title").bounding_box() for one in (source, target))
    page.mouse.move(start["x"] + 20, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 20, start["y"] + 15)
    page.mouse.move(end["x"] + 20, end["y"] + end["height"] + 8, steps=5)
    if leave:
        page.mouse.up()


def serious(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_from_the_relevant_papers_to_the_report_issue_and_back(page, server, store, chosen):
    first, second, third = chosen
    open_finish(page, server)
    expect(page.get_by_text("Three papers go out.").first).to_be_visible()
    page.get_by_role("checkbox").nth(1).uncheck(force=True)
    expect(page.get_by_text("Two of three papers go out.").first).to_be_visible()
    button(page, "Publish all").click()
    expect(page.get_by_text("Three papers go out.").first).to_be_visible()

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
    drag(page, row(page, 1), row(page, 3))
    wait_for_order(page, store, [second, third, first])
    drag(page, row(page, 1), row(page, 3), leave=False)
    page.keyboard.press("Escape")
    page.mouse.up()
    wait_for_order(page, store, [second, third, first])
    assert serious(page) == []

    open_step(page, "Notes")
    page.get_by_label("To the readers").fill("A **quiet** week.")
    open_step(page, "Preview")
    text = page.locator(".st-key-draft code")
    expect(text).to_contain_text("three papers, chosen by editor")
    expect(text).to_contain_text("A **quiet** week.")
    with page.expect_download() as download:
        button(page, "Download as text").click()
    assert download.value.suggested_filename == f"lab-{NEWEST}-draft.txt"
    assert download.value.path().read_text(encoding="utf-8") == text.inner_text()

    button(page, "Issue report").dblclick()
    issued = page.get_by_text(f"lab {NEWEST} was issued with three papers")
    n_papers = len(catalogue.papers(store, NEWEST))
    expect(issued).to_contain_text(f"Your last paper stood at {PLACES[-1]} of {n_papers}. You read {PLACES[-1]}")
    assert len(issuings(store, "lab", NEWEST)) == 1
    gone_out = reviews.issued(store, "lab")[NEWEST]
    assert (gone_out.published, gone_out.note) == ((second, third, first), "A **quiet** week.")

    open_step(page, "Reopen for review")
    button(page, "Reopen").click()
    expect(page.get_by_text(f"Say why lab {NEWEST} is to be reopened")).to_be_visible()
    page.get_by_label("Why").fill("one was missing")
    button(page, "Reopen").click()
    button(page, "Issue report").click()
    expect(issued).to_be_visible()
    expect(page.get_by_text("by editor: one was missing")).to_be_visible()
    assert len(issuings(store, "lab", NEWEST)) == 2

    page.get_by_role("link", name="Back to the list").click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    page.wait_for_url(re.compile(r"report=lab"))


def test_hostile_titles_are_text_in_every_step(page, server, store, hostile):
    open_finish(page, server)
    open_step(page, "Order")
    open_step(page, "Preview")
    expect(rows(page)).to_have_count(len(hostile))
    text = " ".join(page.locator(".st-key-draft code").inner_text().split())
    shown = page.locator(".order .title").all_text_contents()
    for title in HOSTILE:
        n_times = 5 if len(title) <= 200 else 3  # title and authors twice, the abstract once
        assert text.count(" ".join(title.split())) == n_times
        assert title[:299] in " ".join(shown)
    assert page.title() != "owned"
    labels = page.locator(".st-key-filter")
    assert labels.locator("script, img, strong, em, a, .katex").count() == 0


def test_nothing_may_go_out(page, server, store):
    open_finish(page, server)
    expect(page.get_by_text("You have marked nothing as relevant in this issue.")).to_be_visible()
    button(page, "Issue report").click()
    expect(page.get_by_text(f"lab {NEWEST} was issued with no papers")).to_be_visible()
    assert reviews.issued(store, "lab")[NEWEST].published == ()


def test_two_windows_see_what_the_other_saved_and_issue_once(page, chromium, server, store, chosen):
    open_finish(page, server)
    other = chromium.new_context().new_page()
    open_finish(other, server)
    for one in (page, other):
        open_step(one, "Order")
    row(page, 3).get_by_role("button", name="To the top: ").click()
    wait_for_order(page, store, [chosen[2], chosen[0], chosen[1]])
    row(other, 2).get_by_role("button", name="Down: ").click()  # has the last word
    wait_for_order(other, store, [chosen[0], chosen[2], chosen[1]])
    button(other, "Issue report").click()
    expect(other.get_by_text("was issued with three papers")).to_be_visible()
    button(page, "Issue report").click()
    expect(page.get_by_text("It had gone out already; nothing was sent twice.")).to_be_visible()
    assert len(issuings(store, "lab", NEWEST)) == 1
    other.context.close()


def test_plain_widgets_put_in_order_too(page, server, store, chosen):
    set_plain(store, "editor", True)
    open_finish(page, server)
    open_step(page, "Order")
    button(page, "To top").nth(2).click()
    expect(page.locator("[class*=st-key-line-]").first).to_contain_text(
        catalogue.papers(store, NEWEST)[chosen[2] - 1].title
    )
    assert drafts.draft(store, "lab", NEWEST).order == (chosen[2], chosen[0], chosen[1])
    assert rows(page).count() == 0
