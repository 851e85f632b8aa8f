"""Sentences that explain a paper's rank and an editor's hints to the ranker."""

from collections.abc import Sequence

from presort.data.records import Hints, Paper, Ranking
from presort.desk.text import counted
from presort.ranker.recipe import Reason

MOST_UP, MOST_DOWN = 6, 4  # reasons named
FEW = 3  # reasons that are read at a glance
LEAST = 0.01  # of all that moved a paper, for a reason to be named
MOST_TERMS = 5  # named in one breath
WHY = "Why it is here"


def moved_says(reasons: Sequence[Reason] | None) -> list[str]:
    r"""State in two lines what moved a paper up and what down, each with its share of all that moved it.

    Reasons come largest first; no line where there is no telling.

    Examples
    --------
    >>> reasons = [Reason("word", "wage", 0.75), Reason("record", "", -0.246), Reason("code", "J", 0.004)]
    >>> print(*moved_says(reasons), sep="\n")
    up: wage 75 % · 1 smaller
    down: the authors' earlier papers 25 %
    """
    if reasons is None:
        return []
    up, down = strongest(reasons)
    n_up, n_down = (sum((reason.share > 0) == is_up for reason in reasons) for is_up in (True, False))
    return [f"up: {_list_of(up, n_up)}", f"down: {_list_of(down, n_down)}"]


def because_of(reasons: Sequence[Reason] | None) -> list[str]:
    """State in a line the few reasons that count most; what keeps a paper down, where nothing lifts it.

    Examples
    --------
    >>> because_of([Reason("word", "wage", 0.5), Reason("record", "", -0.3), Reason("code", "J31", 0.2)])
    ["because of: wage, J31; against it: the authors' earlier papers"]
    >>> because_of([])
    ['because of nothing in particular']
    >>> because_of(None)
    ["This ranker can't say what moved a paper."]
    """
    if reasons is None:
        return ["This ranker can't say what moved a paper."]
    up, down = strongest(reasons)
    parts = [f"because of: {', '.join(map(_name_of, up[:FEW]))}"] if up else []
    parts += [f"against it: {', '.join(map(_name_of, down[: FEW - len(up)]))}"] if down and len(up) < FEW else []
    return ["; ".join(parts) or "because of nothing in particular"]


def strongest(reasons: Sequence[Reason]) -> tuple[list[Reason], list[Reason]]:
    """Return the reasons worth a word: some that moved a paper up, and some that moved it down."""
    large = [reason for reason in reasons if abs(reason.share) >= LEAST]
    up, down = ([reason for reason in large if (reason.share > 0) == is_up] for is_up in (True, False))
    return up[:MOST_UP], down[:MOST_DOWN]


def hints_say(hints: Hints) -> str:
    """Describe how a ranking was made that heeded hints; nothing if there were none.

    Examples
    --------
    >>> hints_say(Hints(muted=("tariff", "trade war"), boosted=("wage",)))
    "without 'tariff', 'trade war'; 'wage' lifted"
    >>> hints_say(Hints(seeds=("An example",)))
    ''
    """
    parts = [f"without {_quoted(hints.muted)}"] if hints.muted else []
    parts += [f"{_quoted(hints.boosted)} lifted"] if hints.boosted else []
    return "; ".join(parts)


def changed_hints(hints: Hints) -> list[str]:
    """State which of the editor's hints moved a paper; no line if none did."""
    text = hints_say(hints)
    return [f"as you told: {text}"] if text else []


def next_says(before: Hints, now: Hints) -> str:
    r"""Describe the hints that the next ranking will use in addition. Empty if there are none.

    Examples
    --------
    >>> next_says(Hints(muted=("tariff",)), Hints(boosted=("wage",), seeds=("Wages\nWe show.",)))
    "From the next ranking on, papers with 'wage' are lifted; 'tariff' counts as ever; 1 example is learned from."
    >>> next_says(Hints(muted=("tariff",)), Hints(muted=("tariff",)))
    ''
    """
    given = {*now.muted, *now.boosted}
    muted, boosted, taken_back = (
        [term for term in now.muted if term not in before.muted],
        [term for term in now.boosted if term not in before.boosted],
        [term for term in (*before.muted, *before.boosted) if term not in given],
    )
    parts = [f"{_quoted(muted)} {_is(muted)} not read"] if muted else []
    parts += [f"papers with {_quoted(boosted)} are lifted"] if boosted else []
    parts += [f"{_quoted(taken_back)} {'counts' if len(taken_back) == 1 else 'count'} as ever"] if taken_back else []
    if set(before.seeds) != set(now.seeds):
        n_examples = counted(len(now.seeds), "example") if now.seeds else "no example"
        parts.append(f"{n_examples} {'are' if len(now.seeds) > 1 else 'is'} learned from")
    return f"From the next ranking on, {'; '.join(parts)}." if parts else ""


def learned_says(ranking: Ranking, hints: Hints) -> str:
    """Describe what a ranking was learned from; it counts the examples heeded among the relevant papers."""
    n_decided = ranking.n_relevant - len(hints.seeds)
    parts = [counted(len(hints.seeds), "example")] if hints.seeds else []
    if n_decided or not parts:
        parts.append(f"{counted(n_decided, 'relevant paper')} before {ranking.trained_before}")
    return " and ".join(parts)


def example_of(paper: Paper) -> str:
    """Return a paper as an example text: its title, and below it the abstract."""
    return f"{paper.title}\n{paper.abstract}".strip("\n")


def title_of(example: str) -> str:
    """Return the first line of an example."""
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
        return "what it is about"
    if reason.field == "agreement":
        return "how all this goes together"
    return f"series {reason.text}" if reason.field == "series" else reason.text


def _quoted(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - MOST_TERMS} more" if len(terms) > MOST_TERMS else ""
    return ", ".join(f"'{term}'" for term in terms[:MOST_TERMS]) + more


def _is(terms: Sequence[str]) -> str:
    return "is" if len(terms) == 1 else "are"
