"""Two browsers, lost connections and restarted servers: no decision of the review list is lost."""

import json

from playwright.sync_api import expect

from presort.desk.web import launch
from tests.browser.pages import wait_until_idle, wait_until_true
from tests.browser.review_list.lists import N_PAPERS, choose, log_of, open_list, press, row, serving_list, write_list


def test_two_browsers_see_each_others_decisions_and_a_refused_one_is_reverted(page, other_page, drawn):
    _, address = drawn
    open_list(page, address)
    open_list(other_page, address)
    press(other_page, "xm")
    expect(row(page, 1).locator(".sign")).to_have_text("✓")
    expect(row(page, 2).locator(".sign")).to_have_text("?")
    press(page, "n")  # has the last label on the first paper
    expect(row(other_page, 1).locator(".sign")).to_have_text("✗")
    last = row(page, N_PAPERS - 5)
    last.locator(".sign").click()
    expect(page.locator(".status")).to_have_text("not saved: this paper can't be decided")
    expect(last.locator(".sign")).to_have_text("")


def test_a_busy_page_is_not_mistaken_for_a_lost_connection(page, drawn):
    folder, address = drawn
    held = []

    def hold(socket):
        server = socket.connect_to_server()
        socket.on_message(lambda message: held.append(message) if is_busy else server.send(message))

    is_busy = False
    page.route_web_socket("**/_stcore/stream", hold)
    open_list(page, address)
    is_busy = True
    page.route(
        "**/channels/*", lambda route: route.fulfill(status=404)
    )  # as if the page had a new channel in the meantime
    press(page, "x")
    for _ in range(3):  # the last one is sent because an earlier one got no response
        with page.expect_request("**/channels/*"):
            pass
    expect(page.locator(".status")).to_have_text("saving 1…")
    assert held
    page.unroute("**/channels/*")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder) == [("p6", "yes")]


def test_a_list_over_the_rate_limit_waits_and_retries(page, drawn):
    folder, address = drawn
    open_list(page, address)
    asked = []

    def refuse_once(route):
        asked.append(route.request.post_data)
        if len(asked) == 1:
            route.fulfill(status=429, headers={"Retry-After": "1"}, body="too often")
        else:
            route.continue_()

    page.route("**/channels/*", refuse_once)
    with page.expect_response("**/channels/*") as refused:
        press(page, "x")
    assert refused.value.status == 429
    expect(page.locator(".status")).to_have_text("saving 1…")  # neither lost nor sent by the page instead
    assert log_of(folder) == []
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder) == [("p6", "yes")]
    assert len(asked) == 2


def test_long_notes_in_chinese_are_saved(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    text = "工资和工作" * 1_600  # 24,000 bytes: three times that exceeds what a browser sends while leaving a page
    for place in (1, 2, 3):
        row(page, place).locator(".opener").click()
        row(page, place).get_by_role("textbox", name="note").fill(text)
    page.keyboard.press("Escape")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "note") == [("p6", text), ("p7", text), ("p8", text)]


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
        expect(page.locator(".status")).to_have_text("not connected: 4 decisions stored in this browser, retrying…")
        expect(page.locator("[data-testid=stDialog]")).to_have_count(0)  # Streamlit's own label does not cover it
        press(page, "x")
        expect(page.locator(".status")).to_have_text("not connected: 5 decisions stored in this browser, retrying…")
        choose(page, "undecided")  # the decided paper is not among those shown
        choose(page, "all")
        expect(page.locator(".status")).to_have_text("not connected: 5 decisions stored in this browser, retrying…")
    warnings = []
    page.on("dialog", lambda dialog: (warnings.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    expect(page.locator(".row")).to_have_count(N_PAPERS)  # still shown, as chosen by the user
    assert warnings == ["beforeunload"]
    with serving_list(tmp_path, port):
        expect(page.locator(".status")).to_have_text("saved")
        words = ("yes", "yes", "maybe", "no", "yes", "yes", "yes")
        assert log_of(folder) == [(f"p{n}", word) for n, word in enumerate(words, start=6)]


def test_an_idle_page_reconnects_to_a_new_server(page, tmp_path):
    folder = write_list(tmp_path / "restarted")
    with serving_list(tmp_path) as (_, port):
        open_list(page, f"http://{launch.LOCALHOST}:{port}/?list=restarted")
        wait_until_true(page, "() => window.presortChannels.list.response.n !== null")  # to the list's request
        page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")  # so that it stops polling
        page.get_by_role("button", name="Redraw the page").click()
        wait_until_true(page, "() => window.presortChannels.list.response.n === null")
        wait_until_idle(page)
    with serving_list(tmp_path, port):
        row(page, 1).locator(".sign").click()
        expect(page.locator(".status")).to_have_text("saved")
        assert log_of(folder) == [("p6", "yes")]


def test_entries_of_a_closed_tab_are_sent_with_their_order_when_the_list_is_reopened(page, tmp_path):
    folder = write_list(tmp_path / "closed")
    with serving_list(tmp_path) as (server, port):
        address = f"http://{launch.LOCALHOST}:{port}/?list=closed"
        open_list(page, address)
        server.kill()
        press(page, "xm")
    context = page.context
    page.close()
    given = json.loads((folder / "papers.json").read_text(encoding="utf-8"))
    sorted_again = {**given, "order": given["order"][::-1], "ranking": 2}
    (folder / "papers.json").write_text(json.dumps(sorted_again), encoding="utf-8")
    with serving_list(tmp_path, port):
        later = context.new_page()
        open_list(later, address)
        expect(row(later, N_PAPERS).locator(".sign")).to_have_text("✓")
        expect(row(later, N_PAPERS - 1).locator(".sign")).to_have_text("?")
        press(later, "n")
        expect(later.locator(".status")).to_have_text("saved")
        first = sorted_again["papers"][sorted_again["order"][0] - 1]["paper_id"]
        assert log_of(folder) == [("p6", "yes"), ("p7", "maybe"), (first, "no")]
        assert log_of(folder, what="ranking") == [("p6", 1), ("p7", 1), (first, 2)]
