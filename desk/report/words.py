"""What the page My report says."""

import math
from collections.abc import Sequence
from datetime import date

import pandas as pd

from presort.desk.scores.alarms import FEWEST_OLD
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.words import newest, share
from presort.desk.text import about, counted

FIRST_MEASURE = "relative_last_position"  # drawn until another is chosen


def measure_named(measure: str) -> str:
    """Name a measure on an editor's page: the first one in plain words.

    Examples
    --------
    >>> measure_named("relative_last_position"), measure_named("aselt")
    ('Last relevant paper', 'Aselt')
    """
    return "Last relevant paper" if measure == FIRST_MEASURE else MEASURES[measure].label


def edited_by(editors: Sequence[str]) -> str:
    """Name who edits a report today.

    Examples
    --------
    >>> edited_by([]), edited_by(["Ann", "Bo"])
    ('Nobody is named as its editor', 'Edited by Ann, Bo')
    """
    return f"Edited by {', '.join(editors)}" if editors else "Nobody is named as its editor"


def audit_text(audits: pd.DataFrame, report: str) -> str:
    """Describe what its editors were told to be below where one in 20 may be missed, and what was found there.

    Parameters
    ----------
    audits : DataFrame
        As `presort.desk.scores.stop_audit.table` gives it, of all reports.

    Returns
    -------
    str
        Nothing where nobody read on below.
    """
    mine = audits[audits["report"] == report]
    if mine.empty:
        return ""
    expected, found = mine["expected_below"].sum(), int(mine["found_below"].sum())
    return (
        f"Where one relevant paper in 20 may be missed, {about(expected)} were told to be further down in "
        f"{counted(len(mine), 'list')} read or spot-checked there; {found:,} were found there."
    )


def headline(now: float, n_now: int, before: float, n_before: int, n_newest: int) -> str:
    """State how far down the last relevant paper stood in the newest issues, and how far before.

    Parameters
    ----------
    now, before : float
        Medians of shares of the list.
    n_now, n_before : int
        Lists of this report with a relevant paper, among the newest issues and among those before.
    n_newest : int
        Issues that count as the newest, of all reports.

    Examples
    --------
    >>> print(headline(0.07, 12, 0.09, 36, 13))  # doctest: +NORMALIZE_WHITESPACE
    In half of its 12 lists among the newest 13 issues the last relevant paper stood at 7.0 % of the list or earlier;
    in half of the 36 lists before at 9.0 %.
    >>> headline(0.07, 1, math.nan, 0, 1)
    'In the newest issue the last relevant paper stood at 7.0 % of the list.'
    >>> print(headline(0.14, 13, 0.48, 2, 13))  # doctest: +NORMALIZE_WHITESPACE
    In half of the newest 13 issues the last relevant paper stood at 14 % of the list or earlier.
    Too early to compare with the lists before: 2 of 13.
    >>> print(headline(math.nan, 0, 0.09, 4, 13))  # doctest: +NORMALIZE_WHITESPACE
    None of the newest 13 issues had a relevant paper here;
    in half of the 4 lists before the last one stood at 9.0 % of the list or earlier.
    >>> headline(math.nan, 0, math.nan, 0, 13)
    'No issue had a relevant paper yet.'
    """
    if not (n_now or n_before):
        return "No issue had a relevant paper yet."
    before_in = f"in half of the {n_before:,} lists before" if n_before > 1 else "in the one list before"
    if not n_now:
        none = f"None of the {newest(n_newest)} had a relevant paper here"
        return f"{none}; {before_in} the last one stood at {share(before)} of the list{_or_earlier(n_before)}."
    if n_now == n_newest:
        where = f"In half of the {newest(n_newest)}" if n_now > 1 else f"In the {newest(n_newest)}"
    else:
        lists = f"half of its {n_now:,} lists" if n_now > 1 else "its one list"
        where = f"In {lists} among the {newest(n_newest)}"
    text = f"{where} the last relevant paper stood at {share(now)} of the list{_or_earlier(n_now)}"
    if not n_before:
        return f"{text}."
    if n_before < FEWEST_OLD:
        return f"{text}. Too early to compare with the lists before: {n_before} of {FEWEST_OLD}."
    return f"{text}; {before_in} at {share(before)}."


def _or_earlier(n: int) -> str:
    return " or earlier" if n > 1 else ""


def picked(issue: date, ranker: str, last: float, n_papers: int) -> str:
    """State which point was chosen.

    Examples
    --------
    >>> picked(date(2019, 4, 1), "presort-1", 61, 612)
    '2019-04-01, sorted by presort-1: the last relevant paper at 61 of 612'
    >>> picked(date(2019, 4, 1), "presort-1", math.nan, 612)
    '2019-04-01, sorted by presort-1: nothing was relevant'
    """
    where = "nothing was relevant" if math.isnan(last) else f"the last relevant paper at {last:.0f} of {n_papers:,}"
    return f"{issue}, sorted by {ranker}: {where}"
