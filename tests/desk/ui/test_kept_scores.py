"""Tables of scores kept by report are those of all reports at once, and only what changed is measured anew."""

import pandas as pd
import pytest

from presort.data.editing import decisions, reopening
from presort.data.learning import outcomes
from presort.desk.scores import table
from presort.desk.service import workflow
from presort.desk.ui.kept_scores import KeptScores


def are_same(found, store, replay):
    for one, other in zip(found, table.scores_and_not_judged(store, replay=replay), strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("replay", [None, 1])
def test_they_are_those_of_all_reports_at_once(replayed, replay):
    kept = KeptScores(replay)
    for _ in range(2):
        are_same(kept.tables(replayed), replayed, replay)


def test_only_a_report_that_changed_is_measured_anew(finished, monkeypatch):
    kept, measured = KeptScores(None), []
    kept.tables(finished)
    measure = table.scores_and_not_judged

    def measured_too(store, *, report, replay):
        measured.append(report)
        return measure(store, report=report, replay=replay)

    taken_back = outcomes.scored_rankings(finished, "lab")[0]
    reopening.reopen(finished, taken_back.report, taken_back.issue, "One is missing.", person="Ann")
    monkeypatch.setattr(table, "scores_and_not_judged", measured_too)
    kept.tables(finished)
    found = kept.tables(finished)
    monkeypatch.undo()
    assert measured == [taken_back.report]
    are_same(found, finished, None)


def test_nothing_is_scored_yet(store):
    are_same(KeptScores(None).tables(store), store, None)


@pytest.mark.parametrize("is_known", [False, True], ids=["all at once", "only its report"])
def test_what_went_out_and_was_taken_back_while_it_was_measured_is_in_none_of_it(finished, is_known, monkeypatch):
    one, kept, measure = outcomes.scored_rankings(finished, "lab")[0], KeptScores(None), table.scores_and_not_judged
    asked = []

    def take_back():
        reopening.reopen(finished, one.report, one.issue, "One is missing.", person="Ann")

    def measured_too_late(store, *, report, replay):
        if not asked:
            decisions.issue_report(store, one.report, one.issue, [], ranking_id=one.ranking_id, person="Ann")
            workflow.score(store)
        asked.append(report)
        return measure(store, report=report, replay=replay)

    if is_known:
        kept.tables(finished)
    take_back()
    monkeypatch.setattr(table, "scores_and_not_judged", measured_too_late)
    kept.tables(finished)
    monkeypatch.undo()
    assert asked[0] == ("lab" if is_known else None)
    take_back()
    are_same(kept.tables(finished), finished, None)
