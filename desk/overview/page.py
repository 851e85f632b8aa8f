"""The *Overview* page, which is the director's start page: late and declining reports, savings and alerts."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.pending import first_late_issues, late_issues, pending
from presort.data.editing.work import decided_issues
from presort.data.records import AlertEntry, PendingIssue
from presort.data.running import people
from presort.data.running.alerts import alert_log
from presort.data.running.holidays import holidays
from presort.data.running.weekly import newest_steps
from presort.desk.overview import alert_list, operations, reports, stop_audit
from presort.desk.overview.alerts import Alert, is_acknowledged, silence_alerts
from presort.desk.overview.figures import Figures, Selection, figures
from presort.desk.scores.effort import (
    BASELINE,
    READING_EFFORT,
    READING_EFFORT_HELP,
    SAVED_OVER_BASELINE,
    SAVED_OVER_BASELINE_HELP,
    SAVED_PER_LIST,
    SAVED_PER_LIST_HELP,
    SavingsPerList,
)
from presort.desk.scores.formats import percent
from presort.desk.scores.sorters import SORTED
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, cards, empty, layout, reranking, visitor
from presort.desk.ui.cards import UNKNOWN, Card
from presort.desk.ui.choice import choice
from presort.desk.ui.score_choice import (
    draw_measure_problems,
    draw_not_evaluable,
    sorter_choice,
    source_choice,
)
from presort.desk.week import first_steps

WINDOWS = {"13 v 13": (13, 13), "13 v 39": (13, 39), "26 v 26": (26, 26)}
MOST_NAMED = 4  # maximum number of declined reports that the verdict lists
RANKER_HELP = "All figures on this page are based on this ranker's rankings."
WINDOW_HELP = "The mean over the newest issues is compared with the mean over the issues before them."
LATE_HELP = (
    "Reports with an issue that has been pending for at least 14 days, excluding holidays. The line below the figure "
    "shows the number of these late issues."
)
DECLINED_HELP = (
    "Rank test of the newest 13 issues against up to 39 earlier ones, adjusted for list length and number of relevant "
    "papers, and corrected for the number of reports. The test needs a relevant paper in at least 5 new and 13 earlier "
    "lists."
)


class Duty(NamedTuple):
    """Each report's late issues, pending issues and current editors. Issues are sorted oldest first."""

    late: dict[str, list[PendingIssue]]
    pending: dict[str, list[PendingIssue]]
    editors: dict[str, list[str]]


@visitor.one_snapshot()
def show() -> None:
    """Draw the page."""
    places = layout.draw("Overview")
    reranking.show()
    with places.answer:
        if first_steps.show():
            return
    steps = newest_steps(cache.store())
    operations.draw_failure(steps)
    codes = tuple(report.code for report in catalogue.reports(cache.store()))
    duty = _duty(codes)
    with places.filters:
        selection = _choose(codes)
    log = alert_log(cache.store())
    with places.answer:
        found = figures(selection) if selection else None
        alerts = _draw_answer(codes, duty, selection, found, log)
    if found:
        with places.basis:
            _draw_basis(found)
    draw_measure_problems()
    operations.draw_line(steps, len(codes))
    # Alerts are logged only for the default selection, because other selections show rankings that editors didn't see.
    # Logging comes last because a write ends the page's read snapshot.
    if selection is None or (selection.ranker, selection.replay) == (SORTED, None):
        alert_list.log_new(alerts, log)


def _draw_answer(
    codes: Sequence[str],
    duty: Duty,
    selection: Selection | None,
    found: Figures | None,
    log: Sequence[AlertEntry],
) -> list[Alert]:
    """Draw the verdict, the cards, the table and the alerts. Return the alerts that haven't been acknowledged."""
    every = [*(found.alerts if found else ()), *_silences(codes)]
    acknowledged = [one for one in every if is_acknowledged(one, log)]
    alerts = [one for one in every if one not in acknowledged]
    if found is None or selection is None:
        audits = pd.DataFrame()
        _draw_no_figures()
        cards.draw([_late_card(codes, duty)])
    else:
        audits = stop_audit.audits_of(selection, found.cases)
        declined = [one.report for one in found.alerts if one.kind == "declined"]
        st.markdown(escape(verdict(declined, found.n_tested, len(codes))))
        cards.draw([_late_card(codes, duty), *_cards(selection, found, audits)])
        reports.show(selection, found, duty.late, duty.pending, duty.editors, [one.report for one in alerts])
        names = [selection.ranker] if selection.ranker else None
        draw_not_evaluable(selection.replay, names, first=found.first)
    alert_list.show(alerts, acknowledged, log)
    stop_audit.show(audits)
    return alerts


def _choose(codes: tuple[str, ...]) -> Selection | None:
    """Draw the filters and return the selection, or None if there are no figures yet."""
    ranker_place, rankings_place, window_place = (st.container(width=width) for width in (220, 280, 140))
    replay = source_choice(rankings_place)
    scores = cache.all_scores(replay)
    if scores.empty:
        return None
    ranker = sorter_choice(ranker_place, scores, help=RANKER_HELP)
    window = choice(window_place, "Window", list(WINDOWS), name="window", help=WINDOW_HELP)
    return Selection(replay, ranker, *WINDOWS[window], codes)


def verdict(declined: Sequence[str], n_tested: int, n_reports: int) -> str:
    """Describe how many reports declined.

    Examples
    --------
    >>> verdict([], 50, 65)
    'No decline. 50 reports tested, 15 have too few lists.'
    >>> verdict(["mon"], 65, 65), verdict([], 0, 12)
    ('1 of 65 reports declined: mon.', 'No report has enough lists to test for a decline.')
    >>> verdict(["a", "b", "c", "d", "e"], 50, 65)
    '5 of 50 tested reports declined: a, b, c, d, …'
    """
    if not n_tested:
        return "No report has enough lists to test for a decline."
    n_short = n_reports - n_tested
    if declined:
        named = f"{', '.join(declined[:MOST_NAMED])}{', …' if len(declined) > MOST_NAMED else '.'}"
        return (
            f"{len(declined):,} of {count_text(n_tested, 'tested report' if n_short else 'report')} declined: {named}"
        )
    short = f", {n_short:,} {'has' if n_short == 1 else 'have'} too few lists" if n_short else ""
    return f"No decline. {count_text(n_tested, 'report')} tested{short}."


def _draw_basis(found: Figures) -> None:
    if found.cases.empty:
        return
    first, last = found.cases["issue"].min().date(), found.cases["issue"].max().date()
    of_replay = found.cases["replay"].notna()
    source = "replay" if of_replay.all() else "partly replay" if of_replay.any() else "rankings for editors"
    n_reports = count_text(found.cases["report"].nunique(), "report")
    st.caption(layout.basis_text(found.cases, n_reports, f"{source}, {first} to {last}"))


def _draw_no_figures() -> None:
    if not empty.lacks_figures():
        st.info("No figures for these rankings. Choose other rankings.")


def _late_card(codes: Sequence[str], duty: Duty) -> Card:
    n_issues = sum(map(len, duty.late.values()))
    return Card(
        "Late", f"{len(duty.late)} of {len(codes)}", LATE_HELP, count_text(n_issues, "issue") if n_issues else ""
    )


def _cards(selection: Selection, found: Figures, audits: pd.DataFrame) -> list[Card]:
    declined = f"{found.n_declined} of {found.n_tested}" if found.n_tested else UNKNOWN
    n_short = len(found.reports) - found.n_tested
    change = f"{100 * found.change:+.1f} pt" if found.change == found.change else ""
    return [
        Card("Declined", declined, DECLINED_HELP, f"{n_short} not tested" if n_short else ""),
        Card(
            READING_EFFORT,
            percent(found.effort),
            f"{READING_EFFORT_HELP} Change: the newest {selection.n_new} issues minus the previous {selection.n_old}.",
            change,
            "lower is better",
            (100 * found.by_issue).round(2).tolist(),
        ),
        _saved_card(
            SAVED_PER_LIST,
            found.saved,
            "list order",
            f"{SAVED_PER_LIST_HELP} The line below the figure shows the reading effort in list order.",
        ),
        *(
            [_saved_card(SAVED_OVER_BASELINE, found.saved_over_baseline, BASELINE, SAVED_OVER_BASELINE_HELP)]
            if found.saved_over_baseline.n_lists
            else []
        ),
        stop_audit.card(selection, audits),
    ]


def _saved_card(label: str, saved: SavingsPerList, order: str, help: str) -> Card:
    if not saved.n_lists:
        return Card(label, UNKNOWN, help)
    below = f"{saved.papers:.0f} papers · {order} {percent(saved.other_effort)}"
    return Card(label, f"{saved.minutes:.1f} min", help, below)


def _duty(codes: Sequence[str]) -> Duty:
    store, today = cache.store(), date.today()
    waiting = pending(store, codes, today=today)
    known = people.editorships(store)
    late, every = (_group_by_report(issues) for issues in (late_issues(waiting), waiting))
    return Duty(late, every, {code: people.editors_on(known, code, today) for code in codes})


def _group_by_report(issues: Sequence[PendingIssue]) -> dict[str, list[PendingIssue]]:
    return {code: [one for one in issues if one.report == code] for code in dict.fromkeys(one.report for one in issues)}


def _silences(codes: Sequence[str]) -> list[Alert]:
    store = cache.store()
    days = [issue.date for issue in catalogue.issues(store)]
    decided = {report: mine for report, mine in decided_issues(store).items() if report in codes}
    since = first_late_issues(store, list(decided))
    return silence_alerts(decided, days, today=date.today(), holidays=holidays(store), since=since)
