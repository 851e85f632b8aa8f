"""The stored current decisions match the log, whichever function adds to it."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.publications import reopen
from presort.data.records import Report
from presort.data.store import Store
from presort.data.tables import CurrentDecisionsRow
from presort.data.tables.current_decisions import update_current_decisions
from tests.data.workspaces import FIRST, SECOND, contents, copied, make_issue, make_listed, say, send_out, take_in

DECISIONS = st.tuples(
    st.sampled_from(["lab", "his"]),
    st.sampled_from([(FIRST, "a1"), (FIRST, "a4"), (FIRST, "a2"), (SECOND, "b1"), (SECOND, "b3")]),
    st.sampled_from([*((label, "relevant") for label in ("yes", "no", "maybe", "undecided")), ("no", "publish")]),
)


def counted(rows):
    """Return the expected rows, computed from all rows of the log one by one."""
    position = {(issue, paper): place for issue, place, paper in rows["listing"]}
    words, newest = defaultdict[tuple[int, int], dict[int, str]](dict), {}
    for number, _, report, issue, paper, _, _, about, label, *_ in rows["decision"]:
        newest[report, issue] = number
        if about == "relevant":
            words[report, issue][position[issue, paper]] = label
    return [
        (*pair, *(_packed(words[pair], label) for label in ("yes", "maybe", "no")), newest[pair])
        for pair in sorted(newest)
    ]


def _packed(words, wanted):
    return np.array(sorted(place for place, label in words.items() if label == wanted), "<i4").tobytes()


def is_right(store):
    rows = contents(store)
    return rows["current_decisions"] == counted(rows)


@pytest.fixture
def begun(store: Store) -> Store:
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


@pytest.mark.of_file
def test_decisions_of_any_kind_in_any_order(begun):
    @given(st.lists(st.lists(DECISIONS, max_size=6), max_size=5))
    def check(groups):
        with copied(begun) as store:
            for group in groups:
                log = (
                    say(report, paper, label, issue, about=about) for report, (issue, paper), (label, about) in group
                )
                decisions.decide(store, list(log))
                assert is_right(store)

    check()


def test_every_function_that_logs_decisions_updates_the_table(begun):
    decisions.decide(begun, [say("lab", "a2", "yes"), say("lab", "a1", "maybe"), say("lab", "b1", "yes", SECOND)])
    assert is_right(begun)
    send_out(begun, "lab")
    assert is_right(begun), "what went out is in the log, too"
    reopen(begun, "lab", FIRST, "too early", person="Ann")
    decisions.decide(begun, [say("lab", "a2", "no")])
    assert is_right(begun)
    selected = [make_listed(f"a{n}", FIRST, selected_by=("his", "new")) for n in (3, 1)]
    take_in(begun, [*selected, make_listed("a9", FIRST, selected_by=("new",))])
    assert is_right(begun)
    assert decisions.n_relevant(begun) == {"his": 2, "lab": 1, "new": 3}


def test_decisions_of_an_older_version_are_included_with_the_next_one(begun):
    decisions.decide(begun, [say("lab", "a1", "yes")])
    before = contents(begun)
    decisions.decide(begun, [say("lab", "a2", "yes"), say("his", "b1", "no", SECOND)])
    with begun.writing() as connection:
        connection.execute(delete(CurrentDecisionsRow))
        connection.execute(insert(CurrentDecisionsRow).values(before["current_decisions"]))
    assert not is_right(begun)
    decisions.decide(begun, [say("his", "a1", "no")])
    assert is_right(begun)


@pytest.mark.parametrize("at_once", [1, 2])
def test_an_empty_table_is_computed_from_the_whole_log(begun, at_once, monkeypatch):
    monkeypatch.setattr("presort.data.index.paper_index.AT_ONCE", at_once)
    papers = [(FIRST, "a1"), (SECOND, "b2"), (FIRST, "a3")]
    decisions.decide(begun, [say(report, paper, "yes", issue) for report in ("lab", "his") for issue, paper in papers])
    whole = contents(begun)["current_decisions"]
    assert len(whole) == 4
    with begun.writing() as connection:
        connection.exec_driver_sql("DELETE FROM current_decisions")
        update_current_decisions(connection)
    assert contents(begun)["current_decisions"] == whole
