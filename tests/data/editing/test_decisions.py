import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.records import Report, ReportIssue
from presort.data.store import Store
from tests.data.workspaces import (
    FIRST,
    SECOND,
    THIRD,
    contents,
    copied,
    damage,
    kill_after,
    make_issue,
    make_ranking,
    say,
    send_out,
    take_in,
)

WORDS = ["yes", "no", "maybe", "undecided"]


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues with five and three papers, and two reports without decisions."""
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def log(store: Store, about: str = "relevant") -> list[tuple[object, ...]]:
    """Return the log entries on relevance or on publishing, oldest first: paper, person, label."""
    with store.reading() as connection:
        rows = connection.execute(
            text(
                "SELECT p.paper_id, n.name, d.label FROM decision d JOIN paper p ON p.id = d.paper_id"
                " JOIN person n ON n.id = d.person_id WHERE d.about = :about ORDER BY d.id"
            ),
            {"about": about},
        )
        return [tuple(row) for row in rows]


def test_nothing_is_decided_yet(begun):
    assert decisions.labels(begun, "lab", FIRST) == {}
    assert decisions.n_relevant(begun) == {"his": 0, "lab": 0}
    assert decisions.newest_decisions(begun, THIRD) == {}
    assert publications.published(begun, "lab") == {}
    assert decisions.decide(begun, []) == 0


@pytest.mark.parametrize("label", WORDS)
def test_one_decision(begun, label):
    assert decisions.decide(begun, [say("lab", "a2", label)]) == 1
    assert decisions.labels(begun, "lab", FIRST) == ({} if label == "undecided" else {"a2": label})
    assert decisions.labels(begun, "his", FIRST) == decisions.labels(begun, "lab", SECOND) == {}


def test_the_log_only_grows_and_the_newest_decision_is_current(begun):
    for label in ("yes", "undecided", "no"):
        decisions.decide(begun, [say("lab", "a1", label)])
    decisions.decide(begun, [say("lab", "a1", "maybe", person="Bo")])
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "maybe"}
    assert log(begun) == [("a1", "Ann", "yes"), ("a1", "Ann", "undecided"), ("a1", "Ann", "no"), ("a1", "Bo", "maybe")]


def test_both_kinds_of_decisions_in_one_call(begun):
    entries = [say("lab", "a1", "yes"), say("lab", "a1", "no", about="publish"), say("lab", "a2", "maybe")]
    assert decisions.decide(begun, entries) == 3
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "yes", "a2": "maybe"}
    assert decisions.labels(begun, "lab", FIRST, "publish") == {"a1": "no"}
    assert decisions.n_relevant(begun)["lab"] == 1


@pytest.mark.parametrize("label", ["maybe", "undecided"])
def test_decisions_on_publishing_are_only_yes_or_no(begun, label):
    before = contents(begun)
    with pytest.raises(IntegrityError, match="ck_decision_label"):
        decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", label, about="publish")])
    assert contents(begun) == before


def test_a_decision_stores_the_ranking_that_was_shown(begun):
    rankings.add_rankings(begun, [make_ranking()])
    decisions.decide(begun, [say("lab", "a1", "yes", shown=1), say("lab", "a2", "yes")])
    send_out(begun, "lab", shown=1)
    with begun.reading() as connection:
        rows = connection.exec_driver_sql("SELECT about, ranking_id FROM decision ORDER BY id").all()
    assert rows == [("relevant", 1), ("relevant", None), ("publish", 1), ("publish", 1)]


def test_a_ranking_that_is_not_there_is_a_bug(begun):
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        decisions.decide(begun, [say("lab", "a1", "yes", shown=7)])
    assert decisions.labels(begun, "lab", FIRST) == {}


def test_decisions_are_logged_in_the_given_order(begun):
    """Also if reports, issues and people alternate."""
    entries = [
        say("lab", "a2", "yes"),
        say("his", "a1", "no", person="Bo"),
        say("lab", "b1", "yes", SECOND),
        say("lab", "a1", "maybe", person="Bo"),
    ]
    assert decisions.decide(begun, entries) == 4
    assert log(begun) == [("a2", "Ann", "yes"), ("a1", "Bo", "no"), ("b1", "Ann", "yes"), ("a1", "Bo", "maybe")]
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "maybe", "a2": "yes"}
    assert decisions.labels(begun, "lab", SECOND) == {"b1": "yes"}


def test_an_unpublished_relevant_paper_stays_relevant(begun):
    decisions.decide(begun, [say("lab", paper, "yes") for paper in ("a1", "a2", "a3")])
    decisions.decide(begun, [say("lab", "a2", "no", about="publish")])
    assert send_out(begun, "lab", order=(3, 2, 1)) == (3, 1)
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "yes", "a2": "yes", "a3": "yes"}
    assert decisions.labels(begun, "lab", FIRST, "publish") == {"a1": "yes", "a2": "no", "a3": "yes"}
    assert read_history(begun, FIRST).relevant["lab"].tolist() == [0, 1, 2]


def test_a_report_issue_with_nothing_published_says_so_in_the_log(begun):
    """The new log entry makes rankings of later issues outdated, because undecided papers now count as negatives."""
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "no", about="publish")])
    before = decisions.newest_decisions(begun, SECOND)["lab"]
    assert send_out(begun, "lab", order=(1, 2, 3)) == ()
    assert decisions.newest_decisions(begun, SECOND)["lab"] > before
    assert log(begun, "publish") == [("a1", "Ann", "no"), ("a1", "Ann", "no")]


def test_a_relevant_paper_outside_the_order_is_published_last(begun):
    decisions.decide(begun, [say("lab", paper, "yes") for paper in ("a1", "a2", "a4")])
    assert send_out(begun, "lab", order=(4, 3)) == (4, 1, 2)


def test_within_one_call_the_last_decision_is_current(begun):
    assert decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "no")]) == 2
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "no"}


def test_a_repeated_message_is_harmless(begun):
    message = [say("lab", "a1", "yes", client_id="m1"), say("lab", "a2", "no", client_id="m2")]
    assert decisions.decide(begun, message) == 2
    assert decisions.decide(begun, [say("lab", "a1", "no", client_id="m3")]) == 1
    before = contents(begun)
    assert decisions.decide(begun, message) == 0
    assert contents(begun) == before
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "no", "a2": "no"}


def test_a_message_twice_in_one_call_counts_once(begun):
    message = say("lab", "a1", "yes", client_id="m1")
    assert decisions.decide(begun, [message, message, say("lab", "a2", "yes", client_id="m2")]) == 2


def test_messages_without_an_id_all_count(begun):
    assert decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "yes")]) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(say("no", "a2", "yes"), "There is no report 'no'. Reports: his, lab", id="report"),
        pytest.param(say("lab", "a2", "yes", THIRD), f"There is no issue of {THIRD}", id="issue"),
        pytest.param(say("lab", "no", "yes"), f"The issue of {FIRST} has no paper 'no'", id="paper"),
        pytest.param(say("lab", "b1", "yes"), f"The issue of {FIRST} has no paper 'b1'", id="other-issue"),
    ],
)
def test_all_or_none(begun, wrong, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        decisions.decide(begun, [say("lab", "a1", "yes", person="New"), wrong])
    assert contents(begun) == before


def test_an_invalid_label_is_a_bug_and_is_not_stored(begun):
    before = contents(begun)
    with pytest.raises(IntegrityError, match="ck_decision_label"):
        decisions.decide(begun, [dataclasses.replace(say("lab", "a1", "yes"), label="perhaps")])
    assert contents(begun) == before


@pytest.mark.parametrize("ask", [decisions.labels, lambda store, report, _: publications.published(store, report)])
def test_asking_for_an_unknown_report_is_refused(begun, ask):
    with pytest.raises(RefusedError, match="There is no report 'no'"):
        ask(begun, "no", FIRST)


def test_asking_for_an_unknown_issue_is_refused(begun):
    with pytest.raises(RefusedError, match=f"There is no issue of {THIRD}"):
        decisions.labels(begun, "lab", THIRD)


def test_a_report_issue_is_published_once(begun):
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a3", "yes")])
    assert send_out(begun, "lab", order=(3, 2, 1)) == (3, 1)
    assert publications.published(begun, "lab") == {FIRST: ReportIssue("lab", FIRST, (3, 1), "Ann", n_papers=5)}
    assert log(begun, "publish") == [("a1", "Ann", "yes"), ("a3", "Ann", "yes")]
    before = contents(begun)
    with pytest.raises(RefusedError, match=rf"lab {FIRST} was published on \d{{4}}-.* UTC. Reopen it to"):
        send_out(begun, "lab", person="Bo")
    assert contents(begun) == before


def test_decisions_on_a_published_report_issue_are_refused(begun):
    decisions.decide(begun, [say("lab", "a1", "yes", client_id="m1")])
    send_out(begun, "lab", order=(1, 2, 3))
    with pytest.raises(RefusedError, match=f"lab {FIRST} was published on"):
        decisions.decide(begun, [say("lab", "b1", "yes", SECOND), say("lab", "a2", "yes")])
    assert decisions.labels(begun, "lab", SECOND) == {}
    assert decisions.decide(begun, [say("lab", "a1", "yes", client_id="m1")]) == 0  # a late repetition has no effect
    assert decisions.decide(begun, [say("lab", "b1", "yes", SECOND), say("his", "a1", "yes")]) == 2


def test_an_empty_report_issue_can_be_published(begun):
    send_out(begun, "lab", SECOND)
    assert publications.published(begun, "lab") == {SECOND: ReportIssue("lab", SECOND, (), "Ann", n_papers=3)}
    assert publications.published(begun, "his") == {}


@pytest.mark.parametrize(
    ("report", "issue"), [pytest.param("no", FIRST, id="report"), pytest.param("lab", THIRD, id="issue")]
)
def test_an_unknown_report_issue_can_not_be_published(begun, report, issue):
    before = contents(begun)
    with pytest.raises(RefusedError, match="There is no"):
        send_out(begun, report, issue, person="New")
    assert contents(begun) == before


def test_relevant_papers_are_counted_by_current_decisions(begun):
    first = [say("lab", f"a{n}", "yes") for n in (1, 2, 3)]
    decisions.decide(begun, [*first, say("lab", "b1", "yes", SECOND), say("his", "a1", "maybe")])
    decisions.decide(begun, [say("lab", "a2", "no"), say("lab", "a3", "undecided")])
    assert decisions.n_relevant(begun) == {"his": 0, "lab": 2}
    assert decisions.n_relevant(begun, ["lab"]) == {"lab": 2}


@pytest.mark.of_file  # returns the query plan without running the query
def test_counting_for_one_report_reads_no_rows_of_others(begun):
    query = []

    @event.listens_for(begun.engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, parameters, *_):
        query.append((statement, parameters))

    decisions.n_relevant(begun, ["lab"])
    statement, parameters = query[-1]
    with begun.reading() as connection:
        plan = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    (of_words,) = (step for step in plan if "current_decisions" in step)
    assert of_words.startswith("SEARCH ")
    assert "report_id=?" in of_words


def test_newest_decisions_before_a_date(begun):
    decisions.decide(begun, [say("lab", "b1", "yes", SECOND)])
    decisions.decide(begun, [say("his", "a1", "no")])
    decisions.decide(begun, [say("lab", "a1", "no"), say("lab", "a1", "undecided")])
    assert decisions.newest_decisions(begun, FIRST) == {}
    assert decisions.newest_decisions(begun, SECOND) == {"his": 2, "lab": 4}
    decisions.decide(begun, [say("his", "b2", "yes", SECOND)])
    assert decisions.newest_decisions(begun, SECOND) == {"his": 2, "lab": 4}
    assert decisions.newest_decisions(begun, THIRD) == {"his": 5, "lab": 4}
    assert decisions.newest_decisions_before(begun, [THIRD, FIRST, SECOND]) == {
        day: decisions.newest_decisions(begun, day) for day in (FIRST, SECOND, THIRD)
    }


DECIDE = """
from presort.data.editing import decisions
from presort.data.records import Decision

day = date.fromisoformat(sys.argv[4])
decisions.decide(store, [Decision("lab", day, paper, "yes", "Ann", f"m{paper}") for paper in ("a1", "a2")])
"""


@pytest.mark.each_on_both
@pytest.mark.whole
@pytest.mark.parametrize(
    ("statement", "count"),
    [
        pytest.param("INSERT INTO decision", 1, id="right-after-the-log"),
        pytest.param("UPDATE revision", 1, id="right-before-the-commit"),
    ],
)
def test_a_killed_process_leaves_all_or_no_decisions_of_a_call(begun, statement, count):
    before = contents(begun)
    kill_after(begun.folder, statement, count, DECIDE, FIRST)
    assert damage(begun) == []
    assert contents(begun) == before
    again = [say("lab", paper, "yes", client_id=f"m{paper}") for paper in ("a1", "a2")]
    assert decisions.decide(begun, again) == 2


def test_a_saved_decision_is_visible_at_once(begun):
    code = DECIDE + "\nfrom presort.data import catalogue\ncatalogue.set_setting(store, 'demo', '1')"
    kill_after(begun.folder, "INSERT INTO setting", 1, code, FIRST)
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "yes", "a2": "yes"}


messages = st.builds(
    say,
    report=st.sampled_from(["lab", "his"]),
    paper_id=st.sampled_from(["a1", "a2", "a3"]),
    label=st.sampled_from(WORDS),
    person=st.sampled_from(["Ann", "Bo"]),
    client_id=st.none() | st.sampled_from(["m1", "m2", "m3", "m4"]),
)
ticks = st.builds(
    say,
    report=st.sampled_from(["lab", "his"]),
    paper_id=st.sampled_from(["a1", "a2", "a3"]),
    label=st.sampled_from(["yes", "no"]),
    client_id=st.none() | st.sampled_from(["m1", "m5"]),
    about=st.just("publish"),
)
steps_of_a_week = st.lists(messages | ticks, max_size=4) | st.sampled_from(["lab", "his"])


@pytest.mark.of_file
def test_the_log_agrees_with_a_slow_reference(begun):
    """Each step is a call of `decide`, or publishes a report issue, or reopens it if it is published."""
    begun.close()

    @given(st.lists(steps_of_a_week, max_size=12))
    def agree(steps):
        with copied(begun) as store:
            assert_plain_log(store, steps)

    agree()


def assert_plain_log(store, steps):
    rows, seen, gone = [], set(), set()
    for step in steps:
        if isinstance(step, str):
            plain_issue(store, step, rows, gone)
        else:
            plain_decide(store, step, rows, seen, gone)
    for about in ("relevant", "publish"):
        of_kind = [row for row in rows if row.about == about]
        assert log(store, about) == [(row.paper_id, row.person, row.label) for row in of_kind]
    for report in ("lab", "his"):
        for about in ("relevant", "publish"):
            assert decisions.labels(store, report, FIRST, about) == plain_words(rows, report, about)
        words = plain_words(rows, report, "relevant")
        assert decisions.n_relevant(store)[report] == list(words.values()).count("yes")
        numbers = [number for number, row in enumerate(rows, 1) if row.report == report]
        assert decisions.newest_decisions(store, SECOND).get(report) == max(numbers, default=None)


def plain_words(rows, report, about):
    words = {row.paper_id: row.label for row in rows if (row.report, row.about) == (report, about)}
    return {paper: label for paper, label in words.items() if label != "undecided"}


def plain_issue(store, report, rows, gone):
    if report in gone:
        with pytest.raises(RefusedError):
            send_out(store, report)
        reopen(store, report, FIRST, "One is missing.", person="Bo")
        gone.discard(report)
        return
    publish = plain_words(rows, report, "publish")
    relevant = sorted(paper for paper, label in plain_words(rows, report, "relevant").items() if label == "yes")
    kept = [paper for paper in relevant if publish.get(paper) != "no"]
    assert send_out(store, report, order=(5, 4, 3, 2, 1)) == tuple(int(paper[1]) for paper in reversed(kept))
    rows.extend(say(report, paper, "yes" if paper in kept else "no", about="publish") for paper in relevant)
    gone.add(report)


def plain_decide(store, step, rows, seen, gone):
    new, known = [], set(seen)
    for message in step:
        if message.client_id is None or message.client_id not in known:
            new.append(message)
            known |= {message.client_id} - {None}
    if any(message.report in gone for message in new):
        with pytest.raises(RefusedError):
            decisions.decide(store, step)
    else:
        assert decisions.decide(store, step) == len(new)
        rows.extend(new)
        seen |= known
