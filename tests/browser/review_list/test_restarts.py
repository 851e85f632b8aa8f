"""A server that is restarted repeatedly: the open page saves everything without user action."""

from contextlib import ExitStack

from playwright.sync_api import expect

from presort.desk.web import launch
from tests.browser.pages import wait_until_true
from tests.browser.review_list.lists import log_of, open_list, press, serving_list, write_list

N_RESTARTS = 6


def test_everything_is_saved_after_six_quick_restarts_without_a_reload(page, tmp_path):
    folder = write_list(tmp_path / "restless")
    with ExitStack() as first:
        _, port = first.enter_context(serving_list(tmp_path))
        open_list(page, f"http://{launch.LOCALHOST}:{port}/?list=restless")
        page.evaluate("window.isSamePage = true")
        press(page, "x")
    for number in range(N_RESTARTS):
        press(page, "x")  # while no server is running
        with serving_list(tmp_path, port):
            press(page, "m")
            if number % 2:  # every other server ends before the page has found it
                expect(page.locator(".status")).to_have_text("saved")
    with serving_list(tmp_path, port):
        press(page, "n")
        expect(page.locator(".status")).to_have_text("saved")
        wait_until_true(page, "() => window.presortChannels.list.response.n !== null")
        assert page.evaluate("window.isSamePage")
    words = ["yes", *["yes", "maybe"] * N_RESTARTS, "no"]
    assert log_of(folder) == [(f"p{n}", word) for n, word in enumerate(words, start=6)]
