"""What the page Natural order says."""

import math

import pandas as pd

from presort.desk.scores.words import NOT_DEFINED
from presort.desk.text import counted, exact_text, on_screen
from presort.metrics import Measure, Outcome, natural_order_key
from presort.metrics.loss import decimal_losses

HOW_BAD = (
    "How bad: the papers more that an editor would read down to the last relevant one, having trusted the measure, "
    "times how sure it was (the share of all decided pairs between which it sees a smaller difference)."
)

CASE_COLUMNS = {
    "report": "Report",
    "issue": "Issue",
    "better": "Better",
    "worse": "Preferred",
    "papers_more": "Papers more",
    "better_value": "Its value",
    "worse_value": "Value preferred",
    "how_bad": "How bad",
}
LONGEST_KEY = 12  # places


def side_by_side(
    measure: Measure, names: tuple[str, str], outcomes: tuple[Outcome, Outcome], values: tuple[float, float]
) -> pd.DataFrame:
    """Put what the natural order and a measure say of two rankers into a table, the better first."""
    keys = zip(*map(natural_order_key, outcomes), strict=True)
    n_same = next(number for number, (one, other) in enumerate(keys) if one != other)
    n_shown = max(LONGEST_KEY, n_same + 1)  # the place that decides among them
    return pd.DataFrame(
        {
            "Ranker": list(names),
            "Natural order": ["better", "worse"],
            "Relevant papers, from the last": [key_text(outcome, n_shown) for outcome in outcomes],
            f"{measure.label} ({'higher' if measure.higher_is_better else 'lower'} is better)": [
                value_text(measure, outcome, value) for outcome, value in zip(outcomes, values, strict=True)
            ],
        }
    )


def percent(share: float) -> str:
    """Write a share; only none reads as 0 %.

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
    """Write what a measure says of an outcome; only the best reads as 100 % where good ones come near it.

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
    return on_screen(exact_text(decimal_losses(measure.name, [outcome]))) if measure.loss else f"{value:.4f}"


def verdict(measure: Measure, *, decided: int, misleads: int, cannot_tell: int) -> str:
    """State, in Markdown, how often a measure misleads.

    Examples
    --------
    >>> from presort.desk.scores.registry import MEASURES
    >>> verdict(MEASURES["aselt"], decided=1000, misleads=101, cannot_tell=0)
    '**Aselt prefers the worse of two rankers in 101 of 1,000 pairs (10.1 %)**, and always tells them apart.'
    >>> verdict(MEASURES["aselt"], decided=0, misleads=0, cannot_tell=0)
    '**Aselt has no value here.**'
    """
    if not decided:
        return f"**{measure.label} has no value here.**"
    if misleads:
        text = f"**{measure.label} prefers the worse of two rankers in {misleads:,} of {counted(decided, 'pair')} "
        text += f"({percent(misleads / decided)})**"
    else:
        text = f"**{measure.label} never prefers the worse of two rankers**, in {counted(decided, 'pair')}"
    if cannot_tell:
        return f"{text} and can't tell them apart in {cannot_tell:,} ({percent(cannot_tell / decided)})."
    return f"{text}, and always tells them apart."


def pairs_say(n_pairs: int, n_decided: int, n_left_out: int) -> str:
    """Describe what was compared.

    Examples
    --------
    >>> pairs_say(6, 6, 0)
    'A pair is two rankers on the same report issue: 6 pairs, 6 of them decided.'
    """
    text = f"A pair is two rankers on the same report issue: {counted(n_pairs, 'pair')}, {n_decided:,} of them decided"
    text += "; in the others both put the relevant papers at the same places." if n_decided < n_pairs else "."
    if n_left_out:
        text += f" {counted(n_left_out, 'pair')} more are left out: not the same papers, or not the same relevant ones."
    return text


def key_text(outcome: Outcome, n_shown: int = LONGEST_KEY) -> str:
    """Write the natural order's key of an outcome, shortened.

    Examples
    --------
    >>> key_text(Outcome([1, 3, 8], 10)), key_text(Outcome([1, 3, 8], 10), 2)
    ('8, 3, 1', '8, 3, …')
    """
    key = natural_order_key(outcome)
    return ", ".join(map(str, key[:n_shown])) + (", …" if len(key) > n_shown else "")


def overlooked(
    measure: Measure,
    names: tuple[str, str],
    outcomes: tuple[Outcome, Outcome],
    places: tuple[int, int],
    title: str,
) -> str:
    """State in one sentence what a measure overlooked that prefers the worse of two rankers.

    Names and outcomes are of the better ranker in natural order first, places those of `natural_order.deciding_places`,
    and the title is that of the paper at the deciding place of the worse list.
    """
    (better, worse), (ours, theirs) = names, places
    depth = int((outcomes[1].positions > theirs).sum())
    if depth:
        which = "relevant paper before it" if depth == 1 else f"relevant paper before the last {depth}"
        found = "the last one stands at the same place" if depth == 1 else f"the last {depth} stand at the same places"
        fact = f"{found}, but the {which}, “{title}”, stands at {theirs} with {worse}, at {ours} with {better}"
    else:
        fact = f"with {worse} the last relevant paper, “{title}”, stands at {theirs} and with {better} the last one at "
        fact += f"{ours}, so that {counted(theirs - ours, 'paper')} more must be read"
    return f"{measure.label} overlooked that {fact}: {_why(measure, names, outcomes)}."


def _why(measure: Measure, names: tuple[str, str], outcomes: tuple[Outcome, Outcome]) -> str:
    (better, worse), r = names, outcomes[0].r
    if measure.cut:
        sees = f"it sees the first {counted(measure.cut, 'paper')} only"
        hits = [int((outcome.positions <= measure.cut).sum()) for outcome in outcomes]
        if hits[0] == hits[1]:
            return f"{sees}, where both have {hits[0]} of {r} but {worse} has them earlier"
        return f"{sees}, where {worse} has {hits[1]} of {r} relevant ones, {better} {hits[0]}"
    n_earlier = int((outcomes[1].positions < outcomes[0].positions).sum())
    stand = "stands" if n_earlier == 1 else "stand"
    return (
        f"with {worse}, {n_earlier} of {counted(r, 'relevant paper')}, counted from the top, {stand} earlier, and that "
        "outweighs it"
    )
