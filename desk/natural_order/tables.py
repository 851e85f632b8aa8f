"""Tables and number formats for the *Natural order* page."""

import math

import pandas as pd

from presort.desk.scores.formats import NOT_DEFINED
from presort.desk.text import exact_text, screen_text
from presort.metrics import Measure, Outcome, natural_order_key
from presort.metrics.loss import decimal_losses

LONGEST_KEY = 12  # maximum number of positions to show


def side_by_side(
    measure: Measure, names: tuple[str, str], outcomes: tuple[Outcome, Outcome], values: tuple[float, float]
) -> pd.DataFrame:
    """Return a table that shows why a measure prefers the worse of two rankers. The better ranker comes first.

    Parameters
    ----------
    measure : Measure
        Measure that prefers the worse ranker.
    names : tuple of str
        Names of the two rankers.
    outcomes : tuple of Outcome
        Outcomes of the two rankers, with the same number of relevant papers.
    values : tuple of float
        Values of the measure for the two outcomes.
    """
    keys = zip(*map(natural_order_key, outcomes), strict=True)
    n_same = next(number for number, (one, other) in enumerate(keys) if one != other)
    n_shown = max(LONGEST_KEY, n_same + 1)  # always show the deciding position
    better, worse = (outcome.positions for outcome in outcomes)
    columns = {
        "Ranker": list(names),
        "Natural order": ["better", "worse"],
        "Places of relevant papers, last first": [key_text(outcome, n_shown) for outcome in outcomes],
        "Relevant papers ranked earlier": [
            f"{int((one < other).sum())} of {len(one)}" for one, other in ((better, worse), (worse, better))
        ],
    }
    if measure.cut:  # the measure ignores the rest of the list
        columns[f"In the first {measure.cut}"] = [
            f"{int((one <= measure.cut).sum())} of {len(one)}" for one in (better, worse)
        ]
    direction = "higher" if measure.higher_is_better else "lower"
    columns[f"{measure.label} ({direction} is better)"] = [
        value_text(measure, outcome, value) for outcome, value in zip(outcomes, values, strict=True)
    ]
    return pd.DataFrame(columns)


def percent(share: float) -> str:
    """Format a share as a percentage. A positive share is never shown as 0 %.

    Examples
    --------
    >>> percent(0.2973), percent(0.0), percent(0.00002)
    ('29.7 %', '0 %', 'under 0.1 %')
    >>> percent(math.nan)
    'not defined'
    """
    if math.isnan(share):
        return NOT_DEFINED
    if 0 < share < 0.001:
        return "under 0.1 %"
    return f"{100 * share:.1f} %" if share else "0 %"


def value_text(measure: Measure, outcome: Outcome, value: float) -> str:
    """Format a measure's value. Only the best possible value is formatted as 100 %.

    Examples
    --------
    >>> from presort.desk.scores.registry import MEASURES
    >>> value_text(MEASURES["aselt"], Outcome([1, 4], 5), 1 / 3)
    '0.3333'
    >>> value_text(MEASURES["copnori"], Outcome([1, 3], 600), 1.0)
    '> 99.99 %'
    """
    if math.isnan(value):
        return NOT_DEFINED
    return screen_text(exact_text(decimal_losses(measure.name, [outcome]))) if measure.loss else f"{value:.4f}"


def key_text(outcome: Outcome, n_shown: int = LONGEST_KEY) -> str:
    """Format the positions of an outcome's relevant papers, last first, truncated to `n_shown` positions.

    Examples
    --------
    >>> key_text(Outcome([1, 3, 8], 10)), key_text(Outcome([1, 3, 8], 10), 2)
    ('8, 3, 1', '8, 3, …')
    """
    key = natural_order_key(outcome)
    return ", ".join(map(str, key[:n_shown])) + (", …" if len(key) > n_shown else "")
