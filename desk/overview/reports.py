"""Table of all reports on *Overview*, most urgent reports first. A click on a row opens the report."""

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from presort.data.mail.editors import editor_addresses
from presort.data.records import PendingIssue
from presort.desk import pages
from presort.desk.overview.figures import Figures, Selection
from presort.desk.scores.effort import SAVED_PER_LIST_HELP
from presort.desk.scores.formats import p_value
from presort.desk.scores.shifts import LEVEL
from presort.desk.summary.document import summary_html
from presort.desk.ui import cache
from presort.desk.ui.choice import pills
from presort.desk.ui.download import offer
from presort.desk.ui.mail_link import mail_link
from presort.desk.ui.table import height

ALL, LATE, DECLINED, NOT_TESTED, NO_EDITOR = FILTERS = ("all", "late", "declined", "not-tested", "no-editor")
COLUMNS = ["report", "now", "before", "change", "p", "trend", "minutes", "late", "editor", "mail"]
LABELS = {LATE: "Late", DECLINED: "Declined", NOT_TESTED: "Not tested", NO_EDITOR: "No editor"}
ROWS = 10  # maximum number of visible rows
P_HELP = (
    "p-value of a decline: rank test of the newest 13 issues against up to 39 earlier ones, adjusted for list length "
    "and number of relevant papers, and corrected for the number of reports. Blank if there are too few lists."
)


def show(
    selection: Selection,
    found: Figures,
    late: Mapping[str, Sequence[PendingIssue]],
    waiting: Mapping[str, Sequence[PendingIssue]],
    editors: Mapping[str, Sequence[str]],
    alerted: Collection[str],
) -> None:
    """Draw the filters, the table, and the buttons to download the table and a summary."""
    table = sort_by_urgency(found.reports, late, editors, alerted)
    table["mail"] = _mail_links(list(table["report"]), waiting, editors)
    kept = {
        ALL: table,
        LATE: table[table["late"] > 0],
        DECLINED: table[table["p"] <= LEVEL],
        NOT_TESTED: table[table["lacks"] != ""],
        NO_EDITOR: table[table["editor"] == ""],
    }
    only = pills("Reports", FILTERS, name="show", named=lambda name: _label(name, len(kept[name])))
    _draw(selection, kept[only])
    with st.container(horizontal=True):
        offer("Download table as CSV", table.drop(columns=["trend", "mail"]), _file_name(selection))
        _offer_summary(selection)


def sort_by_urgency(
    reports: pd.DataFrame,
    late: Mapping[str, Sequence[PendingIssue]],
    editors: Mapping[str, Sequence[str]],
    alerted: Collection[str],
) -> pd.DataFrame:
    """Sort reports by urgency: the most overdue reports first, then reports with alerts, then by p-value and by change.

    Parameters
    ----------
    reports : DataFrame
        Result of `figures.report_figures`.
    late, editors : mapping from str to sequence
        Late issues of each report, oldest first, and names of its editors.
    alerted : collection of str
        Reports with an open alert.

    Returns
    -------
    DataFrame
        The reports with two additional columns: ``late``, the number of late issues, and ``editor``.
    """
    days = reports["report"].map({code: issues[0].days_counted for code, issues in late.items()}).fillna(0)
    table = reports.assign(
        late=reports["report"].map(lambda code: len(late.get(code, ()))),
        editor=reports["report"].map(lambda code: ", ".join(editors.get(code, ()))),
        days_late=-days,
        is_quiet=~reports["report"].isin(alerted),
        better=-reports["change"],
    )
    order = ["days_late", "is_quiet", "p", "better", "report"]
    return table.sort_values(order, na_position="last", ignore_index=True).drop(
        columns=["days_late", "is_quiet", "better"]
    )


def _mail_links(
    reports: Sequence[str], waiting: Mapping[str, Sequence[PendingIssue]], editors: Mapping[str, Sequence[str]]
) -> list[str | None]:
    known = editor_addresses(cache.store())
    to = {report: [known[name] for name in editors.get(report, ()) if known.get(name)] for report in reports}
    return [mail_link(report, to[report], waiting.get(report, ())) for report in reports]


def _label(name: str, n: int) -> str:
    return f"{LABELS[name]} {n}" if name in LABELS else "All"


def _draw(selection: Selection, table: pd.DataFrame) -> None:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    shown = table.assign(**{name: 100 * table[name] for name in ("now", "before", "change")})
    new, old = selection.n_new, selection.n_old
    picked = st.dataframe(
        shown.style.format({"p": _p_text}),
        hide_index=True,
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],
        key="all-reports",
        placeholder="",
        height=height(len(table), ROWS),
        column_order=[*COLUMNS, "lacks"] if table["lacks"].any() else COLUMNS,
        column_config={
            "report": text("Report", pinned=True, width=70),
            "now": number(f"Last {new}", format="%.1f %%", help=f"Reading effort in the newest {new} issues."),
            "before": number(
                f"Previous {old}",
                format="%.1f %%",
                help=f"Reading effort in the {old} issues before the newest {new}.",
            ),
            "change": number(
                "Change, pt",
                format="%+.1f",
                help="In percentage points. Positive values mean more reading than before.",
            ),
            "p": number("p", help=P_HELP),
            "trend": st.column_config.LineChartColumn(
                "Trend", y_min=0, y_max=100, help="Relative last position of each list in the window, 0 to 100 %."
            ),
            "minutes": number("Minutes saved", format="%.1f", help=SAVED_PER_LIST_HELP),
            "late": number("Late", help="Issues pending for at least 14 days, excluding holidays.", width=60),
            "editor": text("Editor", help="Current editors, including substitutes."),
            "mail": st.column_config.LinkColumn(
                "Email", display_text="✉", width=55, help="Send an email to the editors. Blank if they have no address."
            ),
            "lacks": text(
                "Too few lists",
                help="Number of lists available, and number of lists that the test needs. Blank if tested.",
            ),
        },
    )
    if report := _picked_report(picked["selection"], table):
        st.switch_page(pages.link("report"), query_params=address(selection, report))


def _p_text(p: object) -> str:
    """Format a p-value as on the other pages, without the letter.

    Examples
    --------
    >>> _p_text(0.0001), _p_text(0.0123), _p_text(1.0), _p_text(math.nan)
    ('< 0.001', '0.012', '1.00', '')
    """
    if not isinstance(p, float) or math.isnan(p):
        return ""
    return p_value(p).removeprefix("p ").removeprefix("= ")


def _picked_report(selection: Mapping[str, Sequence], table: pd.DataFrame) -> str:  # type: ignore[type-arg]
    """Return the report whose row was clicked, or an empty string after a click on a mail link."""
    rows = [*selection["rows"], *(row for row, column in selection["cells"] if column != "mail")]
    return str(table["report"].iloc[rows[0]]) if rows else ""


def address(selection: Selection, report: str) -> dict[str, str]:
    """Return the query parameters that show the same rankings on *My report*."""
    query = {"report": report, "replay": str(selection.replay or 0)}
    return query | {"ranker": selection.ranker} if selection.ranker else query


def _file_name(selection: Selection) -> str:
    return "-".join(filter(None, ["overview", selection.ranker])) + ".csv"


def _offer_summary(selection: Selection) -> None:
    scored = cache.all_scores(selection.replay)
    mine = scored[scored["ranker"] == selection.ranker] if selection.ranker else scored
    if (mine["n_relevant"] > 0).any():
        st.download_button(
            "Download summary as HTML",
            partial(
                summary_html, cache.store(), scored, ranker=selection.ranker, replay=selection.replay
            ),  # computed when the button is clicked
            file_name="summary.html",
            mime="text/html",
            icon=":material/mail:",
            on_click="ignore",
        )
