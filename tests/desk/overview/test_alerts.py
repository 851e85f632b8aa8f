"""Alerts: how they are raised, how long an acknowledgement applies, and their log entries."""

from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest

from presort.data.errors import RefusedError
from presort.data.records import AlertEntry
from presort.data.running.alerts import MAX_NOTE, alert_log, log_alert, log_new_alerts
from presort.desk.overview.alert_list import state_of, without_repeats
from presort.desk.overview.alerts import audit_alerts, decline_alerts, early_stop_alerts, is_acknowledged
from presort.desk.scores import alarms, shifts, stop_audit
from presort.metrics import Outcome, score

YEAR = shifts.NEW + shifts.OLD
N_PAPERS = 600


def lists(shares, first="2025-06-02"):
    """Return a table of scores in which a report's last relevant papers are at these shares of the list."""
    weeks = pd.date_range(first, periods=len(shares), freq="7D")
    rng = np.random.default_rng(4)
    lasts = np.clip(np.asarray(shares) * N_PAPERS * rng.uniform(0.6, 1.4, len(shares)), 3, N_PAPERS)
    outcomes = [Outcome([1, 2, int(last)], N_PAPERS) for last in lasts]
    described = pd.DataFrame({"report": "lab", "issue": weeks, "n_relevant": 3, "outcome": outcomes})
    return pd.concat([described, score(outcomes)], axis="columns")


def alert_of(shares):
    """Return the alert on a decline after all these lists were scored, based on the newest 52 issues.

    None if there is none.
    """
    table = lists(shares)
    newest = shifts.newest_rows(table)
    return next(iter(decline_alerts(alarms.add_depth(newest))), None)


def acknowledged(alert):
    return AlertEntry(*alert[:5], True, "", "Ann", datetime(2026, 6, 1, tzinfo=UTC))


DECLINED = [0.05] * shifts.OLD + [0.3] * shifts.NEW


def test_an_acknowledged_decline_stays_acknowledged_while_it_goes_on():
    first = alert_of(DECLINED)
    log = [acknowledged(first)]
    assert is_acknowledged(first, log)
    for n_later in range(1, shifts.NEW):
        later = alert_of(DECLINED + [0.3] * n_later)
        assert later is None or is_acknowledged(later, log), f"{n_later} issues later"


def test_a_new_decline_after_an_acknowledged_one_alerts_again():
    log = [acknowledged(alert_of(DECLINED))]
    later = alert_of(DECLINED + [0.9] * 7)
    assert later is not None
    assert not is_acknowledged(later, log)


def test_an_acknowledgement_does_not_cover_a_decline_of_newer_issues_only():
    recovered = DECLINED + [0.05] * 30 + [0.3] * shifts.NEW
    later = alert_of(recovered)
    assert later is not None
    assert not is_acknowledged(later, [acknowledged(alert_of(DECLINED))])


def test_an_acknowledgement_applies_to_one_report_and_kind():
    alert = alert_of(DECLINED)
    entry = acknowledged(alert)
    for other in (replace(entry, report="mac"), replace(entry, kind="missed"), replace(entry, is_acknowledged=False)):
        assert not is_acknowledged(alert, [other])


def test_an_editor_who_stops_even_earlier_alerts_again():
    weeks = pd.date_range("2025-06-02", periods=YEAR + 8, freq="7D")
    noise = np.arange(len(weeks)) / 1000
    way = np.concatenate([np.ones(shifts.OLD + 8), np.full(5, 0.8), np.full(8, 0.2)]) - noise
    work = pd.DataFrame({"report": "lab", "issue": weeks, "way_to_stop": way})
    (now,) = early_stop_alerts(work)
    assert weeks[-9].date() in now.renewed_after
    assert weeks[-2].date() not in now.renewed_after, "one later list is too few to tell"


def test_an_underestimate_alerts_until_acknowledged_and_again_if_later_lists_show_it():
    weeks = pd.date_range("2026-01-05", periods=10, freq="7D")
    rows = {"report": "lab", "issue": weeks, "n_read_below": 50, "expected_below": 1.0, "found_below": 5, "found": 20}
    (alert,) = audit_alerts(pd.DataFrame(rows))
    assert alert.figure.startswith("50 found")
    assert weeks[3].date() in alert.renewed_after
    assert weeks[-1].date() not in alert.renewed_after


def test_an_underestimate_is_dated_by_the_tested_issues_of_its_report():
    weeks = pd.date_range("2025-01-06", periods=104, freq="7D")
    figures = {"n_read_below": 50, "expected_below": 1.0, "found_below": 1, "found": 20}
    mac = pd.DataFrame({"report": "mac", "issue": weeks, **figures})
    lab = pd.DataFrame({"report": "lab", "issue": weeks[:-1:4], **figures})
    lab.loc[lab["issue"] >= weeks[-shifts.NEW], "found_below"] = 9
    (alert,) = audit_alerts(pd.concat([mac, lab]))
    tested = lab["issue"][lab["issue"] >= weeks[-shifts.NEW]]
    assert (alert.since, alert.up_to) == (tested.min().date(), weeks[-1].date())
    assert not is_acknowledged(alert, [replace(acknowledged(alert), up_to=weeks[-shifts.NEW - 1].date())])


def test_an_acknowledgement_covers_an_underestimate_up_to_the_last_audited_issue():
    weeks = pd.date_range("2026-01-05", periods=10, freq="7D")
    rows = {"report": "lab", "issue": weeks, "n_read_below": 50, "expected_below": 1.0, "found_below": 5, "found": 20}
    audits = pd.DataFrame(rows)
    (alert,) = audit_alerts(audits[:4])
    (later,) = audit_alerts(audits.drop(index=4))
    assert alert.up_to == weeks[3].date()
    assert not is_acknowledged(later, [acknowledged(alert)])


def test_the_newest_entry_of_an_alert_counts(store):
    entry = AlertEntry(
        "lab", "declined", date(2026, 8, 17), date(2026, 11, 9), "9 %", True, "", "Ann", datetime.now(UTC)
    )
    log_alert(store, entry)
    log_alert(store, replace(entry, note="  Asked *Bo*. "))
    log_alert(store, replace(entry, since=date(2026, 8, 24), is_acknowledged=False))
    newest, older = alert_log(store)
    assert (newest.since, newest.is_acknowledged) == (date(2026, 8, 24), False)
    assert (older.note, older.person, older.is_acknowledged) == ("Asked *Bo*.", "Ann", True)


def test_a_note_that_is_too_long_is_refused(store):
    entry = AlertEntry("lab", "silent", date(2026, 8, 17), date(2026, 11, 9), "", True, "", "Ann", datetime.now(UTC))
    with pytest.raises(RefusedError):
        log_alert(store, replace(entry, note="x" * (MAX_NOTE + 1)))
    assert alert_log(store) == []


def test_no_alert_without_audits():
    assert audit_alerts(stop_audit.table([], None)) == []


def test_an_alert_is_logged_once_when_it_is_first_seen(store):
    first = AlertEntry("lab", "declined", date(2026, 8, 17), date(2026, 11, 9), "", False, "", "Ann", datetime.now(UTC))
    later = replace(first, since=date(2026, 8, 24), up_to=date(2026, 11, 16))
    again = replace(first, since=date(2027, 1, 4), up_to=date(2027, 3, 29))
    log_new_alerts(store, [first])
    log_new_alerts(store, [first, later])
    assert [one.since for one in alert_log(store)] == [first.since]
    log_new_alerts(store, [again, replace(again, report="mac")])
    assert [(one.report, one.since) for one in alert_log(store)] == [
        ("mac", again.since),
        ("lab", again.since),
        ("lab", first.since),
    ]


def test_a_new_silence_is_logged_although_the_issues_of_an_older_one_overlap(store):
    first = AlertEntry("lab", "silent", date(2026, 8, 3), date(2026, 8, 24), "", False, "", "Ann", datetime.now(UTC))
    longer = replace(first, up_to=date(2026, 8, 31))
    later = replace(first, since=date(2026, 8, 24), up_to=date(2026, 9, 14))
    log_new_alerts(store, [first])
    log_new_alerts(store, [longer, later])
    assert [one.since for one in alert_log(store)] == [later.since, first.since]
    assert without_repeats(alert_log(store)) == alert_log(store)


def test_the_history_omits_first_sightings_that_were_handled():
    first = AlertEntry("lab", "declined", date(2026, 8, 17), date(2026, 11, 9), "", False, "", "Ann", datetime.now(UTC))
    noted = replace(first, since=date(2026, 8, 24), up_to=date(2026, 11, 16), note="Asked.")
    done = replace(noted, is_acknowledged=True)
    older = replace(first, since=date(2025, 8, 17), up_to=date(2025, 11, 9))
    assert without_repeats([noted, first, older]) == [noted, older]
    assert without_repeats([done, first]) == [done]
    current = {("lab", "declined")}
    assert [state_of(one, current) for one in (first, noted, done)] == ["open", "noted", "acknowledged"]
    assert [state_of(one, set()) for one in (first, noted, done)] == ["ended", "noted, ended", "acknowledged, ended"]
