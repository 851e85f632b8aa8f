from datetime import UTC, datetime, timedelta

from presort.data import catalogue
from presort.data.editing.publication_events import publication_events
from presort.data.editing.publications import publication_log, reopen
from presort.data.records import Report
from tests.data.workspaces import FIRST, SECOND, make_issue, send_out, take_in

EVER = datetime(2000, 1, 1, tzinfo=UTC)


def test_publications_and_reopenings_are_events_in_order(store):
    take_in(store, make_issue(3), make_issue(3, SECOND, selected={"his": [1]}))  # imported selections have none
    catalogue.add_reports(store, [Report("lab", "Labour")])
    assert publication_events(store, EVER) == []
    send_out(store, "lab")
    send_out(store, "lab", SECOND)
    reopen(store, "lab", FIRST, "A wrong paper.", person="Ann")
    send_out(store, "lab")
    found = publication_events(store, EVER)
    assert [(one.type, one.report, one.issue) for one in found] == [
        ("report_issue.published", "lab", FIRST),
        ("report_issue.published", "lab", SECOND),
        ("report_issue.reopened", "lab", FIRST),
        ("report_issue.published", "lab", FIRST),
    ]
    log = publication_log(store, "lab", FIRST)
    assert [found[0].at, found[2].at, found[3].at] == [log[0].made_at, log[0].reopened.made_at, log[1].made_at]
    assert publication_events(store, found[1].at) == found[2:]
    assert publication_events(store, found[3].at + timedelta(seconds=1)) == []
