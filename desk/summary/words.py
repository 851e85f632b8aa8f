"""What the summary of a service says: in sentences, in the heads of its tables, and of how it was made."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from presort.data.records import Replay
from presort.desk.scores.outcomes import counted_in_words
from presort.desk.scores.words import newest, share
from presort.desk.text import counted


def no_change_says(n_newest: int, n_before: int, least: int) -> str:
    """State that there are too few issues to hold a quarter against the one before, and how many there are.

    Examples
    --------
    >>> print(no_change_says(13, 4, 6))
    Too early to say whether it is better than the quarter before: it takes 6 issues in each, and there are 13 and 4.
    """
    have = f"it takes {least} issues in each, and there are {n_newest} and {n_before}"
    return f"Too early to say whether it is better than the quarter before: {have}."


def span_text(first: date, last: date) -> str:
    """Write a span of issues.

    Examples
    --------
    >>> span_text(date(2026, 11, 2), date(2026, 11, 16)), span_text(date(2026, 11, 2), date(2026, 11, 2))
    ('2026-11-02 to 2026-11-16', '2026-11-02')
    """
    return f"{first}" if first == last else f"{first} to {last}"


def sorted_says(n_issues: int, n_papers: int, n_reports: int, by: Mapping[str, int]) -> str:
    """Describe what was sorted; `by` has in how many issues each ranker sorted.

    Examples
    --------
    >>> sorted_says(52, 45760, 65, {"presort-1": 52})
    '52 issues with 45,760 papers were sorted for 65 reports by presort-1.'
    >>> sorted_says(52, 45760, 65, {"presort-1": 50, "presort-2": 2})
    '52 issues with 45,760 papers were sorted for 65 reports by presort-1 (50 issues) and presort-2 (2 issues).'
    """
    were = "was" if n_issues == 1 else "were"
    issues, papers = counted(n_issues, "issue"), counted(n_papers, "paper")
    return f"{issues} with {papers} {were} sorted for {counted(n_reports, 'report')} by {sorters_named(by)}."


def sorters_named(by: Mapping[str, int]) -> str:
    """Name rankers, and where there are several, in how many issues each sorted.

    Examples
    --------
    >>> sorters_named({"presort-1": 52})
    'presort-1'
    """
    if len(by) == 1:
        return next(iter(by))
    *some, last = (f"{name} ({counted(n, 'issue')})" for name, n in by.items())
    return f"{', '.join(some)} and {last}"


def last_says(mean: float, median: float, n_papers: float, n_report_issues: int) -> str:
    """State where the last relevant paper stood; `n_papers` is the mean length of the lists.

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


class Saved(NamedTuple):
    """How many papers and minutes of reading were saved in so many report issues, or would have been."""

    papers: int
    minutes: float
    n_report_issues: int


def effort_says(received: float, read: Saved, other: Saved) -> str:
    """Describe what sorting saved where lists were read in that order, and what it would have saved in others.

    `received` is the mean share at which the last relevant paper would have stood.

    Examples
    --------
    >>> none = Saved(0, 0, 0)
    >>> effort_says(0.845, Saved(1566782, 33280, 3208), none)
    'In the order received it would have stood at 84.5 %. Sorting saved 488 papers of reading in each report issue, \
1,566,782 in all: an estimated 555 hours.'
    >>> effort_says(0.845, none, Saved(21000, 600, 100))
    'In the order received it would have stood at 84.5 %. Had lists been read in this order, sorting would have saved \
210 papers of reading in each report issue, 21,000 in all: an estimated 10 hours.'
    >>> effort_says(0.845, Saved(600, 60, 3), Saved(21000, 600, 100))
    'In the order received it would have stood at 84.5 %. Sorting saved 200 papers of reading in each of the 3 report \
issues read in this order, 600 in all: an estimated 60 minutes. In the 100 others it would have saved 210 in each, \
21,000 in all: an estimated 10 hours.'
    >>> effort_says(0.12, none, Saved(-30, -20, 10))
    'In the order received it would have stood at 12.0 %: sorting would have saved no reading.'
    """
    head = f"In the order received it would have stood at {share_text(received)}"
    if not read.n_report_issues or not other.n_report_issues:
        is_read = read.n_report_issues > 0
        one = read if is_read else other
        if one.papers <= 0:
            return f"{head}: sorting {'saved' if is_read else 'would have saved'} no reading."
        saved = "Sorting saved" if is_read else "Had lists been read in this order, sorting would have saved"
        return f"{head}. {saved} {_each(one, ' of reading')} in each report issue, {_in_all(one)}."
    where = f"of the {counted(read.n_report_issues, 'report issue')} read in this order"
    saved = f"saved {_each(read, ' of reading')} in each {where}, {_in_all(read)}"
    would = f"would have saved {_each(other)} in each, {_in_all(other)}"
    return (
        f"{head}. Sorting {saved if read.papers > 0 else f'saved no reading in each {where}'}. In the "
        f"{other.n_report_issues:,} others it {would if other.papers > 0 else 'would have saved none'}."
    )


def _each(saved: Saved, of: str = "") -> str:
    n = max(round(saved.papers / saved.n_report_issues), 1)
    return f"{counted(n, 'paper')}{of}" if of else f"{n:,}"


def _in_all(saved: Saved) -> str:
    minutes = saved.minutes
    hours = counted(round(minutes / 60), "hour") if minutes >= 90 else counted(round(minutes), "minute")
    return f"{saved.papers:,} in all: an estimated {hours}"


def change_says(now: float, before: float, *, is_sure: bool) -> str:
    """State whether the newest quarter was better than the one before.

    Examples
    --------
    >>> change_says(0.149, 0.12, is_sure=True)
    'Worse than the quarter before: 14.9 % of the list in the last 13 weeks, 12.0 % in the 13 weeks before (means).'
    >>> change_says(0.119, 0.12, is_sure=False)
    'No clear change from the quarter before: 11.9 % of the list in the last 13 weeks, 12.0 % in the 13 weeks before \
(means), which may be chance.'
    """
    figures = f"{share_text(now)} of the list in the last 13 weeks, {share_text(before)} in the 13 weeks before (means)"
    if not is_sure:
        return f"No clear change from the quarter before: {figures}, which may be chance."
    return f"{'Better' if now < before else 'Worse'} than the quarter before: {figures}."


def others_say(n_others: int, *, is_better: bool) -> str:
    """State that all other rankers went the same way, and surely so.

    Examples
    --------
    >>> others_say(1, is_better=False), others_say(3, is_better=True)
    ('The other ranker did worse, too.', 'The other rankers did better, too.')
    """
    return f"The other ranker{'s' if n_others > 1 else ''} did {'better' if is_better else 'worse'}, too."


def rankers_say(n_rankers: int, best: tuple[str, float], other: tuple[str, float], *, is_sure: bool) -> str:
    """State which of several rankers was best by mean relative last position, and how far another one was from it.

    Examples
    --------
    >>> rankers_say(3, ("new", 0.13), ("old", 0.17), is_sure=True)
    'Of the three rankers compared, new needed the least reading: 13.0 % of the list on average, old 17.0 %.'
    >>> rankers_say(2, ("new", 0.18), ("old", 0.181), is_sure=False)
    'Of the two rankers compared, new needed the least reading: 18.0 % of the list on average, old 18.1 %, \
which may be chance.'
    """
    compared, chance = counted_in_words(n_rankers, "ranker"), "" if is_sure else ", which may be chance"
    figures = f"{share_text(best[1])} of the list on average, {other[0]} {share_text(other[1])}{chance}"
    return f"Of the {compared} compared, {best[0]} needed the least reading: {figures}."


def ends_say(least: Sequence[tuple[str, float]], most: Sequence[tuple[str, float]], n_newest: int) -> str:
    """Name the reports for which least and most had to be read, each with its median share in the newest issues.

    Examples
    --------
    >>> print(ends_say([("Sports", 0.03), ("Trade", 0.041)], [("Labour", 0.338), ("Macro", 0.24)], 13))
    Least had to be read for Sports (3.0 %) and Trade (4.1 %), most for Labour (34 %) and Macro (24 %): medians of the newest 13 issues.
    """  # noqa: E501
    medians = "the newest issue alone" if n_newest == 1 else f"medians of the {newest(n_newest)}"
    return f"Least had to be read for {_reports_named(least)}, most for {_reports_named(most)}: {medians}."


def _reports_named(reports: Sequence[tuple[str, float]]) -> str:
    *some, last = (f"{name} ({share(median)})" for name, median in reports)
    return f"{', '.join(some)} and {last}" if some else last


def source_says(replay: Replay | None, n_replayed: int, n_rankings: int) -> str:
    """State where the rankings came from.

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
    """Describe what the time that was saved was reckoned by; `minutes` is what an issue takes by the study.

    Examples
    --------
    >>> minutes_say(0, 30, 14.5)
    'Time saved: by the 14.5 minutes that an editor spends on an issue in a study of NEP.'
    >>> minutes_say(10, 30, 14.5)
    "Time saved: by the report's own pace in 10 of 30 report issues, else by the 14.5 minutes that an editor spends on \
an issue in a study of NEP."
    >>> minutes_say(30, 30, 14.5)
    "Time saved: by each report's own pace."
    """
    study = f"by the {minutes:g} minutes that an editor spends on an issue in a study of NEP"
    if not n_timed:
        return f"Time saved: {study}."
    if n_timed == n_report_issues:
        return "Time saved: by each report's own pace."
    return f"Time saved: by the report's own pace in {n_timed:,} of {n_report_issues:,} report issues, else {study}."


def left_out_says(*, nothing: int, everything: int, list_order: int, not_common: int) -> list[str]:
    """Describe what the figures do not count, or count although it says little, in report issues.

    Examples
    --------
    >>> for sentence in left_out_says(nothing=3, everything=0, list_order=0, not_common=1):
    ...     print(sentence)
    Left out, as nothing was relevant: 3 report issues.
    Not in the comparison of rankers, as not all of them have ranked the same list: 1 report issue.
    """
    numbers = {
        "Left out, as nothing was relevant": nothing,
        "Not in Copnori, as everything was relevant": everything,
        "In list order, as there were too few decisions to learn from, but counted": list_order,
        "Not in the comparison of rankers, as not all of them have ranked the same list": not_common,
    }
    return [f"{what}: {counted(n, 'report issue')}." for what, n in numbers.items() if n]


def too_few_says(rankers: Sequence[str]) -> list[str]:
    """State which rankers are not in the comparison.

    Examples
    --------
    >>> too_few_says([]), too_few_says(["a", "b"])
    ([], ['Not compared, as they have ranked too few of the same lists: a, b.'])
    """
    return [f"Not compared, as they have ranked too few of the same lists: {', '.join(rankers)}."] if rankers else []


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
