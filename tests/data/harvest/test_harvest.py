import json
import random
from datetime import date, timedelta

import pytest

from presort.data.errors import DataError, UnreadableFileError, WorkspaceError
from presort.data.harvest import polite
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.stored_harvest import FOLDER, Query, open_harvest
from presort.data.importers.problems import Problems
from presort.data.records import Entry, Paper
from tests.data.harvest.repository import (
    FakeTime,
    Reply,
    dc_record,
    envelope,
    paged,
    record,
    refusing,
    repository,
)
from tests.data.harvest.running import FIVE, ids, refusal, run

ARXIV = """<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>2401.01234</id><created>2024-01-02</created>
<updated>2024-02-01</updated><authors><author><keyname>M\\"uller</keyname><forenames>A. B.</forenames>
<suffix>Jr</suffix><affiliation>no</affiliation></author><author><keyname>Two</keyname></author></authors>
<title>Wages
  and jobs</title><categories>cs.LG stat.ML</categories><msc-class>68T05; 62H30</msc-class>
<doi>10.1000/XYZ 10.1000/b</doi><abstract>  We show
 it. </abstract></arXiv>"""


def test_pages_are_requested_one_per_second(tmp_path):
    time, messages = FakeTime(), []
    with repository(paged(FIVE)) as server:
        entries = run(tmp_path, server.url, time=time, messages=messages, set_="econ", since=date(2026, 1, 1))
    assert [entry.paper.title for entry in entries] == [f"Paper {n}" for n in range(5)]
    first = {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2026-01-01", "set": "econ"}
    assert server.asked == [first, *({"verb": "ListRecords", "resumptionToken": token} for token in ("2", "4"))]
    assert time.slept == [1, 1]
    assert [(step.n_records, step.n_total) for step in messages] == [(2, 5), (4, 5), (5, 5)]


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
                    doi="10.1000/xyz",
                    type="preprint",
                ),
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
                Paper(
                    *("arXiv:hep-th/9901001", "On Müller", "It is.", ("Má, B.",), ("Physics",)),
                    date="1999-01-02",
                    doi="10.5/y",
                    url="http://arxiv.org/abs/hep-th/9901001",
                    type="preprint",
                ),
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


def test_deleted_records_are_skipped(tmp_path):
    gone = record("oai:e.org:9", "", status="deleted")
    with repository(paged([gone, *FIVE[:2], gone])) as server:
        assert ids(run(tmp_path, server.url)) == ["oai:e.org:0", "oai:e.org:1"]


def test_the_later_version_of_a_repeated_record_is_used(tmp_path):
    records = [FIVE[0], dc_record("oai:e.org:9", "Old"), FIVE[1], dc_record("oai:e.org:9", "New", stamp="2026-11-16")]
    versions = [dc_record(f"oai:arXiv.org:2401.01234v{n}") for n in (1, 2)]
    with repository(paged([*records, *versions])) as server:
        entries = run(tmp_path, server.url)
    assert [entry.paper.title for entry in entries] == ["Paper 0", "Paper 1", "New", "Wages"]


def test_a_wrong_record_is_named_or_left_out(tmp_path):
    long = dc_record(f"oai:e.org:{'7' * 3_000}")
    records = [FIVE[0], dc_record("oai:e.org:8", ""), record("oai:e.org:9", "<x/>"), long, FIVE[1]]
    errors = []
    with repository(paged(records)) as server:
        with pytest.raises(UnreadableFileError, match=r"row 2: 'oai:e\.org:8' has no title"):
            run(tmp_path, server.url)
        assert ids(run(tmp_path, server.url, problems=Problems(errors.append))) == ["oai:e.org:0", "oai:e.org:1"]
    assert len(server.asked) == 3, "the pages were stored"
    host = server.url.split("/")[2]
    assert list(map(str, errors)) == [
        f"{host}, row 2: 'oai:e.org:8' has no title",
        f"{host}, row 3: 'oai:e.org:9' is not in the format oai_dc",
        f"{host}, row 4: the id 'oai:e.org:7777777777'… has 3,010 characters; at most 500 are allowed",
    ]


@pytest.mark.parametrize(
    ("content", "metadata"),
    [
        (dc_record("oai:e.org:8", more="<dc:date>in press</dc:date>"), "oai_dc"),
        (record("oai:e.org:8", ARXIV.replace("2024-01-02", "in press")), "arXiv"),
    ],
)
def test_an_unreadable_date_is_reported(tmp_path, content, metadata):
    repairs = []
    deleted = record("oai:e.org:7", "", status="deleted")
    with repository(paged([deleted, content])) as server:
        (entry,) = run(tmp_path, server.url, metadata=metadata, problems=Problems(repair=repairs.append))
    assert entry.paper.date == ""
    reason = "'in press' is not a date, so the paper was imported without a date"
    assert list(map(str, repairs)) == [f"{server.url.split('/')[2]}, row 2: {reason}"]


def test_an_interrupted_harvest_resumes(tmp_path):
    whole = paged(FIVE)

    def cut(asked):
        reply = whole(asked)
        if asked.get("resumptionToken") == "4":
            return Reply(reply.content[:100], length=len(reply.content))
        return reply

    words, server = refusal(tmp_path, cut)
    assert "the response is truncated" in words
    assert "Try again later" in words
    assert len(server.asked) == 2 + polite.MOST_TRIES
    with repository(whole) as again:
        # The same repository, on another local port.
        (path,) = (tmp_path / FOLDER).glob("*.jsonl")
        moved(path, tmp_path, server.url, again.url)
        messages = []
        assert len(run(tmp_path, again.url, messages=messages)) == 5
    assert again.asked == [{"verb": "ListRecords", "resumptionToken": "4"}]
    assert messages[0].note == "Resuming after 4 stored records."


def moved(path, tmp_path, old, new):
    text = path.read_text().replace(old, new)
    path.unlink()
    with open_harvest(tmp_path, Query(new, "oai_dc")) as stored:
        stored.path.write_text(text)


def test_a_half_written_page_is_requested_again(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
        (path,) = (tmp_path / FOLDER).glob("*.jsonl")
        path.write_bytes(path.read_bytes()[:-20])
        assert len(run(tmp_path, server.url)) == 5
    assert [asked.get("resumptionToken") for asked in server.asked] == [None, "2", "4", "4"]


def test_a_too_old_harvest_restarts(tmp_path):
    time = FakeTime()
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, time=time, is_imported=False)
        run(tmp_path, server.url, time=time, is_imported=False)
        assert len(server.asked) == 3, "used again"
        time.time += timedelta(days=2)
        assert len(run(tmp_path, server.url, time=time)) == 5
    assert len(server.asked) == 6


def test_a_harvest_of_other_days_restarts(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
        run(tmp_path, server.url, until=date(2026, 11, 1))
    assert len(server.asked) == 6


def test_the_next_harvest_returns_only_new_records(tmp_path):
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
        pytest.param({"since": date(2026, 11, 17)}, "2026-11-16", id="days-in-between-are-missing"),
        pytest.param({"since": date(2026, 11, 1), "until": date(2026, 11, 5)}, "2026-11-16", id="never-back"),
        pytest.param({"until": date(2026, 11, 17)}, "2026-11-17", id="up-to-the-last-day"),
    ],
)
def test_requested_days_move_the_mark_only_if_no_day_is_skipped(tmp_path, query, expected):
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


def test_the_mark_is_set_only_after_the_import(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url, is_imported=False)
    assert [path.suffix for path in (tmp_path / FOLDER).iterdir()] == [".jsonl"]


def test_a_lost_token_restarts_the_harvest_once(tmp_path):
    whole, messages = paged(FIVE), []

    def forgetful(asked):
        is_lost = asked.get("resumptionToken") == "2" and len(server.asked) == 2
        return refusing("badResumptionToken", "expired") if is_lost else whole(asked)

    with repository(forgetful) as server:
        assert len(run(tmp_path, server.url, messages=messages)) == 5
    assert len(server.asked) == 5
    assert any("Restarting" in step.note for step in messages)


def test_two_processes_can_not_run_the_same_harvest(tmp_path):
    query = Query("http://e.org/oai", "oai_dc")
    with open_harvest(tmp_path, query), pytest.raises(HarvestError, match="already"), open_harvest(tmp_path, query):
        pass


def test_a_mark_that_cannot_be_read_is_named(tmp_path):
    with repository(paged(FIVE)) as server:
        run(tmp_path, server.url)
        (path,) = (tmp_path / FOLDER).glob("*.json")
        path.write_text(json.dumps({"day": "soon", "known": {}}))
        with pytest.raises(WorkspaceError, match="Delete it to harvest from the beginning"):
            run(tmp_path, server.url)


def test_damaged_pages_are_read_or_refused(tmp_path):
    dice, whole = random.Random(3), envelope(f"<ListRecords>{record('oai:arXiv.org:2401.01234', ARXIV)}</ListRecords>")
    outcomes = []
    with repository(lambda asked: Reply(bytes(damaged))) as server:
        for number in range(75):
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


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b'{"url": "'], ids=["no JSON", "no mapping", "cut off"])
def test_damaged_stored_pages_are_harvested_again(tmp_path, line):
    query = Query("https://example.org/oai", "oai_dc")
    with open_harvest(tmp_path, query) as stored:
        path = stored.path
    path.write_bytes(line)
    with open_harvest(tmp_path, query) as stored:
        assert (stored.n_pages, stored.n_records, stored.token) == (0, 0, None)
    assert path.read_bytes().startswith(b'{"url": "https://example.org/oai"')


def test_a_harvest_that_can_not_be_stored_is_one_line(tmp_path):
    (tmp_path / FOLDER).write_text("in its place")
    with (
        pytest.raises(WorkspaceError, match="can't be written: File exists"),
        open_harvest(tmp_path, Query("https://example.org/oai", "oai_dc")),
    ):
        pytest.fail("there is nowhere to keep it")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param(
            "<dc:date>2026-11-10T12:28:51Z</dc:date><dc:date>2019</dc:date>", {"date": "2019"}, id="issued-date"
        ),
        pytest.param("<dc:date>2026-11-10T12:28:51Z</dc:date>", {"date": "2026-11-10"}, id="time-only"),
        pytest.param("<dc:date>2012-02</dc:date><dc:date>2013</dc:date>", {"date": "2012-02"}, id="first-of-days"),
        pytest.param(
            "<dc:description>Made available in DSpace on 2026-11-10T12:28:51Z (GMT). No. of bitstreams: 1 paper.pdf: "
            "583210 bytes</dc:description><dc:description>Short.</dc:description><dc:description>We study wages."
            "</dc:description>",
            {"abstract": "We study wages."},
            id="longest-description",
        ),
        pytest.param("<dc:contributor>Lee, Ann</dc:contributor>", {"authors": ("Lee, Ann",)}, id="contributor"),
        pytest.param(
            "<dc:creator>Ek, Bo</dc:creator><dc:contributor>Lee, Ann</dc:contributor>",
            {"authors": ("Ek, Bo",)},
            id="creator-before-contributor",
        ),
        pytest.param(
            "<dc:subject>O14 - Industrialization ; Choice of Technology</dc:subject><dc:subject>wages</dc:subject>",
            {"codes": ("O14", "wages")},
            id="jel-code-with-name",
        ),
        pytest.param("<dc:type>info:eu-repo/semantics/article</dc:type>", {"type": "journal article"}, id="type"),
        pytest.param(
            "<dc:identifier>1</dc:identifier><dc:identifier>https://doi.org/10.1000/A</dc:identifier>"
            "<dc:identifier>https://e.org/1.pdf</dc:identifier>",
            {"doi": "10.1000/a", "url": "https://doi.org/10.1000/A"},
            id="doi-and-address",
        ),
    ],
)
def test_dublin_core_is_read(tmp_path, more, expected):
    with repository(paged([dc_record("oai:e.org:1", more=more)])) as server:
        (entry,) = run(tmp_path, server.url)
    assert {name: getattr(entry.paper, name) for name in expected} == expected
