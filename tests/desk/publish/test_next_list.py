"""The next pending list after a publication."""

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.pending import pending
from presort.data.editing.publications import reopen
from presort.desk.publish.page import next_list


def test_the_oldest_of_the_report_comes_first_then_the_oldest_of_all(store, newest, listings):
    day = min(publications.published(store, "mac"))
    reopen(store, "mac", day, "One is missing.", person="ada")

    def found(report):
        one = next_list(store, report, today=newest)
        return None if one is None else (one.report, one.issue)

    assert found("mac") == ("mac", day)
    assert found("lab") == ("lab", newest)
    publications.publish_report_issue(store, "lab", newest, [1], ranking_id=None, person="ada")
    assert found("lab") == ("mac", day)
    codes = [report.code for report in catalogue.reports(store)]
    for one in pending(store, codes, today=newest):
        publications.publish_report_issue(store, one.report, one.issue, [1], ranking_id=None, person="ada")
    assert found("lab") is None
