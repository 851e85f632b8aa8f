import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from data import catalogue, reviews
from data.errors import RefusedError
from data.records import Report, ReportIssue
from data.store import Store, open_store
from tests.data.workspaces import (
    FIRST,
    FIXED,
    SECOND,
    THIRD,
    contents,
    damage,
    kill_after,
    make_issue,
    say,
    send_out,
    take_in,
)

WORDS = ["yes", "no", "maybe", "undecided"]


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues, five and three papers, and two reports that have decided nothing."""
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def log(store: Store) -> list[tuple[object, ...]]:
    """Give the log's rows, oldest first: paper, person, word."""
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT p.paper_id, n.name, d.word FROM decision d "
            "JOIN paper p ON p.id = d.paper_id JOIN person n ON n.id = d.person_id ORDER BY d.id"
        )
        return [tuple(row) for row in rows]


def test_nothing_is_decided_yet(begun):
    assert reviews.words(begun, "lab", FIRST) == {}
    assert reviews.n_relevant(begun) == {"his": 0, "lab": 0}
    assert reviews.newest_decisions(begun, THIRD) == {}
    assert reviews.issued(begun, "lab") == {}
    assert reviews.decide(begun, []) == 0


@pytest.mark.parametrize("word", WORDS)
def test_one_word(begun, word):
    assert reviews.decide(begun, [say("lab", "a2", word)]) == 1
    assert reviews.words(begun, "lab", FIRST) == ({} if word == "undecided" else {"a2": word})
    assert reviews.words(begun, "his", FIRST) == reviews.words(begun, "lab", SECOND) == {}


def test_the_log_only_grows_and_the_newest_word_counts(begun):
    for word in ("yes", "undecided", "no"):
        reviews.decide(begun, [say("lab", "a1", word)])
    reviews.decide(begun, [say("lab", "a1", "maybe", person="Bo")])
    assert reviews.words(begun, "lab", FIRST) == {"a1": "maybe"}
    assert log(begun) == [("a1", "Ann", "yes"), ("a1", "Ann", "undecided"), ("a1", "Ann", "no"), ("a1", "Bo", "maybe")]


def test_within_one_call_the_last_word_counts(begun):
    assert reviews.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "no")]) == 2
    assert reviews.words(begun, "lab", FIRST) == {"a1": "no"}


def test_a_repeated_message_is_harmless(begun):
    message = [say("lab", "a1", "yes", client_id="m1"), say("lab", "a2", "no", client_id="m2")]
    assert reviews.decide(begun, message) == 2
    assert reviews.decide(begun, [say("lab", "a1", "no", client_id="m3")]) == 1
    before = contents(begun)
    assert reviews.decide(begun, message) == 0
    assert contents(begun) == before
    assert reviews.words(begun, "lab", FIRST) == {"a1": "no", "a2": "no"}


def test_a_message_twice_in_one_call_counts_once(begun):
    message = say("lab", "a1", "yes", client_id="m1")
    assert reviews.decide(begun, [message, message, say("lab", "a2", "yes", client_id="m2")]) == 2


def test_messages_without_an_id_all_count(begun):
    assert reviews.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "yes")]) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(say("no", "a2", "yes"), "There is no report 'no'; the reports are: his, lab", id="report"),
        pytest.param(say("lab", "a2", "yes", THIRD), f"There is no issue of {THIRD}; the newest is", id="issue"),
        pytest.param(say("lab", "no", "yes"), f"There is no paper 'no' in the issue of {FIRST}", id="paper"),
        pytest.param(say("lab", "b1", "yes"), f"There is no paper 'b1' in the issue of {FIRST}", id="other-issue"),
    ],
)
def test_all_or_none(begun, wrong, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        reviews.decide(begun, [say("lab", "a1", "yes", person="New"), wrong])
    assert contents(begun) == before


def test_a_word_that_is_none_is_a_bug_and_is_not_kept(begun):
    before = contents(begun)
    with pytest.raises(IntegrityError, match="ck_decision_word"):
        reviews.decide(begun, [dataclasses.replace(say("lab", "a1", "yes"), word="perhaps")])
    assert contents(begun) == before


@pytest.mark.parametrize("ask", [reviews.words, lambda store, report, _: reviews.issued(store, report)])
def test_asking_for_an_unknown_report_is_refused(begun, ask):
    with pytest.raises(RefusedError, match="There is no report 'no'"):
        ask(begun, "no", FIRST)


def test_asking_for_an_unknown_issue_is_refused(begun):
    with pytest.raises(RefusedError, match=f"There is no issue of {THIRD}"):
        reviews.words(begun, "lab", THIRD)


def test_a_report_issue_goes_out_once(begun):
    reviews.decide(begun, [say("lab", "a1", "yes"), say("lab", "a3", "yes")])
    assert send_out(begun, "lab", order=(3, 2, 1)) == (3, 1)
    assert reviews.issued(begun, "lab") == {FIRST: ReportIssue("lab", FIRST, (3, 1), "Ann")}
    before = contents(begun)
    with pytest.raises(RefusedError, match=rf"lab {FIRST} was issued on \d{{4}}-.* UTC and can't be changed any more"):
        send_out(begun, "lab", person="Bo")
    assert contents(begun) == before


def test_nothing_is_decided_after_issuing_but_elsewhere_it_goes_on(begun):
    reviews.decide(begun, [say("lab", "a1", "yes", client_id="m1")])
    send_out(begun, "lab", order=(1, 2, 3))
    with pytest.raises(RefusedError, match=f"lab {FIRST} was issued on"):
        reviews.decide(begun, [say("lab", "b1", "yes", SECOND), say("lab", "a2", "yes")])
    assert reviews.words(begun, "lab", SECOND) == {}
    assert reviews.decide(begun, [say("lab", "a1", "yes", client_id="m1")]) == 0  # a late repetition stays harmless
    assert reviews.decide(begun, [say("lab", "b1", "yes", SECOND), say("his", "a1", "yes")]) == 2


def test_an_empty_report_issue_may_go_out(begun):
    send_out(begun, "lab", SECOND)
    assert reviews.issued(begun, "lab") == {SECOND: ReportIssue("lab", SECOND, (), "Ann")}
    assert reviews.issued(begun, "his") == {}


@pytest.mark.parametrize(
    ("report", "issue"), [pytest.param("no", FIRST, id="report"), pytest.param("lab", THIRD, id="issue")]
)
def test_what_is_not_there_can_not_be_issued(begun, report, issue):
    before = contents(begun)
    with pytest.raises(RefusedError, match="There is no"):
        send_out(begun, report, issue, person="New")
    assert contents(begun) == before


def test_relevant_papers_are_counted_by_their_newest_word(begun):
    first = [say("lab", f"a{n}", "yes") for n in (1, 2, 3)]
    reviews.decide(begun, [*first, say("lab", "b1", "yes", SECOND), say("his", "a1", "maybe")])
    reviews.decide(begun, [say("lab", "a2", "no"), say("lab", "a3", "undecided")])
    assert reviews.n_relevant(begun) == {"his": 0, "lab": 2}


def test_newest_decisions_before_a_date(begun):
    reviews.decide(begun, [say("lab", "b1", "yes", SECOND)])
    reviews.decide(begun, [say("his", "a1", "no")])
    reviews.decide(begun, [say("lab", "a1", "no"), say("lab", "a1", "undecided")])
    assert reviews.newest_decisions(begun, FIRST) == {}
    assert reviews.newest_decisions(begun, SECOND) == {"his": 2, "lab": 4}
    reviews.decide(begun, [say("his", "b2", "yes", SECOND)])
    assert reviews.newest_decisions(begun, SECOND) == {"his": 2, "lab": 4}
    assert reviews.newest_decisions(begun, THIRD) == {"his": 5, "lab": 4}


DECIDE = """
from data import reviews
from data.records import Decision

day = date.fromisoformat(sys.argv[4])
reviews.decide(store, [Decision("lab", day, paper, "yes", "Ann", f"m{paper}") for paper in ("a1", "a2")])
"""


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        pytest.param("INSERT INTO decision", 1, id="between-two"),
        pytest.param("UPDATE revision", 1, id="right-before-the-commit"),
    ],
)
def test_killed_decisions_are_all_there_or_none(begun, statement, count):
    before = contents(begun)
    kill_after(begun.path.parent, statement, count, DECIDE, FIRST)
    assert damage(begun) == []
    assert contents(begun) == before
    again = [say("lab", paper, "yes", client_id=f"m{paper}") for paper in ("a1", "a2")]
    assert reviews.decide(begun, again) == 2


def test_a_decision_is_there_as_soon_as_it_was_saved(begun):
    code = DECIDE + "\nfrom data import catalogue\ncatalogue.set_setting(store, 'demo', '1')"
    kill_after(begun.path.parent, "INSERT INTO setting", 1, code, FIRST)
    assert reviews.words(begun, "lab", FIRST) == {"a1": "yes", "a2": "yes"}


messages = st.builds(
    say,
    report=st.sampled_from(["lab", "his"]),
    paper_id=st.sampled_from(["a1", "a2", "a3"]),
    word=st.sampled_from(WORDS),
    person=st.sampled_from(["Ann", "Bo"]),
    client_id=st.none() | st.sampled_from(["m1", "m2", "m3", "m4"]),
)


@given(st.lists(st.lists(messages, max_size=4) | st.sampled_from(["lab", "his"]), max_size=10))
@settings(FIXED, max_examples=30)
def test_the_log_agrees_with_a_plain_one(steps):
    """A step is a call of `decide`, or a report that goes out."""
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        take_in(store, make_issue(3))
        catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
        rows, seen, gone = [], set(), set()
        for step in steps:
            if isinstance(step, str):
                plain_issue(store, step, gone)
            else:
                plain_decide(store, step, rows, seen, gone)
        assert log(store) == [(row.paper_id, row.person, row.word) for row in rows]
        for report in ("lab", "his"):
            words = {row.paper_id: row.word for row in rows if row.report == report}
            assert reviews.words(store, report, FIRST) == {p: w for p, w in words.items() if w != "undecided"}
            assert reviews.n_relevant(store)[report] == list(words.values()).count("yes")
            numbers = [number for number, row in enumerate(rows, 1) if row.report == report]
            assert reviews.newest_decisions(store, SECOND).get(report) == max(numbers, default=None)
        store.close()


def plain_issue(store, report, gone):
    if report in gone:
        with pytest.raises(RefusedError):
            send_out(store, report)
    else:
        send_out(store, report)
        gone.add(report)


def plain_decide(store, step, rows, seen, gone):
    new, known = [], set(seen)
    for message in step:
        if message.client_id is None or message.client_id not in known:
            new.append(message)
            known |= {message.client_id} - {None}
    if any(message.report in gone for message in new):
        with pytest.raises(RefusedError):
            reviews.decide(store, step)
    else:
        assert reviews.decide(store, step) == len(new)
        rows.extend(new)
        seen |= known
