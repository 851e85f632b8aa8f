"""What the page Overview says."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from presort.data.editing.pending import LATE
from presort.data.learning.rankings import Made
from presort.data.records import ImportedFile, Pending
from presort.desk.access import person_name
from presort.desk.scores.alarms import FEWEST_NEW, FEWEST_OLD, Early, Known, Worse
from presort.desk.scores.stop_audit import Underestimate
from presort.desk.scores.words import direction, newest, p_value, share
from presort.desk.text import about, age, counted, moment
from presort.metrics import Measure

NAMED = 4  # late reports in a sentence


class Watched(NamedTuple):
    """What reports are tested for: what is said where none was found, what nobody can tell yet, and what it takes."""

    none: str
    unknown: str
    takes: Callable[[Known], str]


def _issues(known: Known) -> str:
    if known.n_old < FEWEST_OLD:
        return f"{known.n_old} of {FEWEST_OLD} earlier issues"
    return f"{known.n_new} of {FEWEST_NEW} new issues"


def _lists(known: Known) -> str:
    return "too few lists were read or spot-checked below the stop point"


WORSE = Watched("No report got worse", "whether a report got worse", _issues)
EARLY = Watched("No editor stops too soon", "whether an editor stops too soon", _issues)
MISSED = Watched("No report misses more than expected", "whether more is missed than expected", _lists)


def no_alarm(could: Mapping[Watched, Known]) -> str:
    """Format that nothing was found, as far as anything could have been; nothing where there is no report.

    Examples
    --------
    >>> every, some, none = Known(65, 65, 13, 39), Known(65, 61, 13, 39), Known(65, 0, 13, 8)
    >>> no_alarm({WORSE: every, EARLY: every})
    'No alarm.'
    >>> no_alarm({WORSE: every, EARLY: none})
    'No report got worse. Too early to tell whether an editor stops too soon: 8 of 13 earlier issues.'
    >>> no_alarm({WORSE: some})
    'No report got worse among the 61 of 65 with issues enough.'
    """
    if all(known.n_reports == 0 for known in could.values()):
        return ""
    if all(known.n_tested == known.n_reports for known in could.values()):
        return "No alarm."
    return " ".join(_none_found(what, known) for what, known in could.items())


def _none_found(what: Watched, known: Known) -> str:
    if not known.n_tested:
        return too_early(what, known)
    enough = f" among the {known.n_tested:,} of {known.n_reports:,} with issues enough"
    return f"{what.none}{enough if known.n_tested < known.n_reports else ''}."


def too_early(what: Watched, known: Known) -> str:
    """Format that a test could find nothing, or not in all reports, as there are too few issues; nothing if it could.

    Examples
    --------
    >>> too_early(WORSE, Known(n_reports=65, n_tested=0, n_new=13, n_old=8))
    'Too early to tell whether a report got worse: 8 of 13 earlier issues.'
    >>> too_early(EARLY, Known(n_reports=65, n_tested=0, n_new=3, n_old=14))
    'Too early to tell whether an editor stops too soon: 3 of 5 new issues.'
    >>> too_early(WORSE, Known(n_reports=65, n_tested=61, n_new=13, n_old=39))
    'Too early to tell whether a report got worse in 4 of 65 reports.'
    >>> print(too_early(MISSED, Known(n_reports=65, n_tested=0, n_new=0, n_old=0)))  # doctest: +NORMALIZE_WHITESPACE
    Too early to tell whether more is missed than expected: too few lists were read or spot-checked below the stop
    point.
    """
    if known.n_tested == known.n_reports:
        return ""
    text = f"Too early to tell {what.unknown}"
    if known.n_tested:
        return f"{text} in {known.n_reports - known.n_tested:,} of {counted(known.n_reports, 'report')}."
    return f"{text}: {what.takes(known)}."


def late(waiting: Sequence[Pending], n_reports: int) -> str:
    """Describe which of all reports are late, by the issues that wait for them, oldest first.

    Examples
    --------
    >>> from datetime import date
    >>> old = Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)
    >>> late([old], 65)
    '1 of 65 reports is late: lab; its oldest issue is 2 weeks old.'
    >>> late([old, Pending("mac", date(2026, 11, 9), 300, 0, is_started=False, days_old=14)], 65)
    '2 of 65 reports are late: lab and mac; the oldest issue is 2 weeks old.'
    >>> late([], 65)
    'No report is late.'
    """
    old = late_ones(waiting)
    if not old:
        return "No report is late."
    names = list(dict.fromkeys(one.report for one in old))
    are, whose = ("is", "its") if len(names) == 1 else ("are", "the")
    which = first_names(names, NAMED)
    n_late = f"{len(names):,} of {counted(n_reports, 'report')} {are} late"
    return f"{n_late}: {which}; {whose} oldest issue is {age(old[0].days_old)}."


def late_ones(waiting: Sequence[Pending]) -> list[Pending]:
    """Keep the issues that are late: two weeks old without holidays, and not older than their report or its editor."""
    return [one for one in waiting if one.days_counted >= LATE]


def late_report(issues: Sequence[Pending], editors: Sequence[str]) -> str:
    """Describe how late a report is, by its late issues, oldest first, and whom to ask.

    Examples
    --------
    >>> from datetime import date
    >>> old = Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)
    >>> late_report([old], ["Ann Lee"]), late_report([old, old], [])
    ('lab (Ann Lee): 2026-11-02, 2 weeks old', 'lab: 2026-11-02, 2 weeks old, and 1 more')
    """
    first, more = issues[0], len(issues) - 1
    who = f" ({', '.join(editors)})" if editors else ""
    return f"{first.report}{who}: {first.issue}, {age(first.days_old)}{f', and {more:,} more' if more else ''}"


def first_names(names: Sequence[str], most: int) -> str:
    """Name the first of many.

    Examples
    --------
    >>> first_names(["a"], 2), first_names(["a", "b"], 2), first_names(["a", "b", "c", "d"], 2)
    ('a', 'a and b', 'a, b and 2 more')
    """
    named = [*names[:most], *([f"{len(names) - most:,} more"] if len(names) > most else [])]
    return " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def came_in(file: ImportedFile) -> str:
    """Describe the newest import.

    Examples
    --------
    >>> from datetime import datetime
    >>> from presort.data.records import ImportSummary
    >>> summary = ImportSummary(612, 1, 598, 0, 612, 0, 0, 0)
    >>> came_in(ImportedFile("week.rdf", summary, "import", datetime(2026, 11, 16, 6, 10)))
    'Came in last: week.rdf, 598 new papers, 1 new issue · 2026-11-16 06:10, import'
    """
    papers = counted(file.summary.new_papers, "new paper")
    issues = counted(file.summary.new_issues, "new issue")
    return f"Came in last: {file.file}, {papers}, {issues} · {moment(file.made_at)}, {person_name(file.person)}"


def sorted_last(made: Made) -> str:
    """Describe what was sorted last.

    Examples
    --------
    >>> from datetime import date, datetime
    >>> sorted_last(Made(date(2026, 11, 16), 65, ("presort-1",), datetime(2026, 11, 16, 6, 12)))
    'Sorted last: 2026-11-16 for 65 reports, by presort-1 · 2026-11-16 06:12'
    """
    reports = counted(made.n_reports, "report")
    return f"Sorted last: {made.issue} for {reports}, by {', '.join(made.rankers)} · {moment(made.made_at)}"


def mail_lost(n_unsure: int, n_refused: int) -> str:
    """Describe how many mails may not have arrived.

    Examples
    --------
    >>> mail_lost(0, 0), mail_lost(1, 2)
    ('No mail was lost.', '3 mails may not have arrived.')
    """
    n = n_unsure + n_refused
    return f"{counted(n, 'mail')} may not have arrived." if n else "No mail was lost."


def is_worse(found: Worse, last_before: float, last_now: float) -> str:
    """Describe how a report declined, with medians of the relative last position.

    Examples
    --------
    >>> from datetime import date
    >>> is_worse(Worse("lab", date(2019, 4, 1), 0.07, 0.15, 0.004, 8, 9), 0.07, 0.15)
    'worse since 2019-04-01: the last of 9 relevant papers at 15 % of the list, the last of 8 at 7.0 % before (medians, p = 0.004)'
    >>> is_worse(Worse("lab", date(2019, 4, 1), 0.07, 0.15, 0.004, 1, 1), 0.07, 0.15).partition(" (")[0]
    'worse since 2019-04-01: the only relevant paper at 15 % of the list, the only one at 7.0 % before'
    """  # noqa: E501
    now = (
        f"the last of {found.n_relevant_now:.0f} relevant papers"
        if found.n_relevant_now > 1
        else "the only relevant paper"
    )
    before = f"the last of {found.n_relevant_before:.0f}" if found.n_relevant_before > 1 else "the only one"
    return (
        f"worse since {found.since}: {now} at {share(last_now)} of the list, {before} at {share(last_before)} before "
        f"(medians, {p_value(found.chance)})"
    )


def stops_early(found: Early) -> str:
    """State that an editor stops sooner: by medians, or where these are the same, by how often that was.

    Examples
    --------
    >>> from datetime import date
    >>> stops_early(Early("lab", date(2019, 4, 1), 1, 0.6, 0.004, 10, 13, 3, 39))
    'reading stops early since 2019-04-01: after 60 % of the way to where it may end, 100 % before (medians, p = 0.004)'
    >>> stops_early(Early("lab", date(2019, 4, 1), 1, 1, 0.004, 5, 13, 0, 39))
    'reading stops early since 2019-04-01: short of where it may end in 5 of 13 issues, in 0 of the 39 before (p = 0.004)'
    """  # noqa: E501
    now, before, chance = share(found.now), share(found.before), p_value(found.chance)
    since = f"reading stops early since {found.since}"
    if now == before:
        often = f"in {found.n_short_now} of {counted(found.n_now, 'issue')}"
        earlier = f"in {found.n_short_before} of the {found.n_before} before"
        return f"{since}: short of where it may end {often}, {earlier} ({chance})"
    return f"{since}: after {now} of the way to where it may end, {before} before (medians, {chance})"


def audit_text(audits: pd.DataFrame) -> str:
    """Describe what was told to be below where one paper in 20 may be missed, and what was found there.

    Parameters
    ----------
    audits : DataFrame
        As `presort.desk.scores.stop_audit.table` gives it.
    """
    if audits.empty:
        return (
            "No forecast can be checked yet: nobody has read on below the place where one relevant paper in 20 may be "
            "missed. A single spot check on *Review* is enough."
        )
    n = audits[["found", "expected_below", "found_below"]].sum()
    lists = counted(len(audits), "list")
    return (
        f"Where one relevant paper in 20 may be missed, **{about(n['expected_below'])}** were told to be further "
        f"down, and **{n['found_below']:,.0f}** were, of {n['found']:,.0f} relevant papers in {lists} read or "
        "spot-checked there."
    )


def underestimate(found: Underestimate) -> str:
    """State of a report that more relevant papers stand below where its editors may stop than they are told.

    Examples
    --------
    >>> underestimate(Underestimate("lab", 13, 3.2, 11, 0.0004))
    'more is missed than expected: 11 relevant papers below the stop point, about 3 expected, in 13 lists (p < 0.001)'
    """
    return (
        f"more is missed than expected: {counted(found.found, 'relevant paper')} below the stop point, about "
        f"{found.expected:.0f} expected, in {counted(found.n_lists, 'list')} ({p_value(found.chance)})"
    )


def paced(n_timed: int, n_reports: int) -> str:
    """State by which pace minutes were reckoned.

    Examples
    --------
    >>> paced(0, 65)
    'Time is reckoned at 14.5 minutes for all papers of an issue, what editors of NEP took in a study.'
    >>> paced(2, 65)
    'Time is reckoned by the own pace of 2 reports, as their decisions tell; elsewhere at 14.5 minutes for all papers of an issue, what editors of NEP took in a study.'
    >>> paced(3, 3)
    'Time is reckoned by the own pace of each report, as their decisions tell.'
    """  # noqa: E501
    study = "at 14.5 minutes for all papers of an issue, what editors of NEP took in a study."
    if not n_timed:
        return f"Time is reckoned {study}"
    if n_timed == n_reports:
        return "Time is reckoned by the own pace of each report, as their decisions tell."
    return (
        f"Time is reckoned by the own pace of {counted(n_timed, 'report')}, as their decisions tell; elsewhere {study}"
    )


def too_early_to_compare(n_old: int) -> str:
    """State that there are too few issues before the newest to hold these against them; nothing where there are not.

    Examples
    --------
    >>> too_early_to_compare(2), too_early_to_compare(39)
    ('Too early to compare with issues before: 2 of 13.', '')
    """
    return f"Too early to compare with issues before: {n_old} of {FEWEST_OLD}." if n_old < FEWEST_OLD else ""


def glance(measure: Measure, *, is_last: bool, n_worse: int, n_retired: int, n_new: int, n_old: int) -> str:
    """Describe what the small pictures show, of how many new issues and of how many before."""
    lines = f"Last relevant paper over {counted(n_new + n_old, 'issue')}, as a share of the list (lower is better)"
    if not is_last:
        what = f"distance of {measure.label} from 100 %, in powers of ten" if measure.loss else measure.label
        lines += f"; below it, {what} ({direction(measure)})"
    before = f", and of the {n_old} before" if n_old >= FEWEST_OLD else ""
    figures = " ".join(
        filter(None, [f"The figures are medians of the {newest(n_new)}{before}.", too_early_to_compare(n_old)])
    )
    worse = " In colour and first: those that got worse." if n_worse else ""
    retired = " Last: retired ones, whose past issues still count in all figures." if n_retired else ""
    above = " A line above a picture is the colour chosen for the report on Manage."
    return f"{lines}. {figures}{worse}{retired}{above} Choose a report to see it in depth."
