"""What the summary of a service says: in sentences, in the heads of its tables, and of how it was made."""

import math
from collections.abc import Sequence
from datetime import date

from data.records import Replay
from desk.words.outcomes import counted_in_words
from desk.words.text import counted

TITLE = "How good the presorting was"
IN_SHORT = "In short"
READING = "How far an editor must read"
RANKERS = "Rankers side by side"
REPORTS = "Report by report"
MEASURES = "What the measures mean"
HOW_MADE = "How this was made"
LAST_TITLE = (
    "Issue by issue: the share of the list down to the last relevant paper, mean of the reports (thin) and of four "
    "issues (thick). Lower is better."
)
FOUND_TITLE = (
    "After reading so much of the list: the share of report issues in which everything relevant was found. Higher is "
    "better."
)
DISTANCE = "Copnori, distance from 100\N{NO-BREAK SPACE}%"
RANKER_HEADS = ("Ranker", "Mean", "Median", DISTANCE, "Average precision", "Earlier", "Same", "Later", "Drawn")
REPORT_HEADS = (
    *("Report", "Issues", "Relevant in each", "Mean", "Median", "Change"),
    *(DISTANCE, "Average precision", "Trend"),
)
NO_CHANGE = "There are too few issues yet to hold this quarter against the one before."
QUARTERS = (
    "Quarters: the 13 weeks up to the last issue against the 13 weeks before, by the mean of each report that has at "
    "least six issues in both. A difference may be chance unless a rank-sum test of the issues, each the mean of what "
    "its reports are off their own means, would find it in fewer than one of 20 cases without a change."
)
APART = (
    "Rankers: a difference may be chance unless 95 % of the means of reports drawn again at random have it (of issues, "
    "where there are few reports)."
)
NOTHING = (
    "No report issue with a relevant paper was sorted, so there is nothing to sum up. Ask for other issues or rankers, "
    "or run 'presort replay'."
)


def share_text(share: float) -> str:
    """Write a share.

    Examples
    --------
    >>> share_text(0.1297), share_text(0.0002), share_text(0), share_text(math.nan)
    ('13.0 %', 'under 0.1 %', '0.0 %', '–')
    """  # noqa: RUF002
    if math.isnan(share):
        return "–"  # noqa: RUF001
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def points_text(change: float) -> str:
    """Write a difference of shares in percentage points.

    Examples
    --------
    >>> points_text(0.0123), points_text(-0.25), points_text(-0.0001), points_text(math.nan)
    ('+1.2', '−25.0', '0.0', '–')
    """  # noqa: RUF002
    if math.isnan(change):
        return "–"  # noqa: RUF001
    return "0.0" if abs(change) < 0.0005 else f"{100 * change:+.1f}".replace("-", "−")  # noqa: RUF001


def number_text(value: float) -> str:
    """Write a plain number.

    Examples
    --------
    >>> number_text(0.65), number_text(math.nan)
    ('0.650', '–')
    """  # noqa: RUF002
    return "–" if math.isnan(value) else f"{value:.3f}"  # noqa: RUF001


def distance_text(power: float) -> str:
    """Write a distance from 100 %, given as its power of ten in percent.

    Examples
    --------
    >>> distance_text(math.log10(0.81)), distance_text(-411.5), distance_text(-math.inf), distance_text(math.nan)
    ('0.81 %', '3.2e-412 %', '0 %', '–')
    """  # noqa: RUF002
    if math.isnan(power):
        return "–"  # noqa: RUF001
    if power == -math.inf:
        return "0 %"
    if power >= -2:
        return f"{10**power:.2f} %"
    whole = math.floor(power)
    digits = f"{10 ** (power - whole):.1f}"
    return f"1.0e{whole + 1} %" if digits == "10.0" else f"{digits}e{whole} %"


def span_text(first: date, last: date) -> str:
    """Write a span of issues.

    Examples
    --------
    >>> span_text(date(2026, 11, 2), date(2026, 11, 16)), span_text(date(2026, 11, 2), date(2026, 11, 2))
    ('2026-11-02 to 2026-11-16', '2026-11-02')
    """
    return f"{first}" if first == last else f"{first} to {last}"


def sorted_says(n_issues: int, n_papers: int, n_reports: int, ranker: str) -> str:
    """Say what was sorted.

    Examples
    --------
    >>> sorted_says(52, 45760, 65, "presort-1")
    '52 issues with 45,760 papers were sorted for 65 reports by presort-1.'
    """
    were = "was" if n_issues == 1 else "were"
    issues, papers = counted(n_issues, "issue"), counted(n_papers, "paper")
    return f"{issues} with {papers} {were} sorted for {counted(n_reports, 'report')} by {ranker}."


def last_says(mean: float, median: float, n_papers: float, n_report_issues: int) -> str:
    """Say where the last relevant paper stood; `n_papers` is the mean length of the lists.

    Examples
    --------
    >>> last_says(0.1297, 0.0697, 880, 3208)
    'On average the last relevant paper stood at 13.0 % of the list, about paper 114 of 880; in half of the 3,208 \
report issues at 7.0 % or earlier.'
    """
    place = f"about paper {max(1, round(mean * n_papers)):,} of {round(n_papers):,}"
    half = f"in half of the {n_report_issues:,} report issues" if n_report_issues > 1 else "in this one report issue"
    return f"On average the last relevant paper stood at {share_text(mean)} of the list, {place}; {half} at \
{share_text(median)} or earlier."


def effort_says(received: float, papers: int, minutes: float, n_report_issues: int) -> str:
    """Say what sorting saved; `received` is the mean share at which the last relevant paper would have stood.

    Examples
    --------
    >>> effort_says(0.845, 1566782, 33280, 3208)
    'In the order received it would have stood at 84.5 %. Sorting saved 488 papers of reading in each report issue, \
1,566,782 in all: about 555 hours.'
    >>> effort_says(0.12, -30, -20, 10)
    'In the order received it would have stood at 12.0 %: sorting saved no reading.'
    """
    head = f"In the order received it would have stood at {share_text(received)}"
    if papers <= 0:
        return f"{head}: sorting saved no reading."
    each = counted(max(round(papers / n_report_issues), 1), "paper")
    hours = counted(round(minutes / 60), "hour") if minutes >= 90 else counted(round(minutes), "minute")
    return f"{head}. Sorting saved {each} of reading in each report issue, {papers:,} in all: about {hours}."


def change_says(newest: float, before: float, *, is_sure: bool) -> str:
    """Say whether the newest quarter was better than the one before.

    Examples
    --------
    >>> change_says(0.149, 0.12, is_sure=True)
    'Worse than the quarter before: 14.9 % of the list in the last 13 weeks, 12.0 % in the 13 weeks before.'
    >>> change_says(0.119, 0.12, is_sure=False)
    'No clear change from the quarter before: 11.9 % of the list in the last 13 weeks, 12.0 % in the 13 weeks before, \
which may be chance.'
    """
    figures = f"{share_text(newest)} of the list in the last 13 weeks, {share_text(before)} in the 13 weeks before"
    if not is_sure:
        return f"No clear change from the quarter before: {figures}, which may be chance."
    return f"{'Better' if newest < before else 'Worse'} than the quarter before: {figures}."


def others_say(n_others: int, *, is_better: bool) -> str:
    """Say that all other rankers went the same way, and surely so.

    Examples
    --------
    >>> others_say(1, is_better=False), others_say(3, is_better=True)
    ('The other ranker did worse, too.', 'The other rankers did better, too.')
    """
    return f"The other ranker{'s' if n_others > 1 else ''} did {'better' if is_better else 'worse'}, too."


def rankers_say(n_rankers: int, best: tuple[str, float], other: tuple[str, float], *, is_sure: bool) -> str:
    """Say which of several rankers was best by mean relative last position, and how far another one was from it.

    Examples
    --------
    >>> rankers_say(3, ("new", 0.13), ("old", 0.17), is_sure=True)
    'Of the three rankers compared, new needed the least reading: 13.0 % of the list, old 17.0 %.'
    >>> rankers_say(2, ("new", 0.18), ("old", 0.181), is_sure=False)
    'Of the two rankers compared, new needed the least reading: 18.0 % of the list, old 18.1 %, which may be chance.'
    """
    compared, chance = counted_in_words(n_rankers, "ranker"), "" if is_sure else ", which may be chance"
    figures = f"{share_text(best[1])} of the list, {other[0]} {share_text(other[1])}{chance}"
    return f"Of the {compared} compared, {best[0]} needed the least reading: {figures}."


def extremes_say(best: Sequence[tuple[str, float]], worst: Sequence[tuple[str, float]]) -> str:
    """Say in which reports least and most had to be read.

    Examples
    --------
    >>> extremes_say([("Finance", 0.01), ("Labour", 0.02)], [("Statistics", 0.44)])
    'Least had to be read for Finance (1.0 %) and Labour (2.0 %), most for Statistics (44.0 %).'
    """
    return f"Least had to be read for {_named(best)}, most for {_named(worst)}."


def _named(reports: Sequence[tuple[str, float]]) -> str:
    *some, last = (f"{name} ({share_text(share)})" for name, share in reports)
    return f"{', '.join(some)} and {last}" if some else last


def source_says(replay: Replay | None, n_replayed: int, n_rankings: int) -> str:
    """Say where the rankings came from.

    Examples
    --------
    >>> source_says(None, 0, 30)
    'Rankings: those that editors were shown, or else made for them.'
    >>> source_says(None, 28, 30)
    'Rankings: those that editors were shown, or else made for them; 28 of 30 were made in a replay, after the fact: \
past issues sorted as if each had been new, by what had been decided before it.'
    """
    if replay is not None:
        span = span_text(replay.first_issue, replay.last_issue)
        every = "every issue" if replay.retrain_every == 1 else f"every {replay.retrain_every} issues"
        return (
            f"Rankings: replay {replay.id}, made after the fact: the issues of {span} sorted as if each had been new, "
            f"by what had been decided before it; trained anew for {every}."
        )
    shown = "Rankings: those that editors were shown, or else made for them"
    if not n_replayed:
        return f"{shown}."
    return (
        f"{shown}; {n_replayed:,} of {n_rankings:,} were made in a replay, after the fact: past issues sorted as if "
        "each had been new, by what had been decided before it."
    )


def minutes_say(n_timed: int, n_report_issues: int, minutes: float) -> str:
    """Say what the time that was saved was reckoned by; `minutes` is what an issue takes by the study.

    Examples
    --------
    >>> minutes_say(0, 30, 14.5)
    'Time saved: by the 14.5 minutes that an editor spends on an issue in a study of NEP.'
    >>> minutes_say(10, 30, 14.5)
    "Time saved: by the report's own pace in 10 of 30 report issues, else by the 14.5 minutes that an editor spends on \
an issue in a study of NEP."
    """
    study = f"by the {minutes:g} minutes that an editor spends on an issue in a study of NEP"
    if not n_timed:
        return f"Time saved: {study}."
    if n_timed == n_report_issues:
        return "Time saved: by each report's own pace."
    return f"Time saved: by the report's own pace in {n_timed:,} of {n_report_issues:,} report issues, else {study}."


def left_out_says(*, nothing: int, everything: int, list_order: int, not_common: int) -> list[str]:
    """Say what the figures do not count, or count although it says little, in report issues.

    Examples
    --------
    >>> for sentence in left_out_says(nothing=3, everything=0, list_order=0, not_common=1):
    ...     print(sentence)
    Left out, as nothing was relevant: 3 report issues.
    Not in the comparison of rankers, as not all of them have ranked the same list: 1 report issue.
    """
    said = {
        "Left out, as nothing was relevant": nothing,
        "Not in Copnori, as everything was relevant": everything,
        "In list order, as there were too few decisions to learn from, but counted": list_order,
        "Not in the comparison of rankers, as not all of them have ranked the same list": not_common,
    }
    return [f"{what}: {counted(n, 'report issue')}." for what, n in said.items() if n]


def too_few_says(rankers: Sequence[str]) -> list[str]:
    """Say which rankers are not in the comparison.

    Examples
    --------
    >>> too_few_says([]), too_few_says(["a", "b"])
    ([], ['Not compared, as they have ranked too few of the same lists: a, b.'])
    """
    return [f"Not compared, as they have ranked too few of the same lists: {', '.join(rankers)}."] if rankers else []


def made_says(made: date, version: str) -> str:
    """Say when and by what the summary was made.

    Examples
    --------
    >>> made_says(date(2026, 11, 21), "0.1.0")
    'Made on 2026-11-21 by Presort 0.1.0.'
    """
    return f"Made on {made} by Presort {version}."


def rankers_note(n_report_issues: int, first: str) -> str:
    """Say how to read the table of rankers.

    Examples
    --------
    >>> print(rankers_note(9, "new").split(". ")[0])
    By the 9 report issues that all of them have ranked
    """
    return (
        f"By the {counted(n_report_issues, 'report issue')} that all of them have ranked. Mean and median as below. "
        f"Earlier: the last relevant paper stood earlier with {first} than with this ranker; where it stood at the "
        "same place, the one before it counts, and so on. Same: all relevant papers stood at the same places."
    )


def reports_note(ranker: str) -> str:
    """Say how to read the table of reports.

    Examples
    --------
    >>> print(reports_note("new").split(". ")[0])
    Sorted by new, least reading first
    """
    return (
        f"Sorted by {ranker}, least reading first. Mean and median: where the last relevant paper stood, as a share of "
        "the list. Change: mean of the last 13 weeks less that of the 13 weeks before, in percentage points. Lower is "
        "better of all these, and of the distance of Copnori; higher is better of average precision. Trend: mean of "
        "four issues, for each report from 0 to its own highest."
    )
