"""What is kept by report is made anew for a report whose outcomes came or went, and for no other."""

import pandas as pd
import pytest

from presort.data.editing import reopening
from presort.data.learning import outcomes
from presort.desk.ui import kept_by_report
from presort.desk.ui.kept_by_report import KeptByReport


def of_reports(store, report):
    """Return two tables, of which the second has rows of one report only."""
    scored = outcomes.scored_rankings(store, report)
    table = pd.DataFrame({"report": [x.report for x in scored], "ranking": [x.ranking_id for x in scored]})
    return table, table[table["report"] == "mac"].reset_index(drop=True)


def assert_whole(found, store):
    for one, other in zip(found, of_reports(store, None), strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("report", ["lab", "mac"])
def test_only_a_report_that_changed_is_made_anew(finished, report):
    made, kept = [], KeptByReport()

    def make(report):
        made.append(report)
        return of_reports(finished, report)

    for _ in range(2):
        assert_whole(kept.tables(finished, make), finished)
    assert made == [None], "all at once, and then nothing"
    taken_back = outcomes.scored_rankings(finished, report)[0]
    reopening.reopen(finished, report, taken_back.issue, "One is missing.", person="Ann")
    for _ in range(2):
        assert_whole(kept.tables(finished, make), finished)
    assert made == [None, report]


def test_all_are_made_at_once_where_many_changed(finished, monkeypatch):
    monkeypatch.setattr(kept_by_report, "SHARE_AT_ONCE", 1 / 20)
    made, kept = [], KeptByReport()

    def make(report):
        made.append(report)
        return of_reports(finished, report)

    kept.tables(finished, make)
    taken_back = outcomes.scored_rankings(finished, "lab")[0]
    reopening.reopen(finished, "lab", taken_back.issue, "One is missing.", person="Ann")
    assert_whole(kept.tables(finished, make), finished)
    assert made == [None, None], "one report of twelve"


def test_nothing_is_scored(store):
    assert_whole(KeptByReport().tables(store, lambda report: of_reports(store, report)), store)
