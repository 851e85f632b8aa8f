"""Responses of repositories, and time limits."""

import gzip
import socket
import threading
import zlib
from contextlib import suppress
from dataclasses import replace
from datetime import date

import pytest

from presort.data.harvest import download, oai, polite
from presort.data.harvest.errors import CutError, HarvestError
from presort.data.importers.problems import Findings
from tests.data.harvest.repository import (
    FakeTime,
    Reply,
    envelope,
    page,
    paged,
    refusing,
    repository,
)
from tests.data.harvest.running import FIVE, ids, refusal, run


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("badResumptionToken", "rejected the resumption token", id="token-lost-again"),
        pytest.param("badArgument", "Check the set and the dates. Its message: 'why so' (badArgument)", id="argument"),
        pytest.param("cannotDisseminateFormat", "Try --format oai_dc", id="format"),
        pytest.param("idDoesNotExist", "has no such record", id="record"),
        pytest.param("noSetHierarchy", "Omit --set", id="no-sets"),
        pytest.param("teapot", "the repository rejected the request. Its message: 'why so' (teapot)", id="unknown"),
    ],
)
def test_protocol_errors_are_reported_in_words(tmp_path, code, reason):
    words, _ = refusal(tmp_path, lambda asked: refusing(code, "why\n so"))
    assert reason in words


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param(Reply(b"<html><p></html>"), "is not well-formed XML", id="ill-formed"),
        pytest.param(Reply(b"<html/>"), "is not an OAI-PMH 2.0 repository: its response begins with html", id="page"),
        pytest.param(Reply(b""), "is not well-formed XML", id="empty"),
        pytest.param(Reply(b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'), "DOCTYPE", id="entities"),
        pytest.param(Reply(status=404), "responded with status 404", id="not-found"),
        pytest.param(Reply(b"?", headers={"Content-Encoding": "br"}), "is compressed as br", id="packed-otherwise"),
        pytest.param(Reply(status=302, headers={"Location": "/oai"}), "redirects more than 5 times", id="circle"),
        pytest.param(Reply(status=302, headers={"Location": "file:///etc/passwd"}), "is not a web address", id="file"),
        pytest.param(
            Reply(status=302, headers={"Location": "http://a:b@e.org/"}), "user name or password", id="password"
        ),
        pytest.param(
            Reply(status=302, headers={"Location": "http://[::1"}), "which is not a web address", id="bracket"
        ),
        pytest.param(
            Reply(b"-5\r\n", headers={"Transfer-Encoding": "chunked"}), "the response is damaged", id="length-below-0"
        ),
        pytest.param(
            Reply(gzip.compress(b"<a/>") + b"more", headers={"Content-Encoding": "gzip"}),
            "after its end",
            id="gzip-and",
        ),
        pytest.param(Reply(b"<a/>", headers={"Content-Encoding": "gzip"}), "can't be decompressed", id="no-gzip"),
        pytest.param(page(FIVE, token="0"), "the repository's list is endless", id="repeated-token"),
    ],
)
def test_invalid_responses(tmp_path, reply, reason):
    words, server = refusal(tmp_path, lambda asked: reply)
    assert reason in words
    assert len(server.asked) < 8


def test_a_gzip_bomb_is_not_unpacked(tmp_path):
    bomb = Reply(gzip.compress(bytes(2 * download.LARGEST)), headers={"Content-Encoding": "gzip"})
    words, _ = refusal(tmp_path, lambda asked: bomb)
    assert "larger than 50,000,000 bytes" in words


def test_an_endless_response_that_decompresses_to_nothing_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "LARGEST", 100_000)
    packer = zlib.compressobj(wbits=31)
    start = packer.compress(b"<a>") + packer.flush(zlib.Z_FULL_FLUSH)
    nothing = start + bytes([0, 0, 0, 255, 255]) * 30_000
    words, _ = refusal(tmp_path, lambda asked: Reply(nothing, headers={"Content-Encoding": "gzip"}))
    assert "larger than 100,000 bytes" in words


@pytest.mark.parametrize("limit", ["MOST_PAGES", "MOST_BYTES"])
def test_a_list_with_endless_tokens_ends(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(oai, limit, {"MOST_PAGES": 5, "MOST_BYTES": 3_000}[limit])
    words, server = refusal(tmp_path, lambda asked: page([], token=f"{asked.get('resumptionToken', '')}x"))
    assert "the repository's list is endless" in words
    assert 5 <= len(server.asked) < 20


@pytest.mark.parametrize("kept", [pytest.param(1.0, id="whole"), pytest.param(0.5, id="cut")])
def test_compressed_responses(tmp_path, kept):
    packed = gzip.compress(envelope(f"<ListRecords>{FIVE[0]}</ListRecords>").content)
    reply = Reply(packed[: int(len(packed) * kept)], headers={"Content-Encoding": "gzip"})
    if kept == 1:
        with repository(lambda asked: reply) as server:
            assert ids(run(tmp_path, server.url)) == ["oai:e.org:0"]
    else:
        assert "is truncated" in refusal(tmp_path, lambda asked: reply)[0]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({"Retry-After": "30"}, 30, id="seconds"),
        pytest.param({"Retry-After": "Mon, 16 Nov 2026 12:01:00 GMT"}, 60, id="date"),
        pytest.param({"Retry-After": "0"}, 1, id="at-once"),
        pytest.param({"Retry-After": "soon"}, 2, id="unclear"),
        pytest.param({"Retry-After": "Mon, 16 Nov 2026 12:01:00 +9999999999999"}, 2, id="time-zone-of-many-digits"),
        pytest.param({"Retry-After": "Mon, 16 Nov 9999999999999999999 12:01:00 GMT"}, 2, id="year-of-many-digits"),
        pytest.param({}, 2, id="unsaid"),
    ],
)
def test_a_busy_repository_is_waited_for(tmp_path, headers, expected):
    time, messages = FakeTime(), []

    def busy_at_first(asked):
        return Reply(status=503, headers=headers) if len(server.asked) == 1 else paged(FIVE[:2])(asked)

    with repository(busy_at_first) as server:
        assert len(run(tmp_path, server.url, time=time, messages=messages)) == 2
    assert time.slept == [expected]
    assert messages[0].note.endswith(f"responded with status 503. Retrying in {expected} seconds.")


def test_an_endless_response_is_aborted(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "LONGEST_ANSWER", 0.05)
    monkeypatch.setattr(polite, "MOST_TRIES", 1)
    is_over = threading.Event()

    def silent(asked):
        is_over.wait(30)
        return Reply()

    with repository(silent) as server:
        with pytest.raises(HarvestError, match="Try again later"):
            run(tmp_path, server.url)
        is_over.set()


def test_an_endless_tls_handshake_is_aborted(monkeypatch):
    """The TLS handshake precedes the first byte of a response."""
    monkeypatch.setattr(download, "LONGEST_ANSWER", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            caller, _ = server.accept()
            with caller, suppress(OSError):
                caller.sendall(b"\x16\x03\x03\x40\x00")
                while caller.recv(1_000):
                    pass

        thread = threading.Thread(target=drip)
        thread.start()
        with pytest.raises(CutError):
            download.download(f"https://127.0.0.1:{server.getsockname()[1]}/", allow_private=True)
        thread.join(10)
    assert not thread.is_alive()


def test_a_harvest_from_a_busy_repository_fails_after_all_retries(tmp_path):
    time = FakeTime()
    with (
        repository(lambda asked: Reply(status=503)) as server,
        pytest.raises(HarvestError, match="Gave up after 6 tries"),
    ):
        run(tmp_path, server.url, time=time)
    assert time.slept == [2, 4, 8, 16, 32]
    assert len(server.asked) == 6


@pytest.mark.parametrize("text", ["3601", "9" * 5000, "Mon, 16 Nov 2099 12:01:00 GMT"])
def test_too_long_waits_are_refused(tmp_path, text):
    words, server = refusal(tmp_path, lambda asked: Reply(status=503, headers={"Retry-After": text}))
    assert "the server is busy. Try again in" in words
    assert len(server.asked) == 1


def test_an_unreachable_repository_is_one_line(tmp_path):
    with repository(paged(FIVE)) as server:
        pass
    with pytest.raises(HarvestError, match=r"127\.0\.0\.1 can't be reached: .*refused"):
        run(tmp_path, server.url)


@pytest.mark.parametrize("status", [200, 400, 404, 422, 503])
def test_an_oai_error_counts_with_any_http_status(tmp_path, status):
    with repository(lambda asked: replace(refusing("noRecordsMatch"), status=status)) as server:
        assert run(tmp_path, server.url) == []
    assert len(server.asked) == 1


def test_a_harvest_restarts_only_once_after_a_lost_token(tmp_path):
    """The next harvest starts with the first page instead of the invalid token."""

    def forgetful(asked):
        lost = replace(refusing("badResumptionToken", "expired"), status=400)
        return lost if "resumptionToken" in asked else paged(FIVE)(asked)

    with repository(forgetful) as server:
        for _ in range(2):
            with pytest.raises(HarvestError, match="rejected the resumption token"):
                run(tmp_path, server.url)
    assert ["resumptionToken" in asked for asked in server.asked] == [False, True] * 4


def test_a_record_that_can_t_be_repaired_is_named_with_its_identifier(tmp_path):
    findings = Findings()
    broken = FIVE[1].replace("</dc:title>", "</dc:titel>")
    with repository(paged([FIVE[0], broken, FIVE[2]], size=3)) as server:
        assert ids(run(tmp_path, server.url, problems=findings.collect(keeps_going=True))) == [
            "oai:e.org:0",
            "oai:e.org:2",
        ]
    assert [error.reason.partition(":")[0] for error in findings.skipped] == ["oai"]
    assert "oai:e.org:1: malformed XML" in str(findings.skipped[0])


def test_a_truncated_record_loses_no_other(tmp_path):
    findings = Findings()
    cut = FIVE[1][: FIVE[1].index("</metadata>")]
    with repository(paged([FIVE[0], cut, FIVE[2]], size=3)) as server:
        assert ids(run(tmp_path, server.url, problems=findings.collect(keeps_going=True))) == [
            "oai:e.org:0",
            "oai:e.org:2",
        ]
    assert len(findings.skipped) == 1


def test_damages_are_reported_although_the_harvest_was_interrupted(tmp_path):
    some = [FIVE[0].replace("Paper 0", "Paper & 0"), *FIVE[1:]]
    with repository(lambda asked: Reply(status=404) if "resumptionToken" in asked else paged(some)(asked)) as server:
        with pytest.raises(HarvestError, match="404"):
            run(tmp_path, server.url)
        server.answer = paged(some)
        findings = Findings()
        assert len(run(tmp_path, server.url, problems=findings.collect(keeps_going=True))) == 5
    assert [repair.reason.partition(": ")[0] for repair in findings.repairs] == ["oai:e.org:0"]


def test_the_first_harvest_begins_on_a_given_day_and_later_ones_continue(tmp_path):
    with repository(paged(FIVE)) as server:
        for _ in range(2):
            run(tmp_path, server.url, begin=date(2026, 10, 1))
    assert [asked["from"] for asked in server.asked if "from" in asked] == ["2026-10-01", "2026-11-16"]


def test_identify_returns_the_repository(tmp_path):
    answer = envelope("<Identify><repositoryName>A\n repository</repositoryName></Identify>")
    with repository(lambda asked: answer) as server:
        assert oai.identify(server.url, allow_private=True) == "A repository"
        assert server.asked == [{"verb": "Identify"}]
        with pytest.raises(HarvestError, match="private network"):
            oai.identify(server.url, allow_private=False)
        server.answer = lambda asked: page([])
        assert oai.identify(server.url, allow_private=True) == server.url, "it can be harvested"
        for other, reason in (
            (Reply(status=500), "500"),
            (Reply(b"<html/>"), "not an OAI-PMH"),
            (refusing("badVerb"), "OAI"),
        ):
            server.answer = lambda asked, other=other: other
            with pytest.raises(HarvestError, match=reason):
                oai.identify(server.url, allow_private=True)
