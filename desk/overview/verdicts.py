"""Top of Overview: the weekly job, late reports, alarms, and the summary; each line links to a page with more."""

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import streamlit as st

from presort.data import catalogue
from presort.data.editing.pending import first_late_issues, pending
from presort.data.editing.work import decided_issues
from presort.data.running import people
from presort.data.running.holidays import holidays
from presort.data.running.weekly import newest_steps
from presort.desk import pages
from presort.desk.overview import words
from presort.desk.overview.glance import LAST, Glance, Selection, sentences
from presort.desk.scores import stop_audit
from presort.desk.scores.alarms import FEWEST_NEW, FEWEST_OLD, MISSED, MISSED_DAYS, NEW, OLD, Early, Silence, silent
from presort.desk.service.weekly_job import is_well, job_says
from presort.desk.text import counted, plain
from presort.desk.ui import cache

NAMED_AT_ONCE = 6  # the others are folded away
STYLE = """
<style>
[class*="st-key-said-"] { width: 100%; max-width: 60rem; font-variant-numeric: tabular-nums; }
[class*="st-key-said-"] a { padding: .1rem 0; }
[class*="st-key-said-"] a * { white-space: normal; overflow-wrap: anywhere; line-height: 1.4; }
.st-key-said-change p { font-size: .875rem; }
.st-key-said-change a { text-decoration: none; }
</style>
"""

# By what a sentence is about: what the link says, the page, and what its address asks for.
LINKS: dict[str, tuple[str, str, dict[str, str]]] = {
    "sorted": ("Change the ranker", "manage", {"part": "rankers"}),
    "last": ("What this measures", "measures", {}),
    "effort": ("Which ranker saves more", "compare", {"tab": "Measures"}),
    "rankers": ("Compare them", "compare", {}),
    "reports": ("Which are hard", "systems-topics", {"score": LAST, "at": "ease"}),
}


class AlarmLine(NamedTuple):
    """An alarm: what is said of a report, the issue to open (None for the report in depth), and whose reading it is."""

    report: str
    text: str
    opens: date | None = None
    editors: Sequence[str] = ()


def draw_alarms(selection: Selection, seen: Glance) -> None:
    """Draw the alarms; where there is none, what is well, and what it is too early to tell."""
    named = _named(selection, seen)
    reports = [report for report in seen.overview["report"] if report in selection.active]
    of_audits = stop_audit.known(cache.stop_audits(selection.replay, selection.ranker), reports)
    could = {words.WORSE: seen.known_worse, words.EARLY: seen.known_early, words.MISSED: of_audits}
    if not named:
        st.markdown(words.no_alarm(could))
        return
    for number, one in enumerate(named[:NAMED_AT_ONCE]):
        _draw_alarm(number, one)
    if further := named[NAMED_AT_ONCE:]:
        with st.expander(counted(len(further), "more alarm")):
            for number, one in enumerate(further, start=NAMED_AT_ONCE):
                _draw_alarm(number, one)
    st.caption(" ".join(filter(None, (words.too_early(what, known) for what, known in could.items()))))


def explain_alarms() -> None:
    """Draw how alarms are found, closed until somebody opens it."""
    with st.expander("How alarms are found, and pictures drawn", type="compact"):
        st.caption(
            f"A report is named if its last relevant paper is deeper in the newest {NEW} issues than in the {OLD} "
            "before, by a rank test corrected for the number of reports. For each pair of issues, papers are dropped "
            "at random until both have the same numbers of relevant and other papers, so that longer issues or more "
            "relevant papers raise no alarm. An editor who stops farther before the stop point is found by the same "
            "test, and so is a report with more relevant papers below the stop point than expected, "
            f"in its newest {NEW} lists that were read on. By chance alone, each of these three kinds of alarm would "
            "name any report in fewer than one week of twenty, all together in fewer than one of eight. A report is "
            f"silent once it decided nothing on {MISSED} issues or more, for {MISSED_DAYS} days, and longer than ever "
            f"in the year before; holidays don't count. Fewer than {FEWEST_NEW} new issues or {FEWEST_OLD} before "
            "are too few. Small pictures draw the square root of the share of the list, from 0 to 100 %, so that small "
            "shares can be distinguished."
        )


def _named(selection: Selection, seen: Glance) -> list[AlarmLine]:
    """Return the alarms, the surest of each kind first."""
    store = cache.store()
    days = [issue.date for issue in catalogue.issues(store)]
    decided = {report: mine for report, mine in decided_issues(store).items() if report in selection.active}
    lasts = seen.overview.set_index("report")[["last_before", "last_now"]]
    worse = [AlarmLine(one.report, words.is_worse(one, *lasts.loc[one.report])) for one in seen.worse]
    worse += [
        AlarmLine(one.report, words.underestimate(one))
        for one in stop_audit.underestimates(cache.stop_audits(selection.replay, selection.ranker))
        if one.report in selection.active
    ]
    known = people.editorships(store)
    of_editors: list[tuple[Early | Silence, str]] = [(early, words.stops_early(early)) for early in seen.early]
    off, since = holidays(store), first_late_issues(store, list(decided))
    for mute in silent(decided, days, today=date.today(), holidays=off, since=since):
        passed = counted(mute.n_issues, "issue")
        of_editors.append((mute, f"nothing decided since {mute.since}: {passed} passed"))
    return worse + [
        AlarmLine(one.report, text, one.since, people.editors_on(known, one.report, days[-1]))
        for one, text in of_editors
    ]


def _draw_alarm(number: int, one: AlarmLine) -> None:
    of = plain(f"{one.report} ({', '.join(one.editors)})" if one.editors else one.report)
    text = f":orange[:material/warning:] **{of}** {plain(one.text)}"
    key, query = f"alarm-{number}-{one.report}", {"report": one.report}
    if one.opens is None:
        draw_line(key, text, "Look", "report", query)
    else:
        draw_line(key, text, "Open", "review", query | {"issue": str(one.opens)})


def draw_job() -> None:
    """Draw what is wrong with the weekly job, if anything is."""
    if (steps := newest_steps(cache.store())) and not is_well(steps):
        st.warning(plain(job_says(steps)), icon=":material/event_repeat:")


def draw_late(reports: Sequence[str]) -> None:
    """Draw which reports are late; once opened, each of them, whom to ask, and what waits longest."""
    store, today = cache.store(), date.today()
    pending_issues = pending(store, reports, today=today)
    draw_line("late", plain(words.late(pending_issues, len(reports))), "All that waits", "week", {"only": "*"})
    late = words.late_ones(pending_issues)
    if not late:
        return
    known = people.editorships(store)
    with st.expander("Who is late", type="compact"):
        for report in dict.fromkeys(one.report for one in late):
            own = [one for one in late if one.report == report]
            text = plain(words.late_report(own, people.with_start(known, report, own[0].issue, today)))
            draw_line(f"late-{report}", text, "Open", "review", {"report": report, "issue": str(own[0].issue)})


def draw_summary(selection: Selection) -> None:
    """Draw what the summary says of the newest issues."""
    for one in sentences(selection):
        if one.about in LINKS:
            verb, address, query = LINKS[one.about]
            draw_line(one.about, plain(one.text), verb, address, query)
        elif one.about == "change":  # of this very page
            with st.container(key="said-change"):
                st.markdown(f"{plain(one.text)} [:primary[Each report, issue by issue]](#all-reports)")
        else:
            st.caption(plain(one.text))


def draw_line(key: str, text: str, verb: str, address: str, query: dict[str, Any]) -> None:
    """Draw a sentence, in Markdown, as a link that ends with its target."""
    with st.container(key=f"said-{key}"):
        st.page_link(pages.link(address), label=f"{text} :primary[{verb}]", query_params=query or None, width="stretch")
