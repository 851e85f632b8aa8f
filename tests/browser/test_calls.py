"""In a real browser: a component called twice at once remains after the first call ends, not after the second."""

import pytest

from presort.data.records import Paper
from presort.desk.components import review_list
from presort.desk.components.scripts import script

LISTED = {"papers": [{"position": 1, "title": "Wages", "authors": "Ann Lee"}], "answered": None}
TWICE = """async ([scripts, data]) => {
    document.body.innerHTML = '<div data-testid="stApp" data-test-connection-state="CONNECTED"></div>';
    const app = document.body.firstChild;
    const { default: draw } = await import(URL.createObjectURL(new Blob([scripts], { type: "text/javascript" })));
    const parentElement = document.body.appendChild(document.createElement("div"));
    let nSent = 0;
    const given = { data: Array.isArray(data) ? Uint8Array.from(data) : data, parentElement };
    const call = () => draw({ ...given, setTriggerValue: () => (nSent += 1) });
    const comesBack = async () => {
        for (const state of ["DISCONNECTED", "CONNECTED"]) {
            app.dataset.testConnectionState = state;
            await new Promise((done) => setTimeout(done));
        }
        const seen = [parentElement.childElementCount > 0, nSent];
        nSent = 0;
        return seen;
    };
    const [first, second] = [call(), call()];
    (await first)();
    await second;
    const seen = await comesBack();
    (await second)();
    return [seen, await comesBack()];
}"""


@pytest.fixture
def blank(chromium):
    with chromium.new_context() as context:
        yield context.new_page()


def called_twice(page, name, data):
    """Return, after the first and the second call, whether the component is present and how often it sent."""
    return page.evaluate(TWICE, [script(name), data])


def test_the_list_of_an_issue(blank, monkeypatch):
    given = {}
    monkeypatch.setattr(review_list, "LIST", lambda **arguments: given.update(arguments))
    review_list.review_list([Paper("p1", "Wages")], order=[], key="a-list")
    assert called_twice(blank, "mount", list(given["data"])) == [[True, 0], [False, 0]]


def test_the_list_in_order(blank):
    assert called_twice(blank, "order_list", LISTED) == [[True, 0], [False, 0]]


def test_the_component_that_reconnects(blank):
    assert called_twice(blank, "connection", None) == [[False, 1], [False, 0]]
