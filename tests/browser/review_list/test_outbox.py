"""In a real browser without a server: a closed list sends its unsaved entries until a newer list takes them over."""

import pytest

from presort.desk.components.scripts import script

BEGIN = """async script => {
    const address = URL.createObjectURL(new Blob([script + "; export { Outbox };"], { type: "text/javascript" }));
    const { Outbox } = await import(address);
    window.sent = [];
    const send = ({ entries }, { hasPage }) => sent.push([entries.map(({ text }) => text), hasPage]);
    window.presortChannels = { list: { send } };
    const listener = { onResponse: () => {}, onState: () => {}, isCurious: () => false };
    window.opened = () => {
        const outbox = new Outbox("list", listener);
        outbox.open();
        return outbox;
    };
    window.first = opened();
    first.add({ kind: "explain", paper: "p1" });
    first.add({ kind: "noted", paper: "p1", text: "Weak." });
}"""
SAVE = """() => {
    const acknowledged = [...presortChannels.list.outbox.entries.keys()];
    presortChannels.list.outbox.receive({ n: null, since: null, upTo: 1, acknowledged, refused: {}, trouble: "" });
}"""
HALF_A_MINUTE = 30_000  # milliseconds


@pytest.fixture(params=["http://localhost", "about:blank"], ids=["with-storage", "without"])
def left(request, chromium):
    """Page with a stopped clock, about to leave a list with a note that was not sent yet."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.route("**", lambda route: route.fulfill(content_type="text/html"))
        page.goto(request.param)
        page.clock.install()
        page.evaluate(BEGIN, script("outbox"))
        yield page


def sent(page):
    return page.evaluate("sent")


def test_a_closed_list_sends_unsaved_entries_at_once_and_retries(left):
    left.evaluate("first.close()")
    assert sent(left) == [[["Weak."], False]]  # sent without delay, and not through the page, which has changed
    left.clock.run_for(HALF_A_MINUTE)
    n_sent = len(sent(left))
    assert n_sent > 5
    left.evaluate(SAVE)
    left.clock.run_for(HALF_A_MINUTE)
    assert len(sent(left)) == n_sent
    assert left.evaluate("opened().unsaved") == 0


def test_a_reopened_list_takes_over_the_outbox_of_the_previous_one(left):
    left.evaluate("first.close(); opened(); undefined")
    left.clock.run_for(HALF_A_MINUTE)
    assert [has_page for _, has_page in sent(left)].count(False) == 1
    assert {text for texts, _ in sent(left) for text in texts} == {"Weak."}
    left.evaluate(SAVE)
    n_sent = len(sent(left))
    left.clock.run_for(HALF_A_MINUTE)
    assert all(texts == [] for texts, _ in sent(left)[n_sent:])


def test_a_closed_list_sends_nothing_if_a_newer_one_is_open(left):
    left.evaluate("opened(); first.close()")
    assert sent(left) == []


def test_stored_entries_stay_in_order_after_the_clock_was_set_back(left):
    order = left.evaluate(
        """() => {
            for (const entry of first.entries.values()) {
                entry.at += 1e9; // when the clock was ahead
                first.withStorage((storage) => storage.setItem(first.prefix + entry.id, JSON.stringify(entry)));
            }
            opened().add({ kind: "noted", paper: "p1", text: "Strong." });
            return [...opened().entries.values()].filter(({ kind }) => kind === "noted").map(({ text }) => text);
        }"""
    )
    assert order == ["Weak.", "Strong."]


def test_an_entry_removed_by_another_window_while_a_list_opens_is_skipped(left):
    n_entries = left.evaluate(
        """() => {
            Storage.prototype.getItem = () => null; // removed after its name was listed
            window.presortChannels.list.outbox = null; // as in another window
            return opened().entries.size;
        }"""
    )
    assert n_entries == 0
