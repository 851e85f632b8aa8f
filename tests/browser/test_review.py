"""Review in a real browser: nothing is lost, nobody is fooled, and everybody can use it."""

import re
from datetime import date

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from data import catalogue, rankings, review_log, reviews, standing
from data.hints import hints
from data.publish import publish
from data.records import ListedPaper, Paper
from data.store import open_store
from ranker.versions import DEFAULT
from tests.browser.conftest import free_port, serving
from tests.browser.pages import downloaded, wait_until_idle
from tests.browser.reviewing import choose, open_review, press, row, wait_until_drawn, wait_until_saved
from tests.browser.test_week import NEWEST

HOSTILE = [
    "<script>document.title = 'owned'</script> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "**Bold** _wages_ [link](javascript:alert(1)) :material/delete: :red[taxes]",
    "الأجور والبطالة في الاقتصاد",
    "Bounds of order $O(n^{2})$ and costs of $5 & more < less > \\LaTeX{}",
    ("A very long title " * 170).strip(),
]
LATER = date(2026, 11, 23)


@pytest.fixture
def store(workspace):
    store = open_store(workspace)
    yield store
    store.close()


@pytest.fixture
def hostile(store):
    """An issue of papers that nobody should trust."""
    papers = [Paper(f"=h{n}", title, f"{title} {title}", (title[:60],)) for n, title in enumerate(HOSTILE)]
    publish(store, [ListedPaper(paper, LATER) for paper in papers], person="import")
    return store


def in_order(store, report):
    ranking = rankings.newest_rankings(store, report, NEWEST)[DEFAULT].ranking
    papers = catalogue.papers(store, NEWEST)
    return [papers[position - 1] for position in ranking.positions.tolist()]


def test_a_decision_remembers_the_list_it_was_made_in(page, server, store):
    open_review(page, server, "lab")
    press(page, "x")
    choose(page, "as received")
    row(page, 1).locator(".decision").click()
    wait_until_saved(page)
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].id
    said = standing.said(store, "lab", NEWEST)
    assert said[in_order(store, "lab")[0].paper_id].ranking_id == shown
    assert said[catalogue.papers(store, NEWEST)[0].paper_id].ranking_id is None


def test_nothing_is_lost_when_the_server_is_killed_in_the_middle(page, workspace, store):
    port = free_port()
    with serving(workspace, port) as address:
        open_review(page, address, "env")
        press(page, "xxx")
        wait_until_saved(page)
    press(page, "nnm")
    expect(page.locator(".status")).to_contain_text("not connected: 3 decisions kept here, sending again…")
    assert len(reviews.words(store, "env", NEWEST)) == 3
    with serving(workspace, port):
        expect(page.locator(".status")).to_have_text("saved", timeout=60_000)
    said = [reviews.words(store, "env", NEWEST).get(paper.paper_id) for paper in in_order(store, "env")[:7]]
    assert said == ["yes", "yes", "yes", "no", "no", "maybe", None]
    assert len(review_log.decisions_since(store, "env", NEWEST, 0)) == 6  # each once


def test_two_people_on_one_report_see_each_other_and_the_log_keeps_both(page, chromium, server, store):
    open_review(page, server, "pub")
    other = chromium.new_context().new_page()
    open_review(other, server, "pub")
    press(page, "x")
    other.locator(".row").first.locator(".sign", has_text="✓").wait_for()
    row(other, 1).locator(".decision").click()  # takes it back
    page.locator(".row").first.locator('.sign[aria-pressed="false"]').wait_for()
    wait_until_saved(other)
    log = review_log.decisions_since(store, "pub", NEWEST, 0)
    assert [one.word for one in log] == ["yes", "undecided"]
    other.context.close()


def test_why_a_paper_is_here_and_what_was_said_of_it(page, server, store):
    open_review(page, server, "lab")
    press(page, "xux")
    wait_until_saved(page)
    row(page, 1).locator(".opener").click()
    answer = row(page, 1).locator(".answer")
    expect(answer).to_contain_text(re.compile(r"up: .+ \d+ %"))
    expect(answer).to_contain_text("Most like, of your earlier picks")
    expect(answer.locator("section", has_text="Said so far").locator("li")).to_have_text(
        [re.compile("editor: relevant$"), re.compile("undecided again$"), re.compile("editor: relevant$")]
    )


def test_a_term_is_muted_where_it_is_named_and_the_issue_sorted_again(page, server, store):
    open_review(page, server, "lab")
    row(page, 1).locator(".opener").click()
    first = row(page, 1).locator(".correction").first
    first.wait_for()
    term = first.locator("span").inner_text().lower()
    first.get_by_role("button", name="Mute").click()
    expect(page.get_by_text(f"From the next ranking on, '{term}' is not read.")).to_be_visible()
    wait_until_saved(page)
    assert hints(store)["lab"].muted == (term,)
    page.get_by_role("button", name="Sort again now").click()
    expect(page.get_by_text(f", without '{term}'")).to_be_visible()
    page.locator(".row").first.wait_for()
    assert rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].ranking.hints_up_to == 1
    assert page.locator(".title").all_text_contents() == [paper.title for paper in in_order(store, "lab")]


def test_a_workspace_that_is_busy_loses_nothing(page, server, store):
    open_review(page, server, "lab")
    with store.writing():  # as a long import that never lets go
        press(page, "xx")
        expect(page.locator(".status")).to_contain_text("kept here, sending again")
    expect(page.locator(".status")).to_have_text("saved", timeout=60_000)
    assert sorted(reviews.words(store, "lab", NEWEST).values()) == ["yes", "yes"]


def test_what_is_shown_goes_into_a_file(page, server, store):
    open_review(page, server, "lab")
    press(page, "xmx")
    choose(page, "relevant")
    wait_until_saved(page)
    page.get_by_text("Export what is shown").click()
    rows = downloaded(page, "CSV")
    papers = in_order(store, "lab")
    assert [(row["place"], row["paper_id"], row["relevant"]) for row in rows] == [
        ("1", papers[0].paper_id, "yes"),
        ("3", papers[2].paper_id, "yes"),
    ]


def test_hostile_titles_are_text_from_the_list_to_what_goes_out(page, workspace, hostile):
    with serving(workspace) as address:
        open_review(page, address, "lab", issue=LATER)
        assert page.locator(".title").all_text_contents() == HOSTILE
        assert page.title() != "owned"
        assert page.locator(".row a").count() == 0
        press(page, "xxxxxx")
        wait_until_saved(page)
        page.get_by_text("Export what is shown").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        assert "\n=" not in download.value.path().read_text(encoding="utf-8-sig")
        page.get_by_role("link", name="Finish").first.click()
        expect(page.get_by_text(HOSTILE[0]).first).to_be_visible()
        assert page.title() != "owned"


def test_no_decision_can_be_made_once_it_went_out(page, server, store):
    reviews.issue_report(store, "lab", NEWEST, [], ranking_id=None, person="somebody else")
    open_review(page, server, "lab")
    press(page, "x")
    expect(page.locator(".unseen")).to_contain_text("this issue has gone out")
    assert reviews.words(store, "lab", NEWEST) == {}


LOOKS = [
    pytest.param({}, id="light"),
    pytest.param({"color_scheme": "dark"}, id="dark"),
    pytest.param({"viewport": {"width": 400, "height": 800}}, id="narrow"),
    pytest.param({"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}, id="zoomed-to-200-percent"),
]
PAGES = {
    "": "Review",
    "finish": "Finish",
    "pending": "Pending",
    "topic": "Try a topic",
    "quality": "Quality",
    "compare": "Compare",
    "measures": "Measures",
    "systems-topics": "Systems and topics",
    "natural-order": "Natural order",
    "import": "Import",
    "manage": "Manage",
    "preferences": "Preferences",
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_open_to_everybody(chromium, looked_at, look, path):
    context = chromium.new_context(**look)
    page = context.new_page()
    page.goto(f"{looked_at}/{path}")
    expect(page.get_by_role("heading", name=PAGES[path], level=1)).to_be_visible()
    wait_until_idle(page)
    if not path:
        wait_until_drawn(page)
        row(page, 1).locator(".opener").click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tries = [serious_problems(page)]
    while tries[-1] and len(tries) < 4:  # what is just being drawn is pale for a moment
        tries.append(serious_problems(page))
    assert tries[-1] == []
    context.close()


def serious_problems(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
