"""Alerts on *Overview*, and the rules that determine which alerts an acknowledgement covers."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd

from presort.data.records import AlertEntry, AlertKind, Holiday
from presort.desk.scores.alarms import (
    add_share_read,
    find_early_stops,
    find_silences,
    find_worse_by_depth,
)
from presort.desk.scores.formats import percent
from presort.desk.scores.shifts import NEW, has_shifted_since
from presort.desk.scores.stop_audit import underestimates
from presort.desk.text import count_text
from presort.metrics.rank_sum import value_sum_p

KINDS: Mapping[AlertKind, str] = {
    "declined": "Declined",
    "missed": "More missed than expected",
    "stops early": "Editor stops early",
    "silent": "No decisions",
}
KINDS_HELP = (
    f"**Declined**: the last relevant paper is deeper in the newest {NEW} issues than in up to 39 earlier issues. The "
    f"figures are the reading effort in the {NEW} issues before and in the newest {NEW}.  \n"
    "**More missed than expected**: more relevant papers were found below the stop points than expected.  \n"
    "**Editor stops early**: a smaller share of the papers above the stop point was read than before.  \n"
    "**No decisions**: no decision for at least three issues and 14 days, longer than any other gap in 52 issues.  \n"
    "Tests are corrected for the number of reports. For each kind, fewer than 5 % of weeks have a false alert."
)


class Alert(NamedTuple):
    """Alert to directors about a report.

    Attributes
    ----------
    report : str
        Report code.
    kind : AlertKind
        Kind of alert.
    since, up_to : date
        Dates of the first and the last issue that raised the alert. For the kinds of alerts that have a test, `up_to`
        is one of the tested issues, so that `renewed_after` can contain it.
    figure : str
        Figure to show, such as the earlier and the current value.
    chance : float
        p-value, corrected for the number of reports. NaN if there is no test for this kind of alert.
    renewed_after : tuple of date
        Issues after which the report has shifted again. An acknowledgement made at one of these issues no longer hides
        the alert.
    """

    report: str
    kind: AlertKind
    since: date
    up_to: date
    figure: str
    chance: float = math.nan
    renewed_after: tuple[date, ...] = ()


def decline_alerts(tested: pd.DataFrame) -> list[Alert]:
    """Return alerts for reports that declined, lowest p-value first. `tested` is a result of `alarms.add_depth`."""
    days = _days(tested)
    return [
        Alert(
            one.report,
            "declined",
            one.since,
            days[-1],
            f"{percent(one.before)} → {percent(one.now)}",
            one.chance,
            tuple(
                day for day in days if has_shifted_since(tested, one.report, day, towards="higher", p_value=value_sum_p)
            ),
        )
        for one in find_worse_by_depth(tested)
    ]


def early_stop_alerts(work: pd.DataFrame) -> list[Alert]:
    """Return alerts for reports whose editors now read a smaller share of the papers above the stop point."""
    tested = add_share_read(work)
    days = _days(tested)
    return [
        Alert(
            one.report,
            "stops early",
            one.since,
            days[-1],
            f"{percent(one.before)} → {percent(one.now)} of papers above the stop point",
            one.chance,
            tuple(day for day in days if has_shifted_since(tested, one.report, day, towards="lower")),
        )
        for one in find_early_stops(work)
    ]


def audit_alerts(audits: pd.DataFrame) -> list[Alert]:
    """Return alerts for reports with more relevant papers below the stop points than expected."""
    found, days = [], _days(audits)
    for one in underestimates(audits):
        # Only the newest issues of the service are tested, of which this report may have only a few.
        mine = audits[(audits["report"] == one.report) & (audits["issue"] >= pd.Timestamp(days[0]))]
        renewed = (day for day in days if underestimates(mine[mine["issue"] > pd.Timestamp(day)]))
        figure = f"{one.found} found, {one.expected:.0f} expected"
        since = mine["issue"].min().date()
        found.append(Alert(one.report, "missed", since, days[-1], figure, one.chance, tuple(renewed)))
    return found


def silence_alerts(
    decided: Mapping[str, Sequence[date]],
    issues: Sequence[date],
    *,
    today: date,
    holidays: Sequence[Holiday],
    since: Mapping[str, date],
) -> list[Alert]:
    """Return alerts for reports without recent decisions. The parameters are the same as for `alarms.find_silences`."""
    return [
        Alert(one.report, "silent", one.since, issues[-1], count_text(one.n_issues, "issue"))
        for one in find_silences(decided, issues, today=today, holidays=holidays, since=since)
    ]


def is_acknowledged(alert: Alert, log: Sequence[AlertEntry]) -> bool:
    """Return True if a director has acknowledged an alert and later issues haven't raised it again.

    An acknowledgement covers an alert as long as at least one of the issues that raise the alert dates from before the
    acknowledgement. It no longer covers the alert if the report has shifted again since then: see
    `shifts.has_shifted_since`. For alerts about missing decisions, an acknowledgement covers alerts with the same first
    issue.

    Examples
    --------
    >>> from datetime import datetime
    >>> def acknowledged(since, up_to):
    ...     return AlertEntry("lab", "declined", since, up_to, "", True, "", "Ann", datetime(2026, 11, 23))
    >>> alert = Alert("lab", "declined", date(2026, 8, 24), date(2026, 11, 16), "9 % → 40 %")
    >>> is_acknowledged(alert, [acknowledged(date(2026, 8, 17), date(2026, 11, 9))])
    True
    >>> is_acknowledged(alert, [acknowledged(date(2026, 5, 11), date(2026, 8, 3))])
    False
    """
    same = [one for one in log if (one.report, one.kind, one.is_acknowledged) == (alert.report, alert.kind, True)]
    if alert.kind == "silent":
        return any(one.since == alert.since for one in same)
    up_to = max((one.up_to for one in same), default=date.min)
    return up_to >= alert.since and up_to not in alert.renewed_after


def _days(table: pd.DataFrame) -> list[date]:
    """Return the dates of the newest `NEW` issues. A current alert may have been acknowledged at any of them."""
    return [day.date() for day in sorted(table["issue"].unique())[-NEW:]]
