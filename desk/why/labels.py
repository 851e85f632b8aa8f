"""Wording for the reasons for a paper's rank and for an editor's hints to the ranker."""

from collections.abc import Sequence

from presort.data.records import Hints, Paper, Ranking
from presort.desk.text import count_text
from presort.ranker.recipe import Reason

MOST_UP, MOST_DOWN = 6, 4  # maximum number of reasons listed in each direction
FEW = 3  # number of reasons in the short summary
LEAST = 0.01  # minimum share that a reason must have to be listed
MOST_TERMS = 5  # maximum number of terms in one line
WHY = "Why this rank"


def reasons_up_and_down(reasons: Sequence[Reason] | None) -> list[str]:
    r"""List the reasons that moved a paper up, and those that moved it down, in two lines with their shares.

    `reasons` must be sorted by absolute share, largest first. If it is None, because the ranker gives no reasons, the
    result is empty.

    Examples
    --------
    >>> reasons = [Reason("word", "wage", 0.75), Reason("record", "", -0.246), Reason("code", "J", 0.004)]
    >>> print(*reasons_up_and_down(reasons), sep="\n")
    up: wage 75 % · 1 smaller
    down: the authors' earlier papers 25 %
    """
    if reasons is None:
        return []
    up, down = strongest_reasons(reasons)
    n_up, n_down = (sum((reason.share > 0) == is_up for reason in reasons) for is_up in (True, False))
    return [f"up: {_list_of(up, n_up)}", f"down: {_list_of(down, n_down)}"]


def main_reasons(reasons: Sequence[Reason] | None) -> list[str]:
    """Summarise the strongest reasons in one line. Combinations of several reasons are left out.

    Examples
    --------
    >>> main_reasons([Reason("word", "wage", 0.5), Reason("record", "", -0.3), Reason("code", "J31", 0.2)])
    ["raised by wage, J31; lowered by the authors' earlier papers"]
    >>> main_reasons([Reason("agreement", "", 0.9), Reason("word", "wage", 0.1)])
    ['raised by wage']
    >>> main_reasons([Reason("agreement", "", 1.0)])
    ['no single reason']
    >>> main_reasons(None)
    ['This ranker gives no reasons.']
    """
    if reasons is None:
        return ["This ranker gives no reasons."]
    up, down = strongest_reasons([reason for reason in reasons if reason.field != "agreement"])
    parts = [f"raised by {', '.join(map(_name_of, up[:FEW]))}"] if up else []
    parts += [f"lowered by {', '.join(map(_name_of, down[: FEW - len(up)]))}"] if down and len(up) < FEW else []
    return ["; ".join(parts) or "no single reason"]


def strongest_reasons(reasons: Sequence[Reason]) -> tuple[list[Reason], list[Reason]]:
    """Return the strongest reasons that moved a paper up, and the strongest that moved it down.

    `reasons` must be sorted by absolute share, largest first. Shares below `LEAST` are left out.
    """
    large = [reason for reason in reasons if abs(reason.share) >= LEAST]
    up, down = ([reason for reason in large if (reason.share > 0) == is_up] for is_up in (True, False))
    return up[:MOST_UP], down[:MOST_DOWN]


def describe_hints(hints: Hints) -> str:
    """List the muted and boosted terms that a ranking used. Empty if there were none.

    Examples
    --------
    >>> describe_hints(Hints(muted=("tariff", "trade war"), boosted=("wage",)))
    "muted 'tariff', 'trade war'; boosted 'wage'"
    >>> describe_hints(Hints(seeds=("An example",)))
    ''
    """
    parts = [f"muted {_quote_terms(hints.muted)}"] if hints.muted else []
    parts += [f"boosted {_quote_terms(hints.boosted)}"] if hints.boosted else []
    return "; ".join(parts)


def hint_lines(hints: Hints) -> list[str]:
    """Return a line that lists the hints that moved a paper. Empty if there are none."""
    text = describe_hints(hints)
    return [f"your hints: {text}"] if text else []


def hint_changes_text(before: Hints, now: Hints) -> str:
    r"""Describe the changes to hints that the next ranking will use. Empty if there are none.

    Examples
    --------
    >>> hint_changes_text(Hints(muted=("tariff",)), Hints(boosted=("wage",), seeds=("Wages\nWe show.",)))
    "The next ranking boosts 'wage'; no longer mutes or boosts 'tariff'; trains on 1 example."
    >>> hint_changes_text(Hints(muted=("tariff",)), Hints(muted=("tariff",)))
    ''
    """
    given = {*now.muted, *now.boosted}
    muted, boosted, taken_back = (
        [term for term in now.muted if term not in before.muted],
        [term for term in now.boosted if term not in before.boosted],
        [term for term in (*before.muted, *before.boosted) if term not in given],
    )
    parts = [f"mutes {_quote_terms(muted)}"] if muted else []
    parts += [f"boosts {_quote_terms(boosted)}"] if boosted else []
    parts += [f"no longer mutes or boosts {_quote_terms(taken_back)}"] if taken_back else []
    if set(before.seeds) != set(now.seeds):
        n_examples = count_text(len(now.seeds), "example") if now.seeds else "no examples"
        parts.append(f"trains on {n_examples}")
    return f"The next ranking {'; '.join(parts)}." if parts else ""


def training_data_text(ranking: Ranking, hints: Hints, criteria: str = "") -> str:
    """Describe the data on which a ranking was trained. The ranking's `n_relevant` includes the examples.

    `criteria` are the report's criteria. A new report's criteria are its first example.
    """
    n_decided = ranking.n_relevant - len(hints.seeds)
    others = [seed for seed in hints.seeds if seed != criteria]
    parts = ["the report's criteria"] if len(others) < len(hints.seeds) else []
    parts += [count_text(len(others), "example")] if others else []
    if n_decided or not parts:
        parts.append(f"{count_text(n_decided, 'relevant paper')} before {ranking.trained_before}")
    return " and ".join(parts)


def example_of(paper: Paper) -> str:
    """Return a paper as an example text: title in the first line, then the abstract."""
    return f"{paper.title}\n{paper.abstract}".strip("\n")


def title_of(example: str) -> str:
    """Return the title of an example, which is its first line."""
    return example.partition("\n")[0]


def _list_of(reasons: Sequence[Reason], n_all: int) -> str:
    texts = [f"{_name_of(reason)} {100 * abs(reason.share):.0f} %" for reason in reasons]
    n_more = n_all - len(reasons)
    if n_more:
        texts.append(f"{n_more} smaller" if reasons else f"{n_more} small")
    return " · ".join(texts) or "nothing"


def _name_of(reason: Reason) -> str:
    if reason.field == "record":
        return "the authors' earlier papers"
    if reason.field == "meaning":
        return "overall subject"
    if reason.field == "agreement":
        return "several reasons together"
    return f"series {reason.text}" if reason.field == "series" else reason.text


def _quote_terms(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - MOST_TERMS} more" if len(terms) > MOST_TERMS else ""
    return ", ".join(f"'{term}'" for term in terms[:MOST_TERMS]) + more
