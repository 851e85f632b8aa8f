"""Shared formatting of percentages, p-values, measure directions and replays."""

import math

from presort.data.records import Replay
from presort.desk.text import count_text
from presort.metrics import Measure

NOT_DEFINED = "not defined"
EDITORS = "Shown to editors, or else replayed"


def newest_issues_label(n_new: int) -> str:
    """Return a label for the newest issues.

    Examples
    --------
    >>> newest_issues_label(13), newest_issues_label(1)
    ('newest 13 issues', 'newest issue')
    """
    return "newest issue" if n_new == 1 else f"newest {count_text(n_new, 'issue')}"


def percent(value: float) -> str:
    """Format a share as a percentage with one decimal. A positive share is never shown as 0.

    Examples
    --------
    >>> percent(0.1378), percent(0.0002), percent(0), percent(math.nan)
    ('13.8 %', 'under 0.1 %', '0.0 %', '–')
    """  # noqa: RUF002
    if math.isnan(value):
        return "–"  # noqa: RUF001
    return "under 0.1 %" if 0 < value < 0.0005 else f"{100 * value:.1f} %"


def p_value(p: float) -> str:
    """Format a p-value as "p = 0.012", or as "p < 0.001" if it is below 0.001.

    Examples
    --------
    >>> p_value(0.00005), p_value(0.0123), p_value(0.4)
    ('p < 0.001', 'p = 0.012', 'p = 0.40')
    """
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def direction(measure: Measure) -> str:
    """Return "lower is better" or "higher is better" for the plotted value."""
    return "lower is better" if measure.loss or not measure.higher_is_better else "higher is better"


def replay_label(replay: Replay) -> str:
    """Return a label for a replay.

    Examples
    --------
    >>> from datetime import date
    >>> replay_label(Replay(2, date(2018, 7, 2), date(2019, 6, 24), 13))
    'Replay 2: 2018-07-02 to 2019-06-24, trained every 13 issues'
    """
    return f"{source_label(replay)}, trained every {count_text(replay.retrain_every, 'issue')}"


def source_label(replay: Replay | None) -> str:
    """Return a label for the source of rankings, short enough for a select box.

    None selects the rankings that were created for editors. Report issues without one use a replayed ranking.
    """
    return EDITORS if replay is None else f"Replay {replay.id}: {replay.first_issue} to {replay.last_issue}"
