"""List of alerts on Overview, with their history: each can be acknowledged and annotated."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from presort.data.records import AlertEntry
from presort.data.running.alerts import MAX_NOTE, log_alert
from presort.desk import pages
from presort.desk.overview.alerts import KINDS, KINDS_HELP, Alert
from presort.desk.scores.formats import p_value
from presort.desk.text import counted, moment, plain
from presort.desk.ui import cache, problem, table, visitor

MOST = 6  # shown at once; the others are folded away
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
    """Draw the alerts to look at, then the history of those that were acknowledged or annotated."""
    st.subheader(f"Alerts ({len(alerts)})", anchor="alerts", help=KINDS_HELP)
    notes = {(one.report, one.kind): one.note for one in reversed(log)}
    problem.show("alerts")
    with st.container(key="alerts"):
        for one in alerts[:MOST]:
            _draw(one, notes.get((one.report, one.kind), ""))
        if further := alerts[MOST:]:
            with st.expander(counted(len(further), "more alert")):
                for one in further:
                    _draw(one, notes.get((one.report, one.kind), ""))
        if not alerts:
            st.caption("None open")
    if log:
        with st.expander(f"History ({len(log)})", type="compact", key="alert-history"):
            _draw_history(log, {(one.report, one.kind) for one in acknowledged})


def _draw(alert: Alert, note: str) -> None:
    key = f"{alert.kind}-{alert.report}"
    report, kind, figure, since, acknowledge, notes = st.columns(WIDTHS, vertical_alignment="center")
    silent = alert.kind == "silent"
    query = {"report": alert.report} | ({"issue": str(alert.since)} if silent else {})
    with report:
        st.page_link(
            pages.link("review" if silent else "report"), label=f"**{plain(alert.report)}**", query_params=query
        )
    kind.markdown(KINDS[alert.kind])
    chance = "" if alert.chance != alert.chance else f" · {p_value(alert.chance)}"
    figure.markdown(plain(f"{alert.figure}{chance}"))
    since.markdown(f"since {alert.since}")
    acknowledge.button("Acknowledge", key=f"acknowledge-{key}", on_click=_acknowledge, args=(alert, note))
    with notes.popover("Note", key=f"notes-{key}", icon=":material/edit_note:" if note else None):
        st.text_input("Note", note, key=f"note-{key}", max_chars=MAX_NOTE)
        st.button("Save note", key=f"save-{key}", on_click=_save_note, args=(alert, f"note-{key}"))


def _draw_history(log: Sequence[AlertEntry], acknowledged: set[tuple[str, str]]) -> None:
    rows = [
        {
            "report": one.report,
            "kind": KINDS[one.kind],
            "figure": one.figure,
            "since": str(one.since),
            "state": "acknowledged" if one.is_acknowledged else "noted",
            "note": one.note,
            "person": one.person,
            "made_at": moment(one.made_at),
        }
        for one in log
    ]
    table.draw(pd.DataFrame(rows, columns=list(HISTORY)), HISTORY, "alerts")
    for one in log:
        if one.is_acknowledged and (one.report, one.kind) in acknowledged:
            label = plain(f"Undo: {one.report}, {KINDS[one.kind]}")
            st.button(
                label, key=f"undo-{one.kind}-{one.report}-{one.since}", type="tertiary", on_click=_undo, args=(one,)
            )


def _acknowledge(alert: Alert, note: str) -> None:
    if _log(_entry(alert, note, is_acknowledged=True)):
        st.toast(plain(f"{alert.report}: acknowledged. Undo it under History."))


def _save_note(alert: Alert, key: str) -> None:
    _log(_entry(alert, st.session_state[key], is_acknowledged=False))


def _undo(entry: AlertEntry) -> None:
    _log(replace(entry, is_acknowledged=False, person=visitor.person()))


def _log(entry: AlertEntry) -> bool:
    return problem.keep(partial(log_alert, cache.store(), entry), "alerts", problem.NOT_SAVED)


def _entry(alert: Alert, note: str, *, is_acknowledged: bool) -> AlertEntry:
    report, kind, since, up_to, figure, *_ = alert
    return AlertEntry(report, kind, since, up_to, figure, is_acknowledged, note, visitor.person(), datetime.now(UTC))
