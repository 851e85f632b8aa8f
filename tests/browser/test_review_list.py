"""The review list by itself in a real browser: what a reader sees, and that no decision is lost."""

import json
import random
import sqlite3
import statistics
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from socket import socket

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from desk import launch

PAGE = Path(__file__).parent / "list_page.py"
N_PAPERS = 969
WORDS = ["wages", "jobs", "prices", "trade", "taxes", "models", "firms", "growth", "data", "banks", "schools"]
SENTENCE = "From here the chance of a missed paper is below 5 %."
HOSTILE = [
    "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "الأجور والبطالة في الاقتصاد \u202e txet",
    "Bounds of order $O(n^{2})$ and costs of $5 & more < less > \\LaTeX{}",
    ("A very long title " * 170)[:3000],
]
PAINTED = """
const look = () => {
  const row = document.querySelector("[data-testid=stBidiComponentIsolated]")?.shadowRoot?.querySelector(".row");
  if (!row?.offsetHeight) return requestAnimationFrame(look);
  requestAnimationFrame(() => setTimeout(() => { window.painted = performance.now(); }));
};
look();
"""
PRESS_MANY = """async ([key, n]) => {
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  const times = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    const change = new Promise((seen) => {
      const watch = new MutationObserver(() => { watch.disconnect(); seen(performance.now() - start); });
      watch.observe(root.querySelector(".grid"), { subtree: true, attributes: true, attributeFilter: ["data-word"] });
    });
    const event = new KeyboardEvent("keydown", { key, code: "KeyX", bubbles: true, composed: true, cancelable: true });
    root.activeElement.dispatchEvent(event);
    times.push(await change);
  }
  return times;
}"""


def paper(n, dice):
    return {
        "paper_id": f"p{n}",
        "title": f"Paper {n} on {dice.choice(WORDS)} and {dice.choice(WORDS)}",
        "abstract": " ".join(dice.choices(WORDS, k=150)).capitalize() + f". Number {n}.",
        "authors": [f"Author {n}", "B. Other"],
        "codes": ["J31"],
        "series": "Series 12",
        "date": "2026-11-16",
    }


def write_list(folder, n_papers=N_PAPERS, **changes):
    dice = random.Random(7)
    papers = [paper(n, dice) for n in range(1, n_papers + 1)]
    for one, title in zip(papers, HOSTILE, strict=False):
        one["title"] = title
    order = [*range(6, n_papers + 1), *range(1, 6)]
    given = {
        "papers": papers,
        "order": order,
        "links": {"p6": ["javascript:alert(1)", "doi:10.1000/182", "https://example.org/p6"]},
        "marked": ["wages"],
        "rule": [20, SENTENCE],
        "locked": f"p{N_PAPERS}",
        "drawn": ["p30", "p35", "p40"],
        "is_locked": False,
        **changes,
    }
    folder.mkdir()
    (folder / "papers.json").write_text(json.dumps(given), encoding="utf-8")
    return folder


PRESS_AND_LOOK = """key => {
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  root.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
  return root.querySelector(".panel").innerText;
}"""


@contextmanager
def serving_list(folder, port=None):
    if port is None:
        with socket() as probe:
            probe.bind((launch.LOCALHOST, 0))
            port = probe.getsockname()[1]
    command = [word if word != str(app()) else str(PAGE) for word in launch.command(launch.LOCALHOST, port)]
    server = subprocess.Popen([*command, "--", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert any("URL:" in line for line in server.stdout)
        yield server, port
    finally:
        server.kill()
        server.communicate()


def app():
    return Path(launch.command(launch.LOCALHOST, 0)[4])


@pytest.fixture(scope="module")
def lists(tmp_path_factory):
    """The folder of all lists, and the address of the server that shows them."""
    folder = tmp_path_factory.mktemp("lists")
    with serving_list(folder) as (_, port):
        yield folder, f"http://{launch.LOCALHOST}:{port}"


@pytest.fixture
def drawn(lists, request):
    """A list of its own for a test that shares the server: its folder and its address."""
    folder, address = lists
    name = request.node.name
    return write_list(folder / name), f"{address}/?list={name}"


@pytest.fixture
def quiet_page(page):
    """A page that may not complain."""
    complaints = []
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    yield page
    assert complaints == []


def open_list(page, address):
    page.goto(address)
    wait_for_list(page)


def wait_for_list(page):
    # The rule comes with the first reply. `expect` would describe the whole page while it waits: that takes seconds.
    page.locator(".rule-line").wait_for()
    expect(page.locator(".status")).to_have_text("saved")


def row(page, place):
    return page.locator(".row").nth(place - 1)


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def log_of(folder, kind="word", what="value"):
    with closing(sqlite3.connect(folder / "log.db", timeout=10)) as log:
        return log.execute(f"select paper, {what} from log where kind = ? order by n", [kind]).fetchall()


def next_reply(page, until=lambda: True):
    """Wait for another reply, and as long as it takes for some until something is true."""
    for _ in range(20):
        n = page.evaluate("window.presortLines.list.reply.n")
        page.wait_for_function("n => window.presortLines.list.reply.n > n", arg=n)
        if until():
            return
    raise AssertionError("It did not come true.")


def said(page):
    return page.locator(".unseen")


def counts(page):
    texts = page.get_by_role("group", name="show").get_by_role("button").all_inner_texts()
    return {name: int(n) for name, n in (text.split() for text in texts)}


def choose(page, name):
    page.locator(".choice").get_by_role("button", name=name).click()


def test_keys_decide_at_once_and_are_saved(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "x")
    expect(said(page)).to_have_text("relevant, 1 chosen")
    press(page, "mnj kx")  # the last takes back what space said
    expect(said(page)).to_have_text("undecided, 1 chosen")
    for place, sign in enumerate(("✓", "?", "✗", "", ""), start=1):
        expect(row(page, place).locator(".sign")).to_have_text(sign)
    expect(page.locator(".status")).to_have_text("saved")
    decided = [("p6", "yes"), ("p7", "maybe"), ("p8", "no"), ("p10", "yes"), ("p10", "undecided")]
    assert log_of(folder) == decided
    press(page, "uuu")
    expect(said(page)).to_have_text("undone: undecided, 1 chosen")
    assert counts(page) == {"all": 969, "undecided": 967, "relevant": 1, "maybe": 1, "no": 0}
    expect(row(page, 3).locator(".sign")).to_be_focused()
    press(page, "uuu")
    expect(said(page)).to_have_text("nothing to undo")
    expect(page.locator(".status")).to_have_text("saved")
    undone = [("p10", "yes"), *((paper, "undecided") for paper in ("p10", "p8", "p7", "p6"))]
    assert log_of(folder) == decided + undone


def test_a_click_anywhere_in_the_cell_decides_and_keys_go_on_from_there(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    cell = row(page, 2).locator(".decision")
    cell.click(position={"x": 2, "y": 1})
    expect(row(page, 2).locator(".sign")).to_have_attribute("aria-pressed", "true")
    cell.click()
    expect(row(page, 2).locator(".sign")).to_have_attribute("aria-pressed", "false")
    press(page, "m")
    expect(row(page, 2).locator(".sign")).to_have_attribute("aria-pressed", "mixed")
    expect(row(page, 3).locator(".sign")).to_be_focused()
    page.keyboard.press("Control+x")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder) == [("p7", "yes"), ("p7", "undecided"), ("p7", "maybe")]


def panel(page):
    return page.get_by_role("region", name="How far you have come")


def expect_panel(page, text):
    expect(panel(page)).to_contain_text(text, use_inner_text=True)


def filled(page):
    """Give the share of the chart that stands as read."""
    return float(page.locator(".read").evaluate("path => path.style.getPropertyValue('--read')"))


def test_progress_changes_with_the_key_and_the_light_with_the_reply(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    expect_panel(page, "read to here 0 of 969 relevant 0 maybe 0")
    expect_panel(page, "chance that all were seen 0 %")
    expect_panel(page, "Green: a relevant paper probably remains; red expected near paper 19.")
    expect(panel(page).get_by_text("time spent")).to_be_hidden()
    press(page, "jj")
    at_once = page.evaluate(PRESS_AND_LOOK, "x")
    assert "read to here 3 of 969" in at_once
    assert "relevant 1" in at_once
    assert "chance that all were seen 0 %" in at_once  # as it was, until the reply
    expect_panel(page, "chance that all were seen 30 % time spent 1 min")
    assert filled(page) == pytest.approx(3 / N_PAPERS)
    chart = panel(page).get_by_role("img")
    told = "Scores from the first to the last paper: 3 of 969 read, red expected near paper 19"
    expect(chart).to_have_attribute("aria-label", told)
    expect(chart.locator("line")).to_have_attribute("x1", "19")
    press(page, "mn")
    expect_panel(page, "read to here 5 of 969 relevant 1 maybe 1")
    expect_panel(page, "Red: you may stop.")
    expect(said(page)).to_have_text("Red: you may stop.")
    press(page, "uuu")
    expect_panel(page, "read to here 0 of 969 relevant 0 maybe 0")
    next_reply(page)  # brings nothing new
    next_reply(page)
    expect_panel(page, "chance that all were seen 90 % time spent 3 min")


def test_the_level_is_a_choice_that_stays(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    levels = panel(page).get_by_role("group", name="your level").get_by_role("button")
    assert levels.all_inner_texts() == ["80 %", "90 %", "95 %", "99 %"]
    expect(levels.nth(2)).to_have_attribute("aria-pressed", "true")
    levels.first.click()
    assert levels.first.get_attribute("aria-pressed") == "true"
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "level") == [(None, "80")]
    page.reload()
    wait_for_list(page)
    expect(levels.first).to_have_attribute("aria-pressed", "true")
    expect(levels.nth(2)).to_have_attribute("aria-pressed", "false")


def test_in_list_order_there_is_no_light(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "x")
    choose(page, "as received")
    expect_panel(page, "no traffic light: in list order, it can't tell how far to read")
    expect_panel(page, "relevant 1 maybe 0")
    for part in ("Green:", "chance that all were seen", "your level", "Ten at random from the rest"):
        expect(panel(page).get_by_text(part)).to_be_hidden()
    expect(panel(page).get_by_role("img")).to_be_hidden()
    choose(page, "presort")
    expect_panel(page, "Green: a relevant paper probably remains")
    write_list(folder.parent / f"{folder.name}-unsorted", n_papers=20, order=[], rule=None)
    page.goto(f"{address}-unsorted")
    expect_panel(page, "no traffic light: in list order")
    press(page, "jx")
    expect_panel(page, "read to here 2 of 20 relevant 1")


def test_a_decision_tells_how_far_one_read_only_in_its_own_order(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "jx")
    choose(page, "as received")
    expect_panel(page, "read to here 0 of 969")
    expect(page.locator(".read-line")).to_have_count(0)
    row(page, 3).locator(".decision").click()  # at place 967 of the presorted list
    expect_panel(page, "read to here 3 of 969")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, what="list") == [("p7", "presort"), ("p3", "received")]
    for _ in range(2):  # as this page knows it, and as the server does
        choose(page, "presort")
        expect_panel(page, "read to here 2 of 969 relevant 2")
        expect(row(page, 2).locator(".read-line")).to_be_visible()
        page.reload()
        wait_for_list(page)
    at = row(page, 967)
    expect(at.locator(".sign")).to_have_text("✓")
    at.locator(".sign").focus()
    assert "read to here 967 of 969" in page.evaluate(PRESS_AND_LOOK, "m")
    expect(page.locator(".status")).to_have_text("saved")
    expect_panel(page, "read to here 967 of 969 relevant 1 maybe 1")


def test_papers_drawn_from_the_rest_are_shown_by_themselves_until_all_are_decided(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "xx")
    shown = page.locator(".row:not([hidden])")
    drawn_only = page.locator(".choice button", has_text="drawn")
    drawing = page.locator(".panel button", has_text="Ten at random from the rest")
    assert drawn_only.is_hidden()
    drawing.press("Enter")
    drawn_only.wait_for()
    expect(drawn_only).to_have_attribute("aria-pressed", "true")
    expect(shown).to_have_count(3)
    assert shown.locator(".number").all_inner_texts() == ["25", "30", "35"]
    expect_panel(page, "3 of those drawn left to decide")
    expect(drawing).to_be_hidden()
    expect(shown.first.locator(".sign")).to_be_focused()
    assert log_of(folder, "draw") == [(None, None)]
    assert "read to here 2 of 969" in page.evaluate(PRESS_AND_LOOK, "x")
    expect_panel(page, "2 of those drawn left to decide")
    expect(shown).to_have_count(3)
    page.reload()
    wait_for_list(page)
    expect(shown).to_have_count(3)
    expect_panel(page, "read to here 2 of 969 relevant 3")
    shown.nth(1).locator(".decision").click()
    press(page, "jn")
    expect_panel(page, "0 of those drawn left to decide")
    page.reload()
    wait_for_list(page)
    expect(shown).to_have_count(N_PAPERS)
    assert counts(page)["drawn"] == 3
    choose(page, "drawn")
    expect(shown).to_have_count(3)


def test_the_server_knows_what_is_shown(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    assert log_of(folder, "looked") == []  # all of it: nothing to tell
    page.locator(".head").get_by_role("searchbox").press_sequentially("other wages 960", delay=20)
    expect(page.locator(".status")).to_have_text("saved")
    next_reply(page, until=lambda: log_of(folder, "looked")[-1:] == [("other wages 960", "all")])
    assert len(log_of(folder, "looked")) < len("other wages 960")
    choose(page, "undecided")
    chosen = ("other wages 960", "undecided")
    next_reply(page, until=lambda: log_of(folder, "looked")[-1:] == [chosen])
    page.get_by_role("button", name="Draw the page anew").click()  # as after a restart: the server forgot it
    next_reply(page, until=lambda: log_of(folder, "looked")[-2:] == [chosen, chosen])


def test_a_list_that_went_out_takes_notes_and_tags_but_no_decisions(quiet_page, lists):
    page, (folder, address) = quiet_page, lists
    folder = write_list(folder / "gone-out", n_papers=60, is_locked=True)
    open_list(page, f"{address}/?list=gone-out")
    expect_panel(page, "this issue has gone out: decisions can't be changed any more")
    for part in ("Green:", "chance that all were seen", "your level"):
        expect(panel(page).get_by_text(part)).to_be_hidden()
    expect(row(page, 1).locator(".sign")).to_have_attribute("aria-disabled", "true")
    press(page, "x")
    expect(said(page)).to_contain_text("this issue has gone out")
    row(page, 2).locator(".decision").click()
    press(page, "ho")
    row(page, 2).get_by_role("checkbox", name="data").check()
    row(page, 2).get_by_role("textbox", name="note").fill("late")
    page.keyboard.press("Escape")
    expect(row(page, 2).locator(".pen")).to_have_text("✎")
    expect(page.locator(".status")).to_have_text("saved")
    page.locator(".head").get_by_role("searchbox").fill("author 50")
    expect(page.locator(".row:not([hidden])")).to_have_count(1)
    choose(page, "relevant")
    expect(page.locator(".row:not([hidden])")).to_have_count(0)
    assert (log_of(folder, "tags"), log_of(folder, "note")) == ([("p7", '["data"]')], [("p7", "late")])
    assert (log_of(folder), log_of(folder, "read")) == ([], [])


def test_a_tag_typed_on_one_paper_is_offered_on_all(page, chromium, drawn):
    folder, address = drawn
    open_list(page, address)
    press(page, "ojo")
    field = row(page, 1).get_by_role("textbox", name="add a tag")
    field.fill(" <b>labour</b> supply ")
    field.press("Enter")
    field.fill("x" * 99 + "yz")
    field.press("Enter")
    field.fill("theory")
    field.press("Enter")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    tags = ["<b>labour</b> supply", "x" * 99 + "y", "theory"]
    expect(row(page, 1).locator(".labels")).to_have_text(" · ".join(tags))
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "tags")[-1] == ("p6", json.dumps(tags))
    other = chromium.new_context().new_page()
    open_list(other, address)
    press(other, "jo")
    for one in (page, other):
        offered = row(one, 2).get_by_role("checkbox")
        expect(offered).to_have_count(4)
        assert not any(box.is_checked() for box in offered.all())
    row(other, 2).get_by_role("checkbox", name="<b>labour</b> supply").check()
    expect(row(page, 2).get_by_role("checkbox", name="<b>labour</b> supply")).to_be_checked()
    other.context.close()


def test_a_paper_takes_fifty_tags(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "o")
    field = row(page, 1).get_by_role("textbox", name="add a tag")
    for n in range(51):
        field.fill(f"tag {n}")
        field.press("Enter")
    expect(said(page)).to_have_text("a paper can have at most 50 tags")
    expect(row(page, 1).get_by_role("checkbox", checked=True)).to_have_count(50)
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "tags")[-1] == ("p6", json.dumps([f"tag {n}" for n in range(50)]))


def test_a_burst_of_keys_is_saved_whole_and_without_the_papers(quiet_page, drawn, capsys):
    page, (folder, address) = quiet_page, drawn
    frames = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(len(data))))
    page.add_init_script(PAINTED)
    open_list(page, address)
    painted = page.evaluate("window.painted")
    assert max(frames) > 100_000  # the papers came
    frames.clear()
    times = page.evaluate(PRESS_MANY, ["x", 200])
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder) == [(f"p{n}", "yes") for n in range(6, 206)]
    page.get_by_role("button", name="Draw the page anew").click()
    row(page, 201).locator(".decision").click()
    expect(page.locator(".status")).to_have_text("saved")
    assert counts(page)["relevant"] == 201
    assert max(frames) < 30_000  # not again
    middle, worst = statistics.median(times), max(times)
    figures = f"rows painted after {painted:.0f} ms; key to change {middle:.1f} ms in the middle, {worst:.1f} at worst"
    with capsys.disabled():
        sys.stdout.write(f"\n{figures}\n")
    assert painted < 10_000
    assert middle < 100


def test_hostile_texts_are_text(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    choose(page, "as received")
    for place, title in enumerate(HOSTILE, start=1):
        assert row(page, place).locator(".title").evaluate("element => element.textContent") == title
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
    press(page, "xmj/")
    page.keyboard.type("other 960 author")
    shown = page.locator(".row:not([hidden])")
    expect(shown).to_have_count(1)
    expect(shown.locator(".title")).to_contain_text("Paper 960 ")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(N_PAPERS)
    expect(row(page, 955).locator(".sign")).to_be_focused()  # the paper that was found
    choose(page, "relevant")
    expect(shown).to_have_count(1)
    expect(shown.locator(".number")).to_have_text("1")
    choose(page, "undecided")
    expect(shown).to_have_count(N_PAPERS - 2)
    expect(page.locator(".grid")).to_have_attribute("aria-rowcount", str(N_PAPERS - 2))
    shown.first.locator(".decision").click()
    expect(shown).to_have_count(N_PAPERS - 2)  # what was decided stays under the eye
    choose(page, "all")
    choose(page, "as received")
    expect(row(page, 6).locator(".sign")).to_have_text("✓")
    expect(page.locator(".rule-line")).to_have_count(0)  # it is of the presorted list
    page.locator(".head").get_by_role("searchbox", name="search in this list").fill("no such word")
    expect(shown).to_have_count(0)
    page.locator(".none").get_by_role("button", name="show all").click()
    expect(shown).to_have_count(N_PAPERS)


def test_lines_show_how_far_one_read_and_where_one_may_stop(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    expect(row(page, 20).locator(".rule-line")).to_have_text(SENTENCE)
    expect(page.locator(".below")).to_have_count(N_PAPERS - 19)
    press(page, "jjx")
    expect(row(page, 3).locator(".read-line")).to_have_text("you have read to here")
    press(page, "jjh")
    expect(row(page, 6).locator(".read-line")).to_be_visible()
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "read") == [("p11", "presort")]
    page.reload()
    wait_for_list(page)
    expect(row(page, 6).locator(".read-line")).to_be_visible()


def test_an_open_paper_takes_tags_and_a_note_and_keys_stay_out_of_its_fields(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "o")
    expect(row(page, 1).locator(".abstract")).to_contain_text("Number 6.")
    expect(row(page, 1).locator(".abstract mark").first).to_have_text("wages", ignore_case=True)
    row(page, 1).get_by_role("checkbox", name="theory").check()
    row(page, 1).get_by_role("textbox", name="note").fill("")
    page.keyboard.type("xmn u/?")
    page.keyboard.press("Escape")
    expect(row(page, 1).locator(".sign")).to_be_focused()
    expect(row(page, 1).locator(".aside")).to_contain_text("theory✎")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "note") == [("p6", "xmn u/?")]
    assert log_of(folder, "tags") == [("p6", '["theory"]')]
    assert log_of(folder) == []
    page.keyboard.press("Escape")
    expect(row(page, 1).locator(".details")).to_have_count(0)
    page.reload()
    wait_for_list(page)
    expect(row(page, 1).locator(".aside")).to_contain_text("theory✎")


def test_two_browsers_see_each_other_and_a_refused_decision_goes_back(page, chromium, drawn):
    _, address = drawn
    open_list(page, address)
    other = chromium.new_context().new_page()
    open_list(other, address)
    press(other, "xm")
    expect(row(page, 1).locator(".sign")).to_have_text("✓")
    expect(row(page, 2).locator(".sign")).to_have_text("?")
    press(page, "n")  # has the last word on the first
    expect(row(other, 1).locator(".sign")).to_have_text("✗")
    last = row(page, N_PAPERS - 5)
    last.locator(".decision").click()
    expect(page.locator(".status")).to_have_text("not saved: this paper can't be decided")
    expect(last.locator(".sign")).to_have_text("")
    other.context.close()


def test_nothing_is_lost_when_the_server_is_killed(page, tmp_path):
    folder = write_list(tmp_path / "killed")
    with serving_list(tmp_path) as (server, port):
        address = f"http://{launch.LOCALHOST}:{port}/?list=killed"
        open_list(page, address)
        press(page, "xx")
        expect(page.locator(".status")).to_have_text("saved")
        press(page, "mn")
        server.kill()
        press(page, "xx")
        expect(page.locator(".status")).to_have_text("not connected: 4 decisions kept here, sending again…")
        expect(page.locator("[data-testid=stDialog]")).to_have_count(0)  # Streamlit's own word on it is not in the way
        press(page, "x")
        expect(page.locator(".status")).to_have_text("not connected: 5 decisions kept here, sending again…")
        choose(page, "undecided")  # what is looked at is none of them
        choose(page, "all")
        expect(page.locator(".status")).to_have_text("not connected: 5 decisions kept here, sending again…")
    warnings = []
    page.on("dialog", lambda dialog: (warnings.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    expect(page.locator(".row")).to_have_count(N_PAPERS)  # still here, as the reader wished
    assert warnings == ["beforeunload"]
    with serving_list(tmp_path, port):
        expect(page.locator(".status")).to_have_text("saved")
        words = ("yes", "yes", "maybe", "no", "yes", "yes", "yes")
        assert log_of(folder) == [(f"p{n}", word) for n, word in enumerate(words, start=6)]


def test_what_a_closed_tab_kept_is_sent_when_the_list_is_opened_again(page, tmp_path):
    folder = write_list(tmp_path / "closed")
    with serving_list(tmp_path) as (server, port):
        address = f"http://{launch.LOCALHOST}:{port}/?list=closed"
        open_list(page, address)
        server.kill()
        press(page, "xm")
    context = page.context
    page.close()
    with serving_list(tmp_path, port):
        later = context.new_page()
        open_list(later, address)
        expect(row(later, 1).locator(".sign")).to_have_text("✓")
        expect(row(later, 2).locator(".sign")).to_have_text("?")
        assert log_of(folder) == [("p6", "yes"), ("p7", "maybe")]


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, {"viewport": {"width": 400, "height": 800}}])
def test_nothing_stands_in_the_way_of_a_screen_reader(chromium, lists, look):
    folder, address = lists
    name = f"read-aloud-{'-'.join(look)}"
    write_list(folder / name, n_papers=40)
    context = chromium.new_context(**look)
    page = context.new_page()
    open_list(page, f"{address}/?list={name}")
    press(page, "xmno")
    expect(page.locator(".answer")).to_contain_text("Why it is here")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_problems(page) == []
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert serious_problems(page) == []
    page.keyboard.press("Escape")
    expect(row(page, 4).locator(".sign")).to_be_focused()
    context.close()


def serious_problems(page):
    found = Axe().run(page, context=[".stBidiComponent"], options={"resultTypes": ["violations"]})
    return [one["id"] for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
