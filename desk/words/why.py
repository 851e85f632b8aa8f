"""Sentences about why a paper stands where it stands, and about what an editor told the ranker."""

from collections.abc import Sequence
from datetime import date

from data.records import About, Hints, LoggedDecision, Paper, Ranking, Word
from desk.words.text import counted
from ranker.recipe import Reason

MOST_UP, MOST_DOWN = 6, 4  # reasons named
LEAST = 0.01  # of all that moved a paper, for a reason to be named
MOST_TERMS = 5  # named in one breath
RECORD = "the authors' earlier papers"
WHY = "Why it is here"
WHY_IS_IT_HERE = "Why is it here?"
LOOKING_UP = "Looking up what {ranker} learned; the first time this may take a minute or two…"
SIMILAR = "Most like, of your earlier picks"
NOT_SIMILAR = "Like none of your earlier picks"
SAID = "Said so far"
TOO_YOUNG = "Too little was found relevant for this report to learn from, so nothing moved the paper."
CHANGED = "Something was decided or told since this list was sorted: this is how the paper would be seen now."
SAYS: dict[tuple[About, Word], str] = {
    ("relevant", "yes"): "relevant",
    ("relevant", "no"): "not relevant",
    ("relevant", "maybe"): "maybe",
    ("relevant", "undecided"): "undecided again",
    ("publish", "yes"): "to be published",
    ("publish", "no"): "not to be published",
}


def moved_says(reasons: Sequence[Reason]) -> list[str]:
    r"""Say in two lines what moved a paper up and what down, each with its share of all that moved it.

    Parameters
    ----------
    reasons : sequence of Reason
        Largest first.

    Examples
    --------
    >>> reasons = [Reason("word", "wage", 0.75), Reason("record", "", -0.246), Reason("code", "J", 0.004)]
    >>> print(*moved_says(reasons), sep="\n")
    up: wage 75 % · 1 smaller
    down: the authors' earlier papers 25 %
    """
    up, down = named(reasons)
    n_up, n_down = (sum((reason.share > 0) == is_up for reason in reasons) for is_up in (True, False))
    return [f"up: {_list_of(up, n_up)}", f"down: {_list_of(down, n_down)}"]


def named(reasons: Sequence[Reason]) -> tuple[list[Reason], list[Reason]]:
    """Give the reasons worth a word: some that moved a paper up, and some that moved it down."""
    large = [reason for reason in reasons if abs(reason.share) >= LEAST]
    up, down = ([reason for reason in large if (reason.share > 0) == is_up] for is_up in (True, False))
    return up[:MOST_UP], down[:MOST_DOWN]


def hints_say(hints: Hints) -> str:
    """Say how a ranking was made that heeded hints; nothing if there were none.

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


def heeded_says(hints: Hints) -> list[str]:
    """Say which of the editor's hints moved a paper; no line if none did."""
    said = hints_say(hints)
    return [f"as you told: {said}"] if said else []


def pick_named(title: str, issue: date | None) -> str:
    """Name an earlier pick.

    Examples
    --------
    >>> pick_named("Wages", date(2026, 11, 16)), pick_named("Prices", None)
    ('Wages · 2026-11-16', 'Prices · your example')
    """
    return f"{title} · {issue or 'your example'}"


def logged(decision: LoggedDecision) -> str:
    """Say what somebody decided, and when.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> made_at = datetime(2026, 11, 16, 9, 5, tzinfo=UTC)
    >>> logged(LoggedDecision(7, "p1", "relevant", "yes", "Bo Ek", made_at, None))
    '2026-11-16 09:05 UTC · Bo Ek: relevant'
    """
    return f"{decision.made_at:%Y-%m-%d %H:%M} UTC · {decision.person}: {SAYS[decision.about, decision.word]}"


def next_says(before: Hints, now: Hints) -> str:
    r"""Say what the next ranking will heed that one before did not; nothing if it is the same.

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
    """Say what a ranking was learned from.

    Parameters
    ----------
    ranking : Ranking
        Counts the examples among the relevant papers.
    hints : Hints
        What counted for it.
    """
    n_decided = ranking.n_relevant - len(hints.seeds)
    parts = [counted(len(hints.seeds), "example")] if hints.seeds else []
    if n_decided or not parts:
        parts.append(f"{counted(n_decided, 'relevant paper')} before {ranking.trained_before}")
    return " and ".join(parts)


def example_of(paper: Paper) -> str:
    """Give a paper as an example text: its title, and below it the abstract."""
    return f"{paper.title}\n{paper.abstract}".strip("\n")


def title_of(example: str) -> str:
    """Give the first line of an example."""
    return example.partition("\n")[0]


def _list_of(reasons: Sequence[Reason], n_all: int) -> str:
    texts = [f"{_name_of(reason)} {100 * abs(reason.share):.0f} %" for reason in reasons]
    n_more = n_all - len(reasons)
    if n_more:
        texts.append(f"{n_more} smaller" if reasons else f"{n_more} small")
    return " · ".join(texts) or "nothing"


def _name_of(reason: Reason) -> str:
    if reason.field == "record":
        return RECORD
    return f"series {reason.text}" if reason.field == "series" else reason.text


def _quoted(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - MOST_TERMS} more" if len(terms) > MOST_TERMS else ""
    return ", ".join(f"'{term}'" for term in terms[:MOST_TERMS]) + more


def _is(terms: Sequence[str]) -> str:
    return "is" if len(terms) == 1 else "are"
