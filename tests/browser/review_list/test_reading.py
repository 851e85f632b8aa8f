"""Display, search and navigation of the review list."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.pages import fits, look_as, serious_problems, wait_until_idle
from tests.browser.review_list.lists import (
    HOSTILE,
    N_PAPERS,
    SENTENCE,
    choose,
    expect_panel,
    log_of,
    next_reply,
    open_list,
    press,
    row,
    wait_for_list,
    write_list,
)

LIST = [".stBidiComponent"]


def test_hostile_texts_are_text(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    choose(page, "list order")
    for place, title in enumerate(HOSTILE, start=1):
        shown = title.replace("$O(n^{2})$", "O(n2)")
        assert row(page, place).locator(".title").evaluate("element => element.textContent") == shown
    assert row(page, 4).locator(".title msup").count() == 1
    read_aloud = row(page, 4).locator(".sign").get_attribute("aria-label")
    assert read_aloud == f"4. Relevant? {HOSTILE[3].replace('$O(n^{2})$', 'O(n2)')}"
    assert page.title() != "owned"
    assert page.locator(".row img, .row script").count() == 0
    assert row(page, 5).bounding_box()["height"] < 200  # the long one
    row(page, 6).locator(".title").click()
    links = row(page, 6).locator(".facts a")
    assert [link.get_attribute("href") for link in links.all()] == [
        "https://doi.org/10.1000/182",
        "https://example.org/p6",
    ]
    expect(row(page, 6).locator(".answer")).to_contain_text("<b>Wages</b> beside p6")


def test_search_filter_and_order(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "xmj")
    at = page.locator(".row.current .number").text_content()
    press(page, "/")
    page.keyboard.type("on wages and b")
    expect(page.locator(".hits")).to_have_text(re.compile(r"^\d+ hits$"))
    page.locator(".row:not([hidden]) .title .hit").first.wait_for()
    first = page.locator(".row:not([hidden]) .number").first.text_content()
    page.keyboard.press("Escape")
    expect(page.locator(".row.current .number")).to_have_text(at)  # looking around does not lose the place
    expect(page.locator(".hits")).to_have_text(re.compile(r"^\d+ highlighted: “on wages and b”$"))
    row(page, 1).locator(".sign").focus()
    press(page, "f" if first != "1" else "fb")
    expect(page.locator(".row.current .number")).to_have_text(first)
    press(page, "d")
    expect(page.locator(".row:not([hidden])")).to_have_count(N_PAPERS - 2)
    press(page, "d/")
    page.keyboard.type("other 141 author")
    shown = page.locator(".row:not([hidden])")
    expect(shown).to_have_count(1)
    expect(shown.locator(".title")).to_contain_text("Paper 141 ")
    search = page.locator(".head").get_by_role("searchbox")
    search.fill("P141")
    expect(shown).to_have_count(1)
    search.fill('author "141 paper"')  # the paper contains both words, but not next to each other
    expect(shown).to_have_count(0)
    search.fill('author "paper 141 on"')
    expect(shown).to_have_count(1)
    page.keyboard.press("Enter")
    press(page, "/")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(N_PAPERS)
    expect(row(page, 136).locator(".sign")).to_be_focused()  # the paper that was found
    search.fill("author 1")
    expect(shown.first.locator(".title")).to_be_in_viewport()  # although the list was scrolled far down
    search.fill("")
    choose(page, "relevant")
    expect(shown).to_have_count(1)
    expect(shown.locator(".number")).to_have_text("1")
    choose(page, "undecided")
    expect(shown).to_have_count(N_PAPERS - 2)
    expect(page.locator(".grid")).to_have_attribute("aria-rowcount", str(N_PAPERS - 2))
    shown.first.locator(".sign").click()
    expect(shown).to_have_count(N_PAPERS - 2)  # the decided paper stays at the same height
    choose(page, "all")
    choose(page, "list order")
    expect(row(page, 6).locator(".sign")).to_have_text("✓")
    expect(page.locator(".rule-line")).to_have_count(0)  # in the presorted list
    page.locator(".head").get_by_role("searchbox", name="search this list").fill("no such label")
    expect(shown).to_have_count(0)
    page.locator(".none").get_by_role("button", name="show all").click()
    expect(shown).to_have_count(N_PAPERS)


def test_escape_clears_the_search_from_the_list_too(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    shown, hits = page.locator(".row:not([hidden])"), page.locator(".hits")
    press(page, "/")
    page.keyboard.type("paper 141 on")
    page.keyboard.press("Enter")
    press(page, "o")
    expect(shown).to_have_count(1)
    page.keyboard.press("Escape")  # closes the paper first
    expect(shown).to_have_count(1)
    page.keyboard.press("Escape")
    expect(shown).to_have_count(N_PAPERS)
    expect(page.locator(".head").get_by_role("searchbox")).to_have_value("")
    expect(row(page, 136).locator(".sign")).to_be_focused()  # the paper that was found
    expect(hits).to_have_text(re.compile("highlighted"))
    page.keyboard.press("Escape")
    expect(hits).to_be_empty()
    expect(page.locator(".hit")).to_have_count(0)


def test_the_number_of_hits_of_a_long_query_is_visible(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    hits = page.locator(".hits")
    for width in (1280, 400):
        look_as(page, width=width)
        page.locator(".head").get_by_role("searchbox").fill("on wages and by somebody who wrote a long query about it")
        expect(hits).to_have_text("0 hits")
        assert hits.evaluate("element => element.scrollWidth <= element.clientWidth")


def test_undo_shows_the_title_of_a_tall_open_paper(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    page.set_viewport_size({"width": 1280, "height": 400})
    open_list(page, address)
    press(page, "xko")
    expect(page.locator(".answer")).to_contain_text("Why this rank")
    press(page, "jjjjjju")
    expect(row(page, 1).locator(".sign")).to_be_focused()
    top = row(page, 1).locator(".title").bounding_box()["y"]
    head = page.locator(".progress").bounding_box()
    assert head["y"] + head["height"] <= top < 400


def test_one_key_returns_to_the_current_paper(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    back, current = page.locator(".to-place"), page.locator(".row.current .number")
    press(page, "xnjj")
    expect(current).to_have_text("5")
    expect(back).to_have_text(re.compile("3"))  # the paper to continue with
    press(page, "/")
    page.keyboard.type("paper 141 on")
    page.keyboard.press("Enter")
    press(page, "n")  # found by a search, so reading does not continue here
    page.locator(".head").get_by_role("searchbox").fill("")
    expect(current).to_have_text("136")
    page.keyboard.press("Escape")
    press(page, "jj")
    expect(back).to_have_text(re.compile("5"))
    press(page, "g")
    expect(current).to_have_text("5")
    expect(row(page, 5)).to_be_in_viewport()
    row(page, 140).scroll_into_view_if_needed()
    back.click()
    expect(row(page, 3)).to_be_in_viewport()  # the paper to continue with
    press(page, "jj")
    for far in ("relevant", "list order"):
        choose(page, far)
        back.click()
        expect(current).to_have_text("5")
        expect(page.locator(".row:not([hidden])")).to_have_count(N_PAPERS)

    line = row(page, 5).locator(".line")
    expect(line).not_to_contain_text(re.compile(r"Number \d+\.$"))
    press(page, "a")
    expect(line).to_contain_text(re.compile(r"Number \d+\.$"))  # the end of the abstract
    press(page, "a")
    expect(line).not_to_contain_text(re.compile(r"Number \d+\.$"))
    row(page, 5).locator(".sign").evaluate("sign => sign.blur()")  # as after the focused element was removed
    press(page, "t")
    page.keyboard.type("survey")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    press(page, "e")
    page.keyboard.type("Weak.")
    page.keyboard.press("Escape")
    expect(row(page, 5).locator(".labels")).to_have_text("survey")
    expect(row(page, 5).locator(".pen")).to_have_text("✎")


def test_the_server_receives_the_order_and_filters(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    assert log_of(folder, "looked") == []  # everything is read, so there is no announcement
    page.locator(".head").get_by_role("searchbox").press_sequentially("other wages 141", delay=20)
    expect(page.locator(".status")).to_have_text("saved")
    next_reply(page, until=lambda: log_of(folder, "looked")[-1:] == [("other wages 141", "all")])
    assert len(log_of(folder, "looked")) < len("other wages 141")
    choose(page, "undecided")
    chosen = ("other wages 141", "undecided")
    next_reply(page, until=lambda: log_of(folder, "looked")[-1:] == [chosen])
    wait_until_idle(page)
    page.get_by_role("button", name="Redraw the page").click()  # as after a restart of the server, which forgot it
    next_reply(page, until=lambda: log_of(folder, "looked")[-2:] == [chosen, chosen])


def test_a_newly_ranked_list_is_shown_in_ranked_order(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    unsorted = write_list(folder.parent / f"{folder.name}-unsorted", n_papers=20, order=[], rule=None)
    page.goto(f"{address}-unsorted")
    titles = page.locator(".row .title")
    expect(titles).to_have_count(20)
    first = titles.first.text_content()
    page.locator(".head").get_by_role("searchbox").fill("a")
    given = json.loads((unsorted / "papers.json").read_text(encoding="utf-8"))
    (unsorted / "papers.json").write_text(json.dumps(given | {"order": [*range(20, 0, -1)]}), encoding="utf-8")
    wait_until_idle(page)
    page.get_by_role("button", name="Redraw the page").click()
    expect(titles.last).to_have_text(first)
    expect(page.locator(".head").get_by_role("searchbox")).to_have_value("a")


def test_the_list_can_be_filtered_by_tag(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    tags, shown = page.get_by_role("combobox", name="filter by tag"), page.locator(".row:not([hidden])")
    expect(tags).to_be_hidden()  # no paper has a tag
    press(page, "x")
    for place in (2, 5):
        row(page, place).locator(".opener").click()
        row(page, place).get_by_role("checkbox", name="data").check()
    expect(tags.locator("option")).to_have_text(["any tag", "data 2"])
    tags.select_option("data")
    expect(shown.locator(".number")).to_have_text(["2", "5"])
    next_reply(page, until=lambda: log_of(folder, "looked")[-1:] == [("", "all data")])
    assert serious_problems(page, LIST) == []
    search = page.locator(".head").get_by_role("searchbox")
    search.fill("no such label")
    expect(shown).to_have_count(0)
    page.locator(".none").get_by_role("button", name="show all").click()
    expect(shown).to_have_count(N_PAPERS)
    expect(tags).to_have_value("")
    tags.select_option("data")
    row(page, 2).locator(".sign").focus()
    press(page, "u")  # undoes the decision on the first paper, which has no tag
    expect(row(page, 1).locator(".sign")).to_be_focused()
    expect(row(page, 1)).to_be_in_viewport()
    expect(tags).to_have_value("")


def test_the_list_opens_at_the_first_unread_paper(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    row(page, 84).locator(".sign").focus()
    press(page, "h")
    expect(page.locator(".status")).to_have_text("saved")
    expect_panel(page, "84 of 150 read")
    page.reload()
    wait_for_list(page)
    expect(row(page, 85)).to_have_class(re.compile("current"))
    expect(row(page, 85).locator(".title")).to_be_in_viewport()
    expect(row(page, 84).locator(".read-line")).to_be_in_viewport()
    press(page, "n")
    expect_panel(page, "85 of 150 read")


def test_lines_show_the_reading_progress_and_the_stop_point(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    expect(row(page, 20).locator(".rule-line")).to_have_text(SENTENCE)
    expect(page.locator(".below")).to_have_count(N_PAPERS - 19)
    mark = page.locator(".read-line button")
    press(page, "jjx")
    expect(row(page, 3).locator(".read-line")).to_contain_text("3 papers, 2 without a decision")
    press(page, "k")
    expect(mark).to_be_hidden()  # the current paper is read
    press(page, "jj")
    expect(mark).to_contain_text("paper 5")
    mark.click()
    expect_panel(page, "5 of 150 read")
    press(page, "jh")
    expect(row(page, 6).locator(".read-line")).to_be_visible()
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "read") == [("p10", "presort"), ("p11", "presort")]
    page.reload()
    wait_for_list(page)
    expect(row(page, 6).locator(".read-line")).to_be_visible()


@pytest.mark.parametrize("look", [{"scheme": "dark"}, {"width": 400}])
def test_the_list_is_accessible_to_screen_readers(page, lists, look):
    folder, address = lists
    name = f"read-aloud-{'-'.join(look)}"
    write_list(folder / name, n_papers=40)
    look_as(page, **look)
    open_list(page, f"{address}/?list={name}")
    press(page, "xmno")
    expect(page.locator(".answer")).to_contain_text("Why this rank")
    assert fits(page)
    assert serious_problems(page, LIST) == []
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert serious_problems(page, LIST) == []
    page.keyboard.press("Escape")
    expect(row(page, 4).locator(".sign")).to_be_focused()


def test_a_click_on_a_formula_of_a_title_opens_its_paper(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    title = page.locator(".row .title:has(math)")
    title.locator("math").first.click()
    expect(page.locator(".row.open")).to_have_count(1)
    expect(page.locator(".row.open .title math").first).to_be_visible()
