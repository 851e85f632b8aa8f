"""What is kept by report is made anew for a report whose outcomes came or went, and for no other."""

from data.editing import reopening
from data.learning import outcomes
from desk.ui.kept_by_report import KeptByReport


def test_only_a_report_that_changed_is_made_anew(finished):
    made, kept = [], KeptByReport()

    def make(report):
        made.append(report)
        return report, len(outcomes.scored_rankings(finished, report))

    first = kept.all(finished, make)
    codes = [report for report, _ in first]
    assert made == codes == sorted(codes)
    assert len(codes) > 1
    taken_back = outcomes.scored_rankings(finished, "lab")[0]
    reopening.reopen(finished, "lab", taken_back.issue, "One is missing.", person="Ann")
    made.clear()
    second = kept.all(finished, make)
    assert made == ["lab"]
    assert dict(second) == dict(first) | {"lab": len(outcomes.scored_rankings(finished, "lab"))}
    assert kept.all(finished, make) == second


def test_nothing_is_made_where_nothing_is_scored(store):
    assert KeptByReport().all(store, lambda report: report) == []
