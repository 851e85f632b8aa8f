"""List of alerts on *Overview*, with notes, buttons to acknowledge alerts, and the history of all alerts."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from presort.data.records import AlertEntry
from presort.data.running.alerts import MAX_NOTE, covers, log_alert, log_new_alerts
from presort.desk import pages
from presort.desk.overview.alerts import KINDS, KINDS_HELP, Alert
from presort.desk.scores.formats import p_value
from presort.desk.text import count_text, escape, time_text
from presort.desk.ui import cache, problem, table, visitor

MOST = 6  # maximum number of alerts shown directly; an expander contains the remaining alerts
WIDTHS = [1, 3, 3, 2, 1.6, 1]
HISTORY = {
    "report": "Report",
    "kind": "Alert",
    "figure": "Figure",
    "since": "Since",
    "state": "State",
    "note": "Note",
    "person": "By",
    "made_at": "When (UTC)",
}


def show(alerts: Sequence[Alert], acknowledged: Sequence[Alert], log: Sequence[AlertEntry]) -> None:
    """Draw the open alerts, then the history of all alerts ever shown, including alerts that have ended."""
    st.subheader(f"Alerts ({len(alerts)})", anchor="alerts", help=KINDS_HELP)
    notes = {(one.report, one.kind): one.note for one in reversed(log)}
    problem.show("alerts")
    with st.container(key="alerts"):
        for one in alerts[:MOST]:
            _draw(one, notes.get((one.report, one.kind), ""))
        if further := alerts[MOST:]:
            with st.expander(count_text(len(further), "more alert")):
                for one in further:
                    _draw(one, notes.get((one.report, one.kind), ""))
        if not alerts:
            st.caption("No open alerts")
    if log := without_repeats(log):
        with st.expander(f"History ({len(log)})", type="compact", key="alert-history"):
            _draw_history(log, acknowledged, alerts)


def _draw(alert: Alert, note: str) -> None:
    key = f"{alert.kind}-{alert.report}"
    report, kind, figure, since, acknowledge, notes = st.columns(WIDTHS, vertical_alignment="center")
    silent = alert.kind == "silent"
    query = {"report": alert.report} | ({"issue": str(alert.since)} if silent else {})
    with report:
        st.page_link(
            pages.link("review" if silent else "report"), label=f"**{escape(alert.report)}**", query_params=query
        )
    kind.markdown(KINDS[alert.kind])
    chance = "" if alert.chance != alert.chance else f" · {p_value(alert.chance)}"
    figure.markdown(escape(f"{alert.figure}{chance}"))
    since.markdown(f"since {alert.since}")
    acknowledge.button("Acknowledge", key=f"acknowledge-{key}", on_click=_acknowledge, args=(alert, note))
    with notes.popover("Note", key=f"notes-{key}", icon=":material/edit_note:" if note else None):
        st.text_input("Note", note, key=f"note-{key}", max_chars=MAX_NOTE)
        st.button("Save note", key=f"save-{key}", on_click=_save_note, args=(alert, f"note-{key}"))


def log_new(alerts: Sequence[Alert], log: Sequence[AlertEntry]) -> None:
    """Log alerts that are shown for the first time, so that the history lists them even if no director acts on them."""
    logged = defaultdict(list)
    for entry in log:
        logged[entry.report, entry.kind].append((entry.since, entry.up_to))
    if new := [one for one in alerts if not covers(logged[one.report, one.kind], one.kind, one.since)]:
        entries = [_entry(one, "", is_acknowledged=False) for one in new]
        problem.try_save(partial(log_new_alerts, cache.store(), entries), "alerts", problem.NOT_SAVED)


def without_repeats(log: Sequence[AlertEntry]) -> list[AlertEntry]:
    """Remove an alert's "first seen" entry if a director later added an entry for the same alert.

    Both `log` and the result are sorted newest first.
    """
    found: list[AlertEntry] = []
    for one in log:
        is_first_sight = not one.is_acknowledged and not one.note
        later = [other for other in found if (other.report, other.kind) == (one.report, one.kind)]
        if not (is_first_sight and any(covers([(one.since, one.up_to)], one.kind, other.since) for other in later)):
            found.append(one)
    return found


def state_of(entry: AlertEntry, current: Collection[tuple[str, str]]) -> str:
    """Return an alert's state in the history.

    `current` contains the report and the kind of each alert that has not ended.
    """
    state = "acknowledged" if entry.is_acknowledged else "noted" if entry.note else "open"
    if (entry.report, entry.kind) in current:
        return state
    return "ended" if state == "open" else f"{state}, ended"


def _draw_history(log: Sequence[AlertEntry], acknowledged: Sequence[Alert], alerts: Sequence[Alert]) -> None:
    of_acknowledged, current = (
        {(one.report, one.kind) for one in some} for some in (acknowledged, [*acknowledged, *alerts])
    )
    rows = [
        {
            "report": one.report,
            "kind": KINDS[one.kind],
            "figure": one.figure,
            "since": str(one.since),
            "state": state_of(one, current),
            "note": one.note,
            "person": one.person,
            "made_at": time_text(one.made_at),
        }
        for one in log
    ]
    table.draw(pd.DataFrame(rows, columns=list(HISTORY)), HISTORY, "alerts")
    for one in log:
        if one.is_acknowledged and (one.report, one.kind) in of_acknowledged:
            label = escape(f"Undo: {one.report}, {KINDS[one.kind]}")
            st.button(
                label, key=f"undo-{one.kind}-{one.report}-{one.since}", type="tertiary", on_click=_undo, args=(one,)
            )


def _acknowledge(alert: Alert, note: str) -> None:
    if _log(_entry(alert, note, is_acknowledged=True)):
        st.toast(escape(f"{alert.report}: acknowledged. Undo it under History."))


def _save_note(alert: Alert, key: str) -> None:
    _log(_entry(alert, st.session_state[key], is_acknowledged=False))


def _undo(entry: AlertEntry) -> None:
    _log(replace(entry, is_acknowledged=False, person=visitor.person()))


def _log(entry: AlertEntry) -> bool:
    return problem.try_save(partial(log_alert, cache.store(), entry), "alerts", problem.NOT_SAVED)


def _entry(alert: Alert, note: str, *, is_acknowledged: bool) -> AlertEntry:
    report, kind, since, up_to, figure, *_ = alert
    return AlertEntry(report, kind, since, up_to, figure, is_acknowledged, note, visitor.person(), datetime.now(UTC))
