"""Tables by report are recomputed only for reports whose outcomes changed."""

from datetime import date

import pandas as pd
import pytest

from presort.data.editing import publications
from presort.data.learning import outcomes
from presort.desk.scores import table
from presort.desk.service import workflow
from presort.desk.ui import state_cache
from presort.desk.ui.state_cache import TablesByReport


def states(store):
    return dict(sorted(outcomes.outcomes_states(store, date.max).items()))


def of_reports(store, report):
    """Return two tables. The second has rows of one report only."""
    scored = outcomes.scored_rankings(store, report)
    table = pd.DataFrame({"report": [x.report for x in scored], "ranking": [x.ranking_id for x in scored]})
    return table, table[table["report"] == "mac"].reset_index(drop=True)


def assert_whole(found, store):
    for one, other in zip(found, of_reports(store, None), strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("report", ["lab", "mac"])
def test_only_a_changed_report_is_recomputed(finished, report):
    made, kept = [], TablesByReport()

    def make(report):
        made.append(report)
        return of_reports(finished, report)

    for _ in range(2):
        assert_whole(kept.tables(states(finished), make), finished)
    assert made == [None], "all at once, and then nothing"
    taken_back = outcomes.scored_rankings(finished, report)[0]
    publications.reopen(finished, report, taken_back.issue, "One is missing.", person="Ann")
    for _ in range(2):
        assert_whole(kept.tables(states(finished), make), finished)
    assert made == [None, report]


def test_all_reports_are_recomputed_together_if_many_changed(finished, monkeypatch):
    monkeypatch.setattr(state_cache, "SHARE_AT_ONCE", 1 / 20)
    made, kept = [], TablesByReport()

    def make(report):
        made.append(report)
        return of_reports(finished, report)

    kept.tables(states(finished), make)
    taken_back = outcomes.scored_rankings(finished, "lab")[0]
    publications.reopen(finished, "lab", taken_back.issue, "One is missing.", person="Ann")
    assert_whole(kept.tables(states(finished), make), finished)
    assert made == [None, None], "one report of twelve"


def test_without_scores_tables_are_empty(store):
    assert_whole(TablesByReport().tables(states(store), lambda report: of_reports(store, report)), store)


def scores_of(kept, store, replay=None):
    """Return tables of scores as pages read them."""
    return kept.tables(
        states(store), lambda report: table.scores_and_not_evaluable(store, report=report, replay=replay)
    )


def assert_scores(found, store, replay=None):
    for one, other in zip(found, table.scores_and_not_evaluable(store, replay=replay), strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("replay", [None, 1])
def test_scores_by_report_equal_those_of_all_reports_at_once(replayed, replay):
    kept = TablesByReport()
    for _ in range(2):
        assert_scores(scores_of(kept, replayed, replay), replayed, replay)


@pytest.mark.parametrize("is_known", [False, True], ids=["all at once", "only its report"])
def test_a_publication_that_is_reopened_during_the_read_leaves_nothing_behind(finished, is_known, monkeypatch):
    one, kept, measure = outcomes.scored_rankings(finished, "lab")[0], TablesByReport(), table.scores_and_not_evaluable
    asked = []

    def take_back():
        publications.reopen(finished, one.report, one.issue, "One is missing.", person="Ann")

    def measured_too_late(store, *, report, replay):
        if not asked:
            publications.publish_report_issue(store, one.report, one.issue, [], ranking_id=one.ranking_id, person="Ann")
            workflow.score(store)
        asked.append(report)
        return measure(store, report=report, replay=replay)

    if is_known:
        scores_of(kept, finished)
    take_back()
    monkeypatch.setattr(table, "scores_and_not_evaluable", measured_too_late)
    scores_of(kept, finished)
    monkeypatch.undo()
    assert asked[0] == ("lab" if is_known else None)
    take_back()
    assert_scores(scores_of(kept, finished), finished)
