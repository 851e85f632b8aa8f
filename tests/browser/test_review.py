"""*Review* in a real browser: nothing is lost, hostile texts are harmless, and the page is accessible."""

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing import log as review_log
from presort.data.editing.hints import hints
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import ListedPaper, Paper
from presort.desk.service import workflow
from presort.ranker.versions import DEFAULT
from tests.browser.conftest import free_port, serving
from tests.browser.pages import act_at_once, choose_in, look_as
from tests.browser.reviewing import (
    choose,
    open_over,
    open_review,
    panel,
    press,
    row,
    wait_until_drawn,
    wait_until_saved,
    wait_until_written,
)
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
def hostile(store):
    """Issue of papers with hostile texts."""
    papers = [Paper(f"=h{n}", title, f"{title} {title}", (title[:60],)) for n, title in enumerate(HOSTILE)]
    commit_import(store, [ListedPaper(paper, LATER) for paper in papers], person="import")
    return store


def in_order(store, report):
    ranking = rankings.newest_rankings(store, report, NEWEST)[DEFAULT].ranking
    papers = catalogue.papers(store, NEWEST)
    return [papers[position - 1] for position in ranking.positions.tolist()]


def test_a_decision_is_stored_for_the_list_it_was_made_in(page, server, store):
    open_review(page, server, "lab")
    press(page, "x")
    choose(page, "list order")
    row(page, 1).locator(".sign").click()
    wait_until_saved(page)
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].id
    decided = decisions.current_decisions(store, "lab", NEWEST)
    assert decided[in_order(store, "lab")[0].paper_id].ranking_id == shown
    assert decided[catalogue.papers(store, NEWEST)[0].paper_id].ranking_id is None

    choose_in(page, "Report", "mac · Macroeconomics")
    expect(row(page, 1).locator(".title")).to_have_text(in_order(store, "mac")[0].title)
    press(page, "x")  # keys work right after choosing a report
    wait_until_saved(page)
    assert list(decisions.labels(store, "mac", NEWEST).values()) == ["yes"]


def test_a_new_ranking_keeps_read_papers_and_the_list_opens_at_the_first_unread_one(page, server, store):
    open_review(page, server, "lab")
    row(page, 15).locator(".sign").click()
    press(page, "h")
    wait_until_saved(page)
    papers, old = catalogue.papers(store, NEWEST), rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].ranking
    n = len(papers)
    order = [*range(1, 4), 16, *range(4, 16), *range(17, n + 1)]  # places in the old order: an unread paper moved up
    again = replace(old, positions=old.positions[np.array(order) - 1])
    rankings.add_rankings(store, [again])
    expect(panel(page)).to_contain_text(f"15 of {n} read")
    page.reload()
    wait_until_drawn(page)
    expect(panel(page)).to_contain_text(f"15 of {n} read")
    new = papers[old.positions[15] - 1]
    expect(row(page, 4).locator(".title")).to_have_text(new.title)
    expect(row(page, 4)).to_have_class(re.compile("current"))
    expect(row(page, 3).locator(".read-line")).to_be_visible()
    page.keyboard.press("n")
    wait_until_saved(page)
    expect(panel(page)).to_contain_text(f"16 of {n} read")
    expect(row(page, 16).locator(".read-line")).to_be_visible()
    page.reload()
    wait_until_drawn(page)
    expect(row(page, 17)).to_have_class(re.compile("current"))
    expect(row(page, 17).locator(".title")).to_be_in_viewport()


def test_the_rest_is_reranked_in_place_and_back(page, server, store):
    """Read papers stay in place. The order survives a reload, is offered to another editor, and can be undone."""
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].ranking
    rankings.add_rankings(store, [replace(shown, n_relevant=1)])  # as if the report had started with one example
    other = page.context.new_page()
    open_review(other, server, "lab")
    open_review(page, server, "lab")
    first = titles(page)
    press(page, "xnnx")
    wait_until_saved(page)
    rerank = page.locator(".rerank")
    expect(rerank).to_contain_text("4 new")
    page.keyboard.press("r")
    expect(page.locator(".undo-rerank")).to_be_visible()
    expect(rerank).to_have_attribute("aria-disabled", "true")  # no decision since
    expect(rerank).not_to_contain_text("new")
    new = titles(page)
    assert new[:4] == first[:4]
    assert sorted(new) == sorted(first)
    assert new != first
    are_below = page.locator(".row").evaluate_all("rows => rows.map((row) => row.classList.contains('below'))")
    assert are_below == sorted(are_below)
    assert any(are_below)
    expect(row(page, 5)).to_have_class(re.compile("current"))
    page.keyboard.press("n")
    wait_until_saved(page)
    expect(panel(page)).to_contain_text("5 of")
    expect(rerank).to_contain_text("1 new")

    expect(other.locator(".newer-order")).to_be_visible()
    assert titles(other) == first
    other.locator(".newer-order").click()
    expect(other.locator(".newer-order")).to_be_hidden()
    assert titles(other) == new

    page.reload()
    wait_until_drawn(page)
    assert titles(page) == new
    expect(row(page, 6)).to_have_class(re.compile("current"))
    expect(rerank).to_contain_text("1 new")
    page.locator(".undo-rerank").click()
    expect(page.locator(".undo-rerank")).to_be_hidden()
    expect(rerank).to_contain_text("5 new")
    assert titles(page) == first
    other.close()


def test_an_open_list_follows_a_publication_and_a_reopening_elsewhere(page, server, store):
    open_review(page, server, "lab")
    locked = page.locator(".list.locked")
    expect(locked).to_have_count(0)
    workflow.publish_report_issue(store, "lab", NEWEST, None, person="bo")
    expect(locked).to_be_visible()
    look_as(page, width=400)
    expect(row(page, 1).locator(".decision")).to_be_hidden()  # no blank space below an unmarked paper
    publications.reopen(store, "lab", NEWEST, "one was missing", person="bo")
    expect(locked).to_have_count(0)
    row(page, 1).locator(".sign").click()
    wait_until_saved(page)
    assert len(decisions.labels(store, "lab", NEWEST)) == 1


def titles(page):
    return page.locator(".row .title").all_text_contents()


def test_nothing_is_lost_when_the_server_is_killed_in_the_middle(page, workspace, store):
    port = free_port()
    with serving(workspace, port) as address:
        open_review(page, address, "env")
        press(page, "xxx")
        wait_until_saved(page)
    press(page, "nnm")
    expect(page.locator(".status")).to_contain_text("not connected: 3 decisions stored in this browser, retrying…")
    assert len(decisions.labels(store, "env", NEWEST)) == 3
    with serving(workspace, port):
        expect(page.locator(".status")).to_have_text("saved", timeout=60_000)
    saved_labels = [decisions.labels(store, "env", NEWEST).get(paper.paper_id) for paper in in_order(store, "env")[:7]]
    assert saved_labels == ["yes", "yes", "yes", "no", "no", "maybe", None]
    assert len(review_log.decisions_since(store, "env", NEWEST, 0)) == 6  # each once


def test_two_people_on_one_report_see_each_other_and_the_log_keeps_both(page, other_page, server, store):
    open_review(page, server, "pub")
    open_review(other_page, server, "pub")
    press(page, "x")
    other_page.locator(".row").first.locator(".sign", has_text="✓").wait_for()
    row(other_page, 1).locator(".sign").click()  # undoes it
    page.locator(".row").first.locator('.sign[aria-pressed="false"]').wait_for()
    wait_until_saved(other_page)
    log = review_log.decisions_since(store, "pub", NEWEST, 0)
    assert [one.label for one in log] == ["yes", "undecided"]


def test_an_explanation_names_a_term_that_can_be_muted_there(page, server, store):
    open_review(page, server, "lab")
    before = in_order(store, "lab")
    press(page, "xux")
    wait_until_saved(page)
    row(page, 1).locator(".opener").click()
    answer = row(page, 1).locator(".answer")
    expect(answer).to_contain_text("raised by ")
    figures = answer.get_by_text(re.compile(r"^up: .+ \d+ %"))
    expect(figures).to_be_hidden()
    answer.get_by_text("share of each reason").click()
    expect(figures).to_be_visible()
    expect(answer).to_contain_text("score ")
    expect(answer).to_contain_text("Most similar relevant papers")
    expect(answer.locator("section", has_text="Decision history").locator("li")).to_have_text(
        [re.compile("this desk: relevant$"), re.compile("undecided again$"), re.compile("this desk: relevant$")]
    )

    menu = row(page, 1).get_by_role("combobox", name="mute or boost")
    term = menu.locator("option").nth(1).inner_text().removeprefix("mute ").lower()
    menu.select_option(index=1)
    expect(page.get_by_text(f"The next ranking mutes '{term}'.")).to_be_visible()
    wait_until_saved(page)
    assert hints(store)["lab"].muted == (term,)
    answer.get_by_role("button", name="undo").click()  # where it was muted
    expect(page.get_by_text(f"The next ranking mutes '{term}'.")).to_be_hidden()
    expect(row(page, 1).locator(".sign")).to_be_focused()
    wait_until_saved(page)
    assert hints(store)["lab"].muted == ()
    menu.select_option(index=1)
    expect(page.get_by_text(f"The next ranking mutes '{term}'.")).to_be_visible()
    for _ in range(2):
        row(page, 1).locator(".opener").click()
    expect(answer.get_by_role("button", name="undo")).to_be_visible()  # also after the paper was closed
    wait_until_saved(page)
    page.get_by_role("button", name="Update ranking").click()
    expect(page.get_by_text(f", muted '{term}'")).to_be_visible()
    papers = in_order(store, "lab")
    moved = next(n for n, paper in enumerate(papers) if paper != before[n] and "$" not in paper.title)
    expect(row(page, moved + 1).locator(".title")).to_have_text(papers[moved].title)
    wait_until_written(page)
    assert rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].ranking.hints_up_to == 3
    titles = zip(page.locator(".title").all_text_contents(), papers, strict=True)
    assert all(shown == paper.title for shown, paper in titles if "$" not in paper.title)


def test_a_workspace_that_is_busy_loses_nothing(page, server, store):
    open_review(page, server, "lab")
    act_at_once(page)
    with store.writing():  # like a long import that never releases the lock
        press(page, "xx")
        expect(page.locator(".status")).to_contain_text("stored in this browser, retrying")
    expect(page.locator(".status")).to_have_text("saved", timeout=60_000)
    assert sorted(decisions.labels(store, "lab", NEWEST).values()) == ["yes", "yes"]


def test_hostile_titles_are_text_from_the_list_to_the_published_report(page, workspace, hostile):
    with serving(workspace) as address:
        open_review(page, address, "lab", issue=LATER)
        shown = [title.replace("$O(n^{2})$", "O(n2)") for title in HOSTILE]
        assert page.locator(".title").all_text_contents() == shown
        assert page.title() != "owned"
        assert page.locator(".row a").count() == 0
        press(page, "xxxxxx")
        wait_until_saved(page)
        open_over(page, "Export shown papers")
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        assert "\n=" not in download.value.path().read_text(encoding="utf-8-sig")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_text(HOSTILE[0]).first).to_be_visible()
        assert page.title() != "owned"
