import gzip
import json
import random
import socket
import threading
import zlib
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest

from data.errors import DataError, UnreadableFileError, WorkspaceError
from data.harvest import addresses, download, oai, polite
from data.harvest.addresses import checked_url, is_public
from data.harvest.errors import CutError, HarvestError
from data.harvest.kept import FOLDER, Query, keeping
from data.harvest.oai import finish, harvest, read_harvest
from data.records import Entry, Paper
from tests.data.repository import (
    FakeTime,
    Reply,
    dc_record,
    envelope,
    page,
    paged,
    record,
    refusing,
    repository,
)

FIVE = [dc_record(f"oai:e.org:{n}", f"Paper {n}") for n in range(5)]
ARXIV = """<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>2401.01234</id><created>2024-01-02</created>
<updated>2024-02-01</updated><authors><author><keyname>M\\"uller</keyname><forenames>A. B.</forenames>
<suffix>Jr</suffix><affiliation>no</affiliation></author><author><keyname>Two</keyname></author></authors>
<title>Wages
  and jobs</title><categories>cs.LG stat.ML</categories><msc-class>68T05; 62H30</msc-class>
<doi>10.1000/XYZ 10.1000/b</doi><abstract>  We show
 it. </abstract></arXiv>"""


NOVEMBER_20 = datetime(2026, 11, 20, 12, tzinfo=UTC)


def run(tmp_path, url, *, time=None, is_imported=True, wrong=None, told=None, **query):
    """Harvest, and say that what came was imported."""
    time = time or FakeTime(NOVEMBER_20)
    query = Query(url, **{"metadata": "oai_dc", **query})
    with keeping(tmp_path, query, now=time.clock.now()) as kept:
        harvest(kept, allow_private=True, clock=time.clock, follow=(told if told is not None else []).append)
        entries = list(read_harvest(kept, **({"wrong": wrong} if wrong else {})))
        if is_imported:
            finish(kept)
    return entries


def ids(entries):
    return [entry.paper.paper_id for entry in entries]


def refusal(tmp_path, answer, **query):
    with repository(answer) as server, pytest.raises(HarvestError) as caught:
        run(tmp_path, server.url, **query)
    return str(caught.value), server


def test_all_pages_come_one_a_second(tmp_path):
    time, told = FakeTime(), []
    with repository(paged(FIVE)) as server:
        entries = run(tmp_path, server.url, time=time, told=told, set_="econ", since=date(2026, 1, 1))
    assert [entry.paper.title for entry in entries] == [f"Paper {n}" for n in range(5)]
    first = {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2026-01-01", "set": "econ"}
    assert server.asked == [first, *({"verb": "ListRecords", "resumptionToken": token} for token in ("2", "4"))]
    assert time.slept == [1, 1]
    assert [(step.n_records, step.n_total) for step in told] == [(2, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize(
    ("content", "metadata", "expected"),
    [
        pytest.param(
            record("oai:arXiv.org:2401.01234", ARXIV),
            "arXiv",
            Entry(
                Paper(
                    "arXiv:2401.01234",
                    "Wages and jobs",
                    abstract="We show it.",
                    authors=("A. B. Müller Jr", "Two"),
                    codes=("cs.LG", "stat.ML", "68T05", "62H30"),
                    date="2024-01-02",
                ),
                doi="10.1000/xyz",
            ),
            id="arxiv",
        ),
        pytest.param(
            dc_record(
                "oai:arXiv.org:hep-th/9901001",
                'On M\\"uller',
                more="<dc:creator>M\\'a, B.</dc:creator><dc:subject>Physics</dc:subject><dc:description>It is.\n"
                "</dc:description><dc:description>Comment: no</dc:description><dc:date>1999-01-02</dc:date>"
                "<dc:identifier>http://arxiv.org/abs/hep-th/9901001</dc:identifier>"
                "<dc:identifier>doi:10.5/Y</dc:identifier>",
            ),
            "oai_dc",
            Entry(
                Paper("arXiv:hep-th/9901001", "On Müller", "It is.", ("Má, B.",), ("Physics",), date="1999-01-02"),
                doi="10.5/y",
            ),
            id="arxiv-as-dublin-core",
        ),
        pytest.param(
            dc_record("oai:RePEc:nbr:nberwo:1", more="<dc:source>NBER</dc:source>"),
            "oai_dc",
            Entry(Paper("RePEc:nbr:nberwo:1", "Wages", series="NBER")),
            id="repec-handle",
        ),
    ],
)
def test_formats(tmp_path, content, metadata, expected):
    with repository(paged([content])) as server:
        assert run(tmp_path, server.url, metadata=metadata) == [expected]


def test_deleted_records_are_passed_over(tmp_path):
    gone = record("oai:e.org:9", "", status="deleted")
    with repository(paged([gone, *FIVE[:2], gone])) as server:
        assert ids(run(tmp_path, server.url)) == ["oai:e.org:0", "oai:e.org:1"]


def test_of_a_record_that_came_twice_the_later_counts(tmp_path):
    records = [FIVE[0], dc_record("oai:e.org:9", "Old"), FIVE[1], dc_record("oai:e.org:9", "New", stamp="2026-11-16")]
    versions = [dc_record(f"oai:arXiv.org:2401.01234v{n}") for n in (1, 2)]
    with repository(paged([*records, *versions])) as server:
        entries = run(tmp_path, server.url)
    assert [entry.paper.title for entry in entries] == ["Paper 0", "Paper 1", "New", "Wages"]


def test_a_wrong_record_is_named_or_left_out(tmp_path):
    records = [FIVE[0], dc_record("oai:e.org:8", ""), record("oai:e.org:9", "<x/>"), FIVE[1]]
    errors = []
    with repository(paged(records)) as server:
        with pytest.raises(UnreadableFileError, match=r"row 2: 'oai:e\.org:8' has no title"):
            run(tmp_path, server.url)
        assert ids(run(tmp_path, server.url, wrong=errors.append)) == ["oai:e.org:0", "oai:e.org:1"]
    assert len(server.asked) == 2, "the pages were kept"
    host = server.url.split("/")[2]
    assert list(map(str, errors)) == [
        f"{host}, row 2: 'oai:e.org:8' has no title",
        f"{host}, row 3: 'oai:e.org:9' is not in the format oai_dc",
    ]


def test_a_harvest_that_was_cut_goes_on(tmp_path):
    whole = paged(FIVE)

    def cut(asked):
        reply = whole(asked)
        if asked.get("resumptionToken") == "4":
            return Reply(reply.content[:100], length=len(reply.content))
        return reply

    words, server = refusal(tmp_path, cut)
    assert "the answer ended early" in words
    assert "go on later" in words
    assert len(server.asked) == 2 + polite.MOST_TRIES
    with repository(whole) as again:
        # The same repository, at another port of this computer.
        (path,) = (tmp_path / FOLDER).glob("*.jsonl")
        moved(path, tmp_path, server.url, again.url)
        told = []
        assert len(run(tmp_path, again.url, told=told)) == 5
    assert again.asked == [{"verb": "ListRecords", "resumptionToken": "4"}]
    assert told[0].note == "Going on after 4 records that came before."


def moved(path, tmp_path, old, new):
    text = path.read_text().replace(old, new)
    path.unlink()
    with keeping(tmp_path, Query(new, "oai_dc")) as kept:
        kept.path.write_text(text)


def test_a_page_that_was_half_written_is_asked_for_again(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
        (path,) = (tmp_path / FOLDER).glob("*.jsonl")
        path.write_bytes(path.read_bytes()[:-20])
        assert len(run(tmp_path, server.url)) == 5
    assert [asked.get("resumptionToken") for asked in server.asked] == [None, "2", "4", "4"]


def test_what_waited_too_long_begins_anew(tmp_path):
    time = FakeTime()
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, time=time, is_imported=False)
        run(tmp_path, server.url, time=time, is_imported=False)
        assert len(server.asked) == 3, "used again"
        time.time += timedelta(days=2)
        assert len(run(tmp_path, server.url, time=time)) == 5
    assert len(server.asked) == 6


def test_other_days_begin_anew(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
        run(tmp_path, server.url, until=date(2026, 11, 1))
    assert len(server.asked) == 6


def test_the_next_harvest_brings_only_what_is_new(tmp_path):
    old = [dc_record("a", stamp="2026-11-10"), dc_record("b", stamp="2026-11-16"), dc_record("c", stamp="2026-11-16")]
    changed = dc_record("c", "Wages, revised", stamp="2026-11-17")
    with repository(paged(old)) as server:
        assert ids(run(tmp_path, server.url)) == ["a", "b", "c"]
        server.answer = paged([old[1], changed, dc_record("d", stamp="2026-11-17")], answered="2026-11-18T00:00:00Z")
        assert ids(run(tmp_path, server.url)) == ["c", "d"]
        server.answer = lambda asked: refusing("noRecordsMatch")
        assert run(tmp_path, server.url) == []
        assert run(tmp_path, server.url, set_="other") == []
    begun = [asked for asked in server.asked if "metadataPrefix" in asked]
    assert [asked.get("from") for asked in begun] == [None, "2026-11-16", "2026-11-18", None]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({"since": date(2026, 11, 1)}, "2026-11-18", id="earlier-days-too"),
        pytest.param({"since": date(2026, 11, 17)}, "2026-11-16", id="days-between-are-still-to-come"),
        pytest.param({"since": date(2026, 11, 1), "until": date(2026, 11, 5)}, "2026-11-16", id="never-back"),
        pytest.param({"until": date(2026, 11, 17)}, "2026-11-17", id="up-to-the-last-day"),
    ],
)
def test_days_that_were_asked_for_move_the_mark_only_if_nothing_is_left_out(tmp_path, query, expected):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url)
        server.answer = paged(FIVE, answered="2026-11-18T00:00:00Z")
        run(tmp_path, server.url, **query)
        run(tmp_path, server.url)
    assert [asked["from"] for asked in server.asked if "from" in asked][-1] == expected


@pytest.mark.parametrize("answered", ["2026-12-24T00:00:00Z", "9999-12-31", "soon", ""])
def test_no_mark_is_set_ahead_of_today(tmp_path, answered):
    with repository(paged(FIVE, answered=answered)) as server:
        run(tmp_path, server.url)
        run(tmp_path, server.url)
    assert [asked["from"] for asked in server.asked if "from" in asked] == ["2026-11-20"]


def test_nothing_is_marked_before_it_is_imported(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
    assert [path.suffix for path in (tmp_path / FOLDER).iterdir()] == [".jsonl"]


def test_a_lost_token_begins_anew_once(tmp_path):
    whole, told = paged(FIVE), []

    def forgetful(asked):
        is_lost = asked.get("resumptionToken") == "2" and len(server.asked) == 2
        return refusing("badResumptionToken", "expired") if is_lost else whole(asked)

    with repository(forgetful) as server:
        assert len(run(tmp_path, server.url, told=told)) == 5
    assert len(server.asked) == 5
    assert any("Beginning anew" in step.note for step in told)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("badResumptionToken", "lost its place", id="token-lost-again"),
        pytest.param("badArgument", "may know no such set or date. It says: 'why so' (badArgument)", id="argument"),
        pytest.param("cannotDisseminateFormat", "try --format oai_dc", id="format"),
        pytest.param("idDoesNotExist", "doesn't know such a record", id="record"),
        pytest.param("noSetHierarchy", "leave --set out", id="no-sets"),
        pytest.param("teapot", "the repository refuses. It says: 'why so' (teapot)", id="unknown"),
    ],
)
def test_refusals_of_the_protocol_in_words(tmp_path, code, reason):
    words, _ = refusal(tmp_path, lambda asked: refusing(code, "why\n so"))
    assert reason in words


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param(Reply(b"<html><p></html>"), "is not well-formed XML", id="ill-formed"),
        pytest.param(Reply(b"<html/>"), "is no OAI-PMH 2.0 repository: its answer begins with html", id="page"),
        pytest.param(Reply(b""), "is not well-formed XML", id="empty"),
        pytest.param(
            Reply(b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'), "document type", id="entities"
        ),
        pytest.param(Reply(status=404), "answered with 404", id="not-found"),
        pytest.param(Reply(b"?", headers={"Content-Encoding": "br"}), "is packed as br", id="packed-otherwise"),
        pytest.param(Reply(status=302, headers={"Location": "/oai"}), "sends us on more than 5 times", id="circle"),
        pytest.param(
            Reply(status=302, headers={"Location": "file:///etc/passwd"}), "is not an address of the web", id="file"
        ),
        pytest.param(Reply(status=302, headers={"Location": "http://a:b@e.org/"}), "a password", id="password"),
        pytest.param(Reply(status=302, headers={"Location": "http://[::1"}), "which is no address", id="bracket"),
        pytest.param(
            Reply(b"-5\r\n", headers={"Transfer-Encoding": "chunked"}), "the answer is damaged", id="length-below-0"
        ),
        pytest.param(
            Reply(gzip.compress(b"<a/>") + b"more", headers={"Content-Encoding": "gzip"}),
            "after its end",
            id="gzip-and",
        ),
        pytest.param(page(FIVE, token="0"), "the list does not end", id="token-that-leads-back"),
    ],
)
def test_answers_that_are_none(tmp_path, reply, reason):
    words, server = refusal(tmp_path, lambda asked: reply)
    assert reason in words
    assert len(server.asked) < 8


def test_a_gzip_bomb_is_not_unpacked(tmp_path):
    bomb = Reply(gzip.compress(bytes(2 * download.LARGEST)), headers={"Content-Encoding": "gzip"})
    words, _ = refusal(tmp_path, lambda asked: bomb)
    assert "larger than 50,000,000 bytes" in words


def test_what_unpacks_to_nothing_is_not_read_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "LARGEST", 100_000)
    packer = zlib.compressobj(wbits=31)
    start = packer.compress(b"<a>") + packer.flush(zlib.Z_FULL_FLUSH)
    nothing = start + bytes([0, 0, 0, 255, 255]) * 30_000
    words, _ = refusal(tmp_path, lambda asked: Reply(nothing, headers={"Content-Encoding": "gzip"}))
    assert "larger than 100,000 bytes" in words


@pytest.mark.parametrize("limit", ["MOST_PAGES", "MOST_BYTES"])
def test_a_list_that_gives_a_new_token_for_ever_has_an_end(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(oai, limit, {"MOST_PAGES": 5, "MOST_BYTES": 3_000}[limit])
    words, server = refusal(tmp_path, lambda asked: page([], token=f"{asked.get('resumptionToken', '')}x"))
    assert "the list does not end" in words
    assert 5 <= len(server.asked) < 20


@pytest.mark.parametrize("kept", [pytest.param(1.0, id="whole"), pytest.param(0.5, id="cut")])
def test_packed_answers(tmp_path, kept):
    packed = gzip.compress(envelope(f"<ListRecords>{FIVE[0]}</ListRecords>").content)
    reply = Reply(packed[: int(len(packed) * kept)], headers={"Content-Encoding": "gzip"})
    if kept == 1:
        with repository(lambda asked: reply) as server:
            assert ids(run(tmp_path, server.url)) == ["oai:e.org:0"]
    else:
        assert "ended early" in refusal(tmp_path, lambda asked: reply)[0]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({"Retry-After": "30"}, 30, id="seconds"),
        pytest.param({"Retry-After": "Mon, 16 Nov 2026 12:01:00 GMT"}, 60, id="date"),
        pytest.param({"Retry-After": "0"}, 1, id="at-once"),
        pytest.param({"Retry-After": "soon"}, 2, id="unclear"),
        pytest.param({"Retry-After": "Mon, 16 Nov 2026 12:01:00 +9999999999999"}, 2, id="zone-of-many-digits"),
        pytest.param({"Retry-After": "Mon, 16 Nov 9999999999999999999 12:01:00 GMT"}, 2, id="year-of-many-digits"),
        pytest.param({}, 2, id="unsaid"),
    ],
)
def test_a_busy_repository_is_waited_for(tmp_path, headers, expected):
    time, told = FakeTime(), []

    def busy_at_first(asked):
        return Reply(status=503, headers=headers) if len(server.asked) == 1 else paged(FIVE[:2])(asked)

    with repository(busy_at_first) as server:
        assert len(run(tmp_path, server.url, time=time, told=told)) == 2
    assert time.slept == [expected]
    assert told[0].note.endswith(f"answered with 503. Trying again in {expected} seconds.")


def test_an_answer_that_never_ends_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "LONGEST_ANSWER", 0.05)
    monkeypatch.setattr(polite, "MOST_TRIES", 1)
    is_over = threading.Event()

    def silent(asked):
        is_over.wait(30)
        return Reply()

    with repository(silent) as server:
        with pytest.raises(HarvestError, match="go on later"):
            run(tmp_path, server.url)
        is_over.set()


def test_a_greeting_that_never_ends_is_cut_off(monkeypatch):
    """What encrypts a connection comes before the first word of an answer."""
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


def test_who_stays_busy_is_left_alone(tmp_path):
    time = FakeTime()
    with repository(lambda asked: Reply(status=503)) as server, pytest.raises(HarvestError, match="That was try 6"):
        run(tmp_path, server.url, time=time)
    assert time.slept == [2, 4, 8, 16, 32]
    assert len(server.asked) == 6


@pytest.mark.parametrize("text", ["3601", "9" * 5000, "Mon, 16 Nov 2099 12:01:00 GMT"])
def test_nobody_waits_for_hours(tmp_path, text):
    words, server = refusal(tmp_path, lambda asked: Reply(status=503, headers={"Retry-After": text}))
    assert "asks us to wait" in words
    assert len(server.asked) == 1


def test_a_repository_that_is_not_there(tmp_path):
    with repository(paged(FIVE)) as server:
        pass
    with pytest.raises(HarvestError, match=r"127\.0\.0\.1 can't be reached: .*refused"):
        run(tmp_path, server.url)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        pytest.param("93.184.215.14", True, id="open"),
        pytest.param("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True, id="open-6"),
        pytest.param("127.0.0.1", False, id="loopback"),
        pytest.param("0.0.0.0", False, id="any"),
        pytest.param("10.1.2.3", False, id="private-10"),
        pytest.param("172.16.0.1", False, id="private-172"),
        pytest.param("192.168.1.1", False, id="private-192"),
        pytest.param("169.254.169.254", False, id="link-local"),
        pytest.param("100.64.0.1", False, id="carrier"),
        pytest.param("224.0.0.251", False, id="multicast"),
        pytest.param("255.255.255.255", False, id="broadcast"),
        pytest.param("::1", False, id="loopback-6"),
        pytest.param("::", False, id="any-6"),
        pytest.param("fe80::1%1", False, id="link-local-6"),
        pytest.param("fd12:3456::1", False, id="unique-local-6"),
        pytest.param("ff02::1", False, id="multicast-6"),
        pytest.param("::ffff:127.0.0.1", False, id="mapped"),
        pytest.param("::ffff:93.184.215.14", True, id="mapped-open"),
        pytest.param("::127.0.0.1", False, id="compatible"),
        pytest.param("64:ff9b::a00:1", False, id="nat64"),
        pytest.param("2002:7f00:1::", False, id="6to4"),
        pytest.param("2001:0:102:304::", False, id="teredo"),
    ],
)
def test_is_public(address, expected):
    assert is_public(address) == expected


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_private_repositories_are_not_asked(tmp_path, host):
    with repository(paged(FIVE)) as server:
        url = server.url.replace("127.0.0.1", host)
        with keeping(tmp_path, Query(url, "oai_dc")) as kept, pytest.raises(HarvestError, match="--allow-private"):
            harvest(kept, allow_private=False, clock=FakeTime().clock, follow=[].append)
    assert server.asked == []


def test_a_redirect_into_the_private_network_is_not_followed(tmp_path, monkeypatch):
    """The repository at first passes for one of the open internet."""
    with (
        repository(paged(FIVE)) as inside,
        repository(lambda asked: Reply(status=302, headers={"Location": inside.url})) as outside,
    ):
        monkeypatch.setattr(addresses, "is_public", lambda address: not outside.asked)
        query = Query(outside.url.replace("127.0.0.1", "localhost"), "oai_dc")
        with keeping(tmp_path, query) as kept, pytest.raises(HarvestError, match="private network"):
            harvest(kept, allow_private=False, clock=FakeTime().clock, follow=[].append)
    assert (len(outside.asked), len(inside.asked)) == (1, 0)


def test_a_name_is_looked_up_once(tmp_path, monkeypatch):
    """A second look could lead elsewhere than where the check was."""
    real, asked = addresses.socket.getaddrinfo, []

    def found(host, port, *rest, **options):
        if host == "repository.example":
            asked.append(host)
            return real("127.0.0.1", port, *rest, **options)
        return real(host, port, *rest, **options)

    monkeypatch.setattr(addresses.socket, "getaddrinfo", found)
    with repository(paged(FIVE[:1])) as server:
        assert len(run(tmp_path, server.url.replace("127.0.0.1", "repository.example"))) == 1
    assert asked == ["repository.example"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("ftp://e.org/oai", "is not an address of the web", id="ftp"),
        pytest.param("file:///etc/passwd", "is not an address of the web", id="file"),
        pytest.param("e.org/oai", "is not an address of the web", id="no-scheme"),
        pytest.param("http:///oai", "is not an address of the web", id="no-host"),
        pytest.param("http://e.org:99999/oai", "is not an address of the web", id="port"),
        pytest.param("http://[::1/oai", "is not an address of the web", id="bracket"),
        pytest.param("http://e.org/o ai\r\nX: y", "is not an address of the web", id="line-break"),
        pytest.param("http://me:word@e.org/oai", "a password", id="password"),
        pytest.param("http://me:word@e.org:99999/oai", "a password", id="password-and-port"),
        pytest.param("http://me:word@[e.org/oai", "a password", id="password-and-bracket"),
        pytest.param("http:/\n/me:word@e.org/oai", "a password", id="password-after-line-break"),
    ],
)
def test_what_is_no_address(url, reason):
    with pytest.raises(HarvestError, match=reason) as caught:
        checked_url(url)
    assert "word" not in str(caught.value).replace("password", "")


def test_an_address_with_a_question_in_it_is_refused(tmp_path):
    with pytest.raises(HarvestError, match="leave out what follows"):
        run(tmp_path, "http://127.0.0.1:1/oai?verb=Identify")


@pytest.mark.parametrize("url", ["http://me:word@e.org/oai", "http://e.org/oai?", "http://e.org/oai#", "oai"])
def test_an_address_that_is_refused_leaves_no_file(tmp_path, url):
    with pytest.raises(HarvestError), keeping(tmp_path, Query(url, "oai_dc")):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("http://[2606:4700::1]/oai", ("2606:4700::1", 80), id="no-port"),
        pytest.param("https://[2606:4700::abcd]/oai", ("2606:4700::abcd", 443), id="no-port-and-letters"),
        pytest.param("http://[2606:4700::1]:8080/oai", ("2606:4700::1", 8080), id="port"),
    ],
)
def test_an_address_of_ipv6_is_taken_as_a_whole(monkeypatch, url, expected):
    def connected(host, port, **_):
        raise CutError(f"{(host, port)}")

    monkeypatch.setattr(download, "connected", connected)
    with pytest.raises(CutError) as caught:
        download.download(url, allow_private=False)
    assert str(caught.value) == str(expected)


def test_two_at_the_same_harvest(tmp_path):
    query = Query("http://e.org/oai", "oai_dc")
    with keeping(tmp_path, query), pytest.raises(HarvestError, match="already"), keeping(tmp_path, query):
        pass


def test_a_mark_that_cannot_be_read_is_named(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url)
        (path,) = (tmp_path / FOLDER).glob("*.json")
        path.write_text(json.dumps({"day": "soon", "known": {}}))
        with pytest.raises(WorkspaceError, match="delete it to harvest from the beginning"):
            run(tmp_path, server.url)


def test_damaged_pages_are_read_or_refused(tmp_path):
    dice, whole = random.Random(3), envelope(f"<ListRecords>{record('oai:arXiv.org:2401.01234', ARXIV)}</ListRecords>")
    outcomes = []
    with repository(lambda asked: Reply(bytes(damaged))) as server:
        for number in range(150):
            damaged = bytearray(whole.content)
            for _ in range(dice.randint(1, 3)):
                start = dice.randrange(len(damaged))
                end = start + dice.choice([0, 1, 1, 30])
                damaged[start:end] = dice.choice([b"", b"<", b"&", b"\xff", b"[", b"7", b"\0", damaged[:end]])
            try:
                run(tmp_path / str(number), server.url, metadata="arXiv")
                outcomes.append("read")
            except DataError as error:
                outcomes.append(type(error).__name__)
    assert {"read", "HarvestError"} <= set(outcomes)
