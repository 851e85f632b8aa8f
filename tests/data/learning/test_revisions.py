"""Caches identify outcomes and stop audits by the revision of their change, independently of the clock."""

from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.learning import outcomes, rankings
from presort.data.learning.stop_audits import (
    add_stop_audits,
    rankings_without_audit,
    read_stop_audits,
    stop_audits_state,
)
from presort.data.records import Report, StopAudit
from presort.data.store import open_store
from tests.clock import Clock
from tests.data.learning.test_what_was_known import places_of
from tests.data.workspaces import FIRST, SECOND, contents, make_issue, make_ranking, say, take_in

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
DAYS = (FIRST, SECOND)


def begin(store):
    """Two issues, each ranked for two reports."""
    take_in(store, make_issue(4), make_issue(4, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macro")])
    made = [
        make_ranking(code, day, order=(3, 1, 4, 2), scores=[2.0, 1.0, 0.5, -1.0])
        for code in ("lab", "mac")
        for day in DAYS
    ]
    rankings.add_rankings(store, made)
    return store


def publish(store, report, day):
    publications.publish_report_issue(store, report, day, [], ranking_id=None, person="Ann")


def audit(store, n=9):
    for numbers in rankings_without_audit(store).values():
        add_stop_audits(store, [StopAudit(one, 1, 0.25, 1, 2) for one in sorted(numbers)[:n]])


def test_recomputed_outcomes_change_the_state_although_the_clock_was_a_year_ahead(store, monkeypatch):
    clock = Clock(NOON + timedelta(days=365)).install(monkeypatch)
    begin(store)
    publish(store, "lab", FIRST)
    outcomes.score_published_issues(store, places_of)
    audit(store)
    before = outcomes.outcomes_state(store), stop_audits_state(store), read_stop_audits(store)
    clock.now = NOON
    reopen(store, "lab", FIRST, "One is missing.", person="Ann")
    decisions.decide(store, [say("lab", "a1", "yes")])
    publish(store, "lab", FIRST)
    outcomes.score_published_issues(store, places_of)
    audit(store)
    assert outcomes.outcomes_state(store) != before[0]
    assert stop_audits_state(store) != before[1], "it is the audit of another outcome"


def test_a_replaced_audit_changes_the_state(store, monkeypatch):
    Clock(NOON).install(monkeypatch)
    begin(store)
    for report in ("lab", "mac"):
        publish(store, report, FIRST)
    outcomes.score_published_issues(store, places_of)
    audit(store, n=1)
    state, kept = stop_audits_state(store), read_stop_audits(store)
    reopen(store, "lab", FIRST, "One is missing.", person="Ann")
    audit(store, n=1)
    assert len(read_stop_audits(store)) == len(kept) == 1
    assert read_stop_audits(store) != kept
    assert stop_audits_state(store) != state


steps = st.tuples(
    st.sampled_from(["publish", "reopen", "score", "audit"]),
    st.sampled_from(["lab", "mac"]),
    st.sampled_from(DAYS),
    st.integers(-400, 400),
)


@pytest.mark.of_file
@settings(max_examples=15)
@given(st.lists(steps, max_size=10))
def test_equal_states_mean_equal_rows_whatever_the_clock_shows(empty_workspace, walk):
    """Compared with all rows: data that a page caches under a state is never shown for different rows."""
    seen = {}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        clock = Clock(NOON).install(patch)
        with closing(open_store(Path(folder))) as store:
            begin(store)
            out = set()
            for do, report, day, days in walk:
                clock.move(days=days)
                if do == "publish" and (report, day) not in out:
                    publish(store, report, day)
                    out.add((report, day))
                elif do == "reopen" and (report, day) in out:
                    reopen(store, report, day, "One is missing.", person="Ann")
                    out.discard((report, day))
                elif do == "score":
                    outcomes.score_published_issues(store, places_of)
                elif do == "audit":
                    audit(store, n=1)
                rows = contents(store)
                for kind, state, table in (
                    ("outcome", outcomes.outcomes_state(store), "outcome"),
                    ("lab", outcomes.outcomes_states(store, date.max, "lab").get("lab"), "outcome"),
                    ("audit", stop_audits_state(store), "stop_audit"),
                ):
                    held = [row for row in rows[table] if kind != "lab" or row[0] in (1, 2)]
                    assert seen.setdefault((kind, state), held) == held
