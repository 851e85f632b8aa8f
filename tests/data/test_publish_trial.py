"""A trial does everything, says what an import would say, and leaves nothing."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from data.publish import publish
from data.records import Origin
from tests.data.test_publish_copies import COPY, KNOWN, OTHER
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, damage, make_issue, make_listed, n_unlisted, take_in

ROWS = [
    COPY,
    replace(OTHER, selected_by=("lab", "new"), origin=Origin("week.csv", 2)),
    *make_issue(7, SECOND, selected={"lab": [2]}),
    replace(KNOWN, issue=SECOND, doi="10.1257/aer.1"),
    make_listed("s1", THIRD, title="Another paper on jobs"),
]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("is_matched", [True, False])
def test_a_trial_tells_what_the_import_does_and_leaves_nothing(store, is_matched):
    take_in(store, [KNOWN, *make_issue(3, selected={"lab": [1]})])
    before = contents(store)
    trial = publish(store, ROWS, person="somebody new", is_trial=True, is_matched=is_matched)
    assert contents(store) == before
    assert damage(store) == []
    assert trial == publish(store, ROWS, person="somebody new", is_matched=is_matched)
    assert (trial.summary.matched, len(trial.new)) == ((1, 9) if is_matched else (0, 10))
    assert contents(store) != before
    again = publish(store, ROWS, person="files", is_trial=True)
    assert (again.new, again.updated, again.matched, again.summary.new_listings) == ((), (), (), 0)


def test_a_trial_in_an_empty_workspace_leaves_it_empty(store):
    trial = publish(store, make_issue(3, FIRST), person="files", is_trial=True)
    assert [change.paper_id for change in trial.new] == ["a1", "a2", "a3"]
    assert not any(rows for name, rows in contents(store).items())


def test_a_trial_of_a_broken_file_raises_and_leaves_nothing(store):
    def broken():
        yield from ROWS
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        publish(store, broken(), person="files", is_trial=True)
    assert n_unlisted(store) == 0


def test_an_error_in_a_trial_is_an_error(store):
    @event.listens_for(store.engine, "after_cursor_execute")
    def fail(_connection, _cursor, sql, *_):
        if sql.lstrip().startswith("INSERT INTO listing"):
            raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        publish(store, ROWS, person="files", is_trial=True)
    event.remove(store.engine, "after_cursor_execute", fail)
    assert n_unlisted(store) == 0
