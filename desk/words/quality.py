"""What the page Quality says."""

import math
from collections.abc import Sequence
from datetime import date

from desk.alarms import FEWEST_NEW, FEWEST_OLD, MISSED, MISSED_DAYS, NEW, OLD, Shift, Silence
from desk.words.text import counted
from metrics import Measure

TITLE = "Quality"
NO_REPORT = "No report yet. Import an issue with past selections: `presort import FILE`."
NOTHING_SCORED = (
    "Nothing to show yet: rankings are scored when a report is issued. Issue one on the Review page, or rank past "
    "issues with `presort replay --from DATE --to DATE`."
)
NOTHING_OF_REPORT = "Nothing of this report was scored yet; choose another report, or other rankings above."

MEASURE, SOURCE, RANKER = "Measure", "Rankings", "Ranker"
SOURCE_HELP = "A replay ranks past issues as if each had been new, with what was decided before it."
RANKER_HELP = "Whose rankings the alarms, the small pictures and the effort saved are about."

ALARMS = "Alarms"
SUMMARY = "Download a summary to mail, as one HTML file"
NO_ALARM = "No alarm."
LOOK, OPEN = "Look", "Open"
ALL_REPORTS = "All reports"
ONE_REPORT = "One report"
TABLE = "As a table"
DOWNLOAD_ALL = "Download this table as CSV"
DOWNLOAD_ONE = "Download all measures as CSV"
OTHER_MEASURES = "The other measures"
MEANS = "Means over the issues that all these rankers ranked"
PICK = "Choose a point to open the ranking behind it."
OPEN_RANKING = "open this ranking as the editor saw it"
OF_REPLAY = "As the replay sorted it; no editor has seen this list. ✓: relevant."
PLACE, RELEVANT, PAPER = "Place", "Relevant", "Title"
NOT_DEFINED = "not defined"

NOW, BEFORE = f"newest {NEW} issues", f"{OLD} before"
LAST_NOW, LAST_BEFORE = f"Last position, {NOW}", f"Last position, {BEFORE}"
PAPERS_SAVED, MINUTES_SAVED = "Papers saved", "Minutes saved"
IS_WORSE = "Got worse"

HOW = (
    f"A report is named when its newest {NEW} issues took more reading for each relevant paper than its {OLD} before, "
    "by a rank test corrected for the number of reports: by chance alone, any report would be named in fewer than one "
    "week of twenty. An editor who stops sooner before red is found likewise. A report is silent once it decided "
    f"nothing on {MISSED} issues or more, for {MISSED_DAYS} days, and longer than ever in the year before. Fewer than "
    f"{FEWEST_NEW} new issues or {FEWEST_OLD} before tell too little."
)


def share(value: float) -> str:
    """Write a share of a list; one that is not nothing never reads as nothing.

    Examples
    --------
    >>> share(0.1234), share(0.034), share(0.0004), share(math.nan)
    ('12 %', '3.4 %', 'under 0.1 %', '–')
    """  # noqa: RUF002
    if math.isnan(value):
        return "–"  # noqa: RUF001
    if value < 0.001:
        return "under 0.1 %"
    return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"


def chance(value: float) -> str:
    """Write how likely something is by chance.

    Examples
    --------
    >>> chance(0.0312), chance(0.00004)
    ('3.1 %', 'under 0.1 %')
    """
    return share(value)


def is_worse(found: Shift, last_before: float, last_now: float) -> str:
    """Say of a report that its last relevant paper stands deeper.

    Parameters
    ----------
    found : Shift
        Of papers read for each relevant one.
    last_before, last_now : float
        Medians of the relative last position.

    Examples
    --------
    >>> is_worse(Shift("lab", date(2019, 4, 1), 3.1, 6.2, 0.004), 0.07, 0.15)
    'worse since 2019-04-01: 6.2 papers read for each relevant one, 3.1 before; the last one at 15 % of the list, 7.0 % before (medians; by chance alone: 0.4 %)'
    """  # noqa: E501
    return (
        f"worse since {found.since}: {found.now:.1f} papers read for each relevant one, {found.before:.1f} before; the "
        f"last one at {share(last_now)} of the list, {share(last_before)} before (medians; by chance alone: "
        f"{chance(found.chance)})"
    )


def is_early(found: Shift) -> str:
    """Say of a report that its editor stops earlier.

    Examples
    --------
    >>> is_early(Shift("lab", date(2019, 4, 1), 1, 0.4, 0.004))
    'reading stops early since 2019-04-01: after 40 % of the way to red, 100 % before (medians; by chance alone: 0.4 %)'
    """
    return (
        f"reading stops early since {found.since}: after {share(found.now)} of the way to red, {share(found.before)} "
        f"before (medians; by chance alone: {chance(found.chance)})"
    )


def edited_by(report: str, editors: Sequence[str]) -> str:
    """Name a report, and whose work an alarm is about where that is known.

    Examples
    --------
    >>> edited_by("lab", ["Ann Lee", "Bo Ek"]), edited_by("lab", [])
    ('lab (Ann Lee, Bo Ek)', 'lab')
    """
    return f"{report} ({', '.join(editors)})" if editors else report


def is_silent(found: Silence) -> str:
    """Say of a report that nothing was decided.

    Examples
    --------
    >>> is_silent(Silence("lab", date(2019, 4, 1), 4))
    'nothing decided since 2019-04-01: 4 issues passed'
    """
    return f"nothing decided since {found.since}: {counted(found.n_issues, 'issue')} passed"


def further(n: int) -> str:
    """Say that there are more alarms."""
    return counted(n, "more alarm")


def now_and_before(now: float, before: float) -> tuple[str, str]:
    """Write two shares of a list beside a small picture.

    Examples
    --------
    >>> now_and_before(0.15, 0.07), now_and_before(0.15, math.nan)
    (('15 %', 'was 7.0 %'), ('15 %', ''))
    """
    return share(now), "" if math.isnan(before) else f"was {share(before)}"


def saved(papers: float, minutes: float, n_report_issues: int, ranker: str) -> str:
    """Say what a ranker saved.

    Examples
    --------
    >>> saved(1_565_151, 33_255, 3208, "presort-1")
    'presort-1 saved 1,565,151 papers of reading against the order received, about 554 hours, in 3,208 report issues.'
    >>> saved(-30, -0.7, 1, "krichel-2007")
    'krichel-2007 cost 30 papers of reading against the order received, about 1 minute, in 1 report issue.'
    """
    did = "saved" if papers >= 0 else "cost"
    amount = counted(round(abs(papers)), "paper")
    return (
        f"{ranker} {did} {amount} of reading against the order received, about {time_text(abs(minutes))}, "
        f"in {counted(n_report_issues, 'report issue')}."
    )


def time_text(minutes: float) -> str:
    """Write a span of minutes, of two hours and more in hours.

    Examples
    --------
    >>> time_text(0.2), time_text(119), time_text(33_255)
    ('1 minute', '119 minutes', '554 hours')
    """
    if minutes < 120:
        return counted(max(1, round(minutes)), "minute")
    return counted(round(minutes / 60), "hour")


def paced(n_timed: int, n_reports: int) -> str:
    """Say by which pace minutes were reckoned.

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


def direction(measure: Measure) -> str:
    """Say which way of what is drawn is better."""
    return "lower is better" if measure.gap or not measure.higher_is_better else "higher is better"


def line_is(measure: Measure) -> str:
    """Say which way is better of the line beside a measure's value."""
    return f"line: {direction(measure)}" if measure.gap else direction(measure)


def glance(measure: Measure, *, is_last: bool, n_worse: int) -> str:
    """Say what the small pictures show."""
    lines = (
        f"Last relevant paper over {NEW + OLD} issues, as a share of the list from 0 to 100 %, drawn by its square "
        "root (lower is better)"
    )
    if not is_last:
        what = f"distance of {measure.label} from 100 %, in powers of ten" if measure.gap else measure.label
        lines += f"; below it, {what} ({direction(measure)})"
    figures = f"The figures are medians of the newest {NEW} issues, and of the {OLD} before."
    worse = " In colour and first: those that got worse." if n_worse else ""
    above = " A line above a picture is the colour chosen for the report on Manage."
    return f"{lines}. {figures}{worse}{above} Choose a report to see it in depth."


def others(ranker: str) -> str:
    """Say what the small pictures of measures show."""
    return (
        f"Rankings by {ranker}, the newest {NEW + OLD} issues; the figure is that of the newest issue in which the "
        "measure is defined. Choose a measure to see it large."
    )


def picked(issue: date, ranker: str, last: float, n_papers: int) -> str:
    """Say which point was chosen.

    Examples
    --------
    >>> picked(date(2019, 4, 1), "presort-1", 61, 612)
    '2019-04-01, sorted by presort-1: the last relevant paper at 61 of 612'
    >>> picked(date(2019, 4, 1), "presort-1", math.nan, 612)
    '2019-04-01, sorted by presort-1: nothing was relevant'
    """
    where = "nothing was relevant" if math.isnan(last) else f"the last relevant paper at {last:.0f} of {n_papers:,}"
    return f"{issue}, sorted by {ranker}: {where}"
