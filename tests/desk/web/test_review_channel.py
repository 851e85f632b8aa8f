"""The endpoint for entries of review lists: access, responses and refused messages."""

import gc
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Semaphore

import anyio
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from presort.data.records import Identity
from presort.desk.components.messages import ViewEntry
from presort.desk.components.response import ReviewResponse
from presort.desk.limits import Limit, Rate
from presort.desk.web import review_channel
from presort.desk.web.guard import Guard
from presort.desk.web.review_channel import CHANNELS, ReviewChannel
from presort.desk.web.sign_in_door import SignInDoor
from presort.desk.web.token_door import TokenDoor, cookie_name
from tests.desk.web.test_sign_in import signed

DESK = "https://desk.example.org"
ANN = Identity("https://id.example.org", "ann")
KEY = {"Cookie": f"{cookie_name('token')}=token", "Origin": DESK}
ENTRY = {
    "id": "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11",
    "kind": "decided",
    "paper": "a",
    "label": "yes",
    "order": "presort",
}
FOREIGN = "Refused a request to a review list from an account other than the one that opened it."
MESSAGE = {"n": 4, "seen": 2, "entries": [ENTRY]}


class Receiving:
    """Receiver that records the entries and returns a given response."""

    def __init__(self, **response):
        self.got = []
        self.response = ReviewResponse(**{"up_to": 7, **response})

    def __call__(self, request):
        self.got += request.entries
        return self.response


@pytest.fixture
def desk():
    """Client of a desk without sign-in."""
    return client(TokenDoor("token"), is_local=True)


def client(door, **given):
    app = Starlette(
        routes=[review_channel.route(door)], middleware=[Middleware(Guard, door=door, origins=[DESK], **given)]
    )
    return TestClient(app, DESK, raise_server_exceptions=False)


def test_entries_of_a_list_are_received_and_acknowledged(desk):
    receiving = Receiving(labels={"a": "yes"})
    channel = ReviewChannel(receiving)
    answer = desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=KEY)
    assert answer.status_code == 200
    assert [entry.paper_id for entry in receiving.got] == ["a"]
    response = answer.json()
    assert (response["n"], response["since"], response["upTo"], response["labels"]) == (4, 2, 7, {"a": "yes"})
    assert (response["acknowledged"], response["refused"]) == ([ENTRY["id"]], {})


@pytest.mark.parametrize(
    ("response", "refused"),
    [
        pytest.param({"trouble": "The disk is full."}, {}, id="nothing-can-be-saved"),
        pytest.param(
            {"refused": {ENTRY["id"]: "gone out"}}, {ENTRY["id"]: "gone out"}, id="this-entry-cannot-be-saved"
        ),
    ],
)
def test_unsaved_entries_are_not_acknowledged(desk, response, refused):
    channel = ReviewChannel(Receiving(**response))
    answer = desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=KEY).json()
    assert answer["acknowledged"] == []
    assert answer["refused"] == refused
    assert answer["trouble"] == response.get("trouble", "")


def test_a_response_has_the_filters_that_the_server_knows(desk):
    looked = ViewEntry(ENTRY["id"], "presort", "yes", "wage", "data")
    channels = [ReviewChannel(Receiving(looked=one)) for one in (None, looked)]
    answers = [desk.post(f"/channels/{one.name}", json=MESSAGE, headers=KEY).json()["looked"] for one in channels]
    assert answers == [None, {"order": "presort", "filter": "yes", "query": "wage", "tag": "data"}]


def test_a_channel_ends_with_its_last_reference(desk):
    channel = ReviewChannel(Receiving())
    assert desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=KEY).status_code == 200
    name = channel.name
    del channel
    gc.collect()
    assert name not in CHANNELS
    assert desk.post(f"/channels/{name}", json=MESSAGE, headers=KEY).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no-cookie"),
        pytest.param({**KEY, "Cookie": f"{cookie_name('token')}=other"}, id="another-token"),
        pytest.param({**KEY, "Origin": "https://evil.example"}, id="a-foreign-page"),
        pytest.param({**KEY, "Host": "evil.example"}, id="a-foreign-name"),
        pytest.param({**KEY, "X-Forwarded-For": "203.0.113.7"}, id="through-a-proxy"),
    ],
)
def test_messages_of_unauthorised_clients_are_not_received(desk, headers):
    receiving = Receiving()
    channel = ReviewChannel(receiving)
    assert desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=headers).status_code == 403
    assert receiving.got == []


def test_other_accounts_are_refused_and_logged(caplog):
    door = SignInDoor("ID", "secret")
    desk = client(door, is_local=False)
    receiving = Receiving()
    cookie = {"Cookie": signed("secret"), "Origin": DESK}
    for owner, status in ((ANN, 200), (Identity(ANN.issuer, "bo"), 404), (None, 404)):
        channel = ReviewChannel(receiving, owner)
        caplog.clear()
        assert desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=cookie).status_code == status
        assert [one.message for one in caplog.records if one.name == review_channel.LOG.name] == [FOREIGN] * (
            status == 404
        )
    channel = ReviewChannel(receiving, ANN)
    forged = {"Cookie": signed("another secret"), "Origin": DESK}
    assert desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=forged).status_code == 401
    assert len(receiving.got) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(b"", 400, id="nothing"),
        pytest.param(b"{", 400, id="no-json"),
        pytest.param(b"\xff", 400, id="no-text"),
        pytest.param(b"[" * 100_000, 400, id="nested-too-deep"),
        pytest.param(b"null", 200, id="request-without-entries"),
        pytest.param(b"[]", 400, id="no-message"),
        pytest.param(json.dumps({**MESSAGE, "entries": [ENTRY] * 501}).encode(), 400, id="too-many-entries"),
        pytest.param(json.dumps({**MESSAGE, "n": -1}).encode(), 400, id="invalid-number"),
        pytest.param(json.dumps(MESSAGE).encode().ljust(review_channel.LARGEST + 1), 413, id="too-large"),
    ],
)
def test_an_invalid_message_is_refused_completely(desk, body, status):
    receiving = Receiving()
    channel = ReviewChannel(receiving)
    assert desk.post(f"/channels/{channel.name}", content=body, headers=KEY).status_code == status
    assert receiving.got == []


def test_an_invalid_entry_does_not_prevent_the_others(desk):
    receiving = Receiving()
    channel = ReviewChannel(receiving)
    other = {**ENTRY, "id": "1" + ENTRY["id"][1:], "label": "perhaps"}
    answer = desk.post(f"/channels/{channel.name}", json={**MESSAGE, "entries": [other, ENTRY]}, headers=KEY).json()
    assert answer["acknowledged"] == [ENTRY["id"]]
    assert list(answer["refused"]) == [other["id"]]


def timed(door):
    """Return a desk, and the time on its clock as a list of one item."""
    now = [0.0]
    app = Starlette(
        routes=[review_channel.route(door, lambda: now[0])],
        middleware=[Middleware(Guard, door=door, origins=[DESK], is_local=False)],
    )
    return TestClient(app, DESK), now


def test_only_the_account_that_sends_too_often_is_limited(monkeypatch):
    monkeypatch.setattr(review_channel, "RATE", Rate(at_once=2, seconds=10))
    desk, now = timed(SignInDoor("ID", "secret"))
    receiving, bo = Receiving(), Identity(ANN.issuer, "bo")
    names = {who: ReviewChannel(receiving, who) for who in (ANN, bo)}

    def send(who):
        cookie = {"Cookie": signed("secret", sub=who.subject), "Origin": DESK}
        return desk.post(f"/channels/{names[who].name}", json=MESSAGE, headers=cookie)

    assert [send(ANN).status_code for _ in range(3)] == [200, 200, 429]
    refused = send(ANN)
    assert refused.headers["Retry-After"] == "10"
    assert refused.text == "Too many requests from your account. Try again in 10 seconds.\n"
    assert len(receiving.got) == 2
    assert send(bo).status_code == 200
    now[0] = 10.0
    assert [send(ANN).status_code for _ in range(2)] == [200, 429]


def test_a_fast_editor_with_three_windows_is_not_limited():
    now = 0.0
    limit = Limit(review_channel.RATE, lambda: now)
    for step in range(10 * 60 * 20):  # ten minutes in steps of 0.05 s. A waiting list polls every 0.4 s.
        if step % 8 == 0:
            assert [limit.wait("Ann") for _ in range(3)] == [0, 0, 0]
        if step % 40 == 0:
            assert limit.wait("Ann") == 0
        now += 0.05


def test_a_bug_is_a_server_error(desk):
    def fail(_):
        raise KeyError("a bug")

    channel = ReviewChannel(fail)
    assert desk.post(f"/channels/{channel.name}", json=MESSAGE, headers=KEY).status_code == 500


def test_a_disconnect_during_a_message_is_no_bug():
    receiving, messages = Receiving(), []
    channel = ReviewChannel(receiving)

    async def gone():
        return {"type": "http.disconnect"}

    async def tell(message):
        messages.append(message)

    scope = {"type": "http", "method": "POST", "path": f"/channels/{channel.name}", "headers": [], "query_string": b""}
    anyio.run(review_channel.route(TokenDoor("token")), scope, gone, tell)
    assert messages[0]["status"] == 400
    assert receiving.got == []


def test_a_message_whose_client_gave_up_waiting_is_dropped():
    """The client sends the entries again, so handling the old message too would double the load of a busy server."""
    at_work, may_end, received = Semaphore(0), threading.Event(), []

    def receive(request):
        received.append(request.number)
        at_work.release()
        assert may_end.wait(20)
        return ReviewResponse(0)

    channels = [ReviewChannel(receive) for _ in range(review_channel.AT_ONCE + 2)]
    route = review_channel.route(TokenDoor("token"))
    statuses = {}

    async def send(number, *, stays=True):
        """Send a message. The client disconnects afterwards unless it `stays`."""
        body = [{"type": "http.request", "body": json.dumps({**MESSAGE, "n": number}).encode()}]

        async def get():
            if body:
                return body.pop()
            if stays:
                await anyio.sleep_forever()
            return {"type": "http.disconnect"}

        async def tell(message):
            statuses.setdefault(number, message.get("status"))

        path = f"/channels/{channels[number].name}"
        await route({"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}, get, tell)

    async def main():
        async with anyio.create_task_group() as tasks:
            for number in range(review_channel.AT_ONCE):
                tasks.start_soon(send, number)
            for _ in range(review_channel.AT_ONCE):
                await anyio.to_thread.run_sync(at_work.acquire)
            tasks.start_soon(partial(send, review_channel.AT_ONCE, stays=False))
            tasks.start_soon(send, review_channel.AT_ONCE + 1)
            await anyio.wait_all_tasks_blocked()
            may_end.set()

    anyio.run(main)
    dropped = review_channel.AT_ONCE
    assert sorted(received) == [number for number in range(len(channels)) if number != dropped]
    assert statuses == {number: 400 if number == dropped else 200 for number in range(len(channels))}


def test_messages_of_a_list_are_processed_one_by_one():
    first_is_in, others_came, order = threading.Event(), threading.Event(), []

    def receive(request):
        order.append(f"{request.number} in")
        first_is_in.set()
        assert others_came.wait(20)
        order.append(f"{request.number} out")
        return ReviewResponse(0)

    channel = ReviewChannel(receive)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(channel.respond, {**MESSAGE, "n": 1})
        assert first_is_in.wait(20)
        others = [pool.submit(channel.respond, {**MESSAGE, "n": n}) for n in (2, 3, 4)]
        others_came.set()
        for one in (first, *others):
            one.result()
    assert [step.split()[0] for step in order[::2]] == [step.split()[0] for step in order[1::2]]
    assert order[:2] == ["1 in", "1 out"]
