"""How good an order was, and how a report issue went out, in an editor's words."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import numpy as np

from presort.data.records import Publication
from presort.desk.access import person_name
from presort.desk.text import counted
from presort.metrics import Outcome

Judgement = Literal["good", "fair", "poor"]

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
FEWEST_PAPERS = 20  # in an issue whose order is judged
ENOUGH = 5  # earlier issues of a report to judge by
GOOD_TO, FAIR_TO = 0.25, 0.5  # relative last positions, where there are fewer
SURELY_GOOD_TO, SURELY_FAIR_TO = 0.1, 0.25  # however good the earlier ones were
MOST = 0.8  # of the relevant papers: those that an order is expected to bring together
FAR = 0.05  # of the list: a paper above it is no surprise
MOST_NAMED = 3  # surprises
LONGEST_TITLE = 80  # characters

STILL = "while it still said “keep reading”"
AS_ADVISED = "That was as far as you were told; more may be below, so your figures leave it out."
LIST_ORDER = "It was not sorted here."


def in_words(n: int) -> str:
    """Write a count, small ones as a word.

    Examples
    --------
    >>> in_words(0), in_words(12), in_words(1300)
    ('no', 'twelve', '1,300')
    """
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def counted_in_words(n: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted_in_words(0, "paper"), counted_in_words(1, "paper"), counted_in_words(13, "paper")
    ('no papers', 'one paper', '13 papers')
    """
    return f"{in_words(n)} {noun if n == 1 else noun + 's'}"


def order_says(
    outcome: Outcome,
    titles: Sequence[str],
    *,
    read_up_to: int,
    minutes: float,
    earlier: Sequence[Outcome],
    is_evaluable: bool = True,
) -> str:
    """Describe how good the order of an issue was, and what it took to read it.

    Parameters
    ----------
    outcome : Outcome
        Where the relevant papers stood.
    titles : sequence of str
        Of all papers, in that order.
    read_up_to : int
        Papers read; 0 where nobody knows.
    minutes : float
        Time spent; 0 where nobody knows.
    earlier : sequence of Outcome
        Those of earlier issues of the report, to judge by.
    is_evaluable : bool
        Whether all that is relevant is known; else more may stand further down, and the order can't be judged.

    Examples
    --------
    >>> titles = [f"Title {place}" for place in range(1, 613)]
    >>> outcome = Outcome([1, 2, 3, 4, 5, 6, 9, 12, 30, 35, 40, 81], 612)
    >>> for sentence in order_says(outcome, titles, read_up_to=84, minutes=6.2, earlier=[]).split(". "):
    ...     print(sentence)
    Good order
    Your last paper stood at 81 of 612
    You read 84 (14 %) in about six minutes
    Eleven of twelve were in the first 40
    One surprise: “Title 81” at 81.
    """
    took = _took_says(outcome.n, read_up_to, minutes)
    if outcome.r in (0, outcome.n):
        relevant = "Nothing" if not outcome.r else "Everything"
        return " ".join([f"{relevant} in {_these(outcome.n)} was relevant, so there is no order to judge.", *took])
    judged = (
        [f"{judgement(outcome, earlier).capitalize()} order."] if is_evaluable and outcome.n >= FEWEST_PAPERS else []
    )
    which = "only" if outcome.r == 1 else "last"
    best = ": no order could be better" if is_evaluable and outcome.last == outcome.r else ""
    last = f"Your {which} paper stood at {outcome.last:,} of {outcome.n:,}{best}."
    more = [] if is_evaluable else [AS_ADVISED]
    return " ".join([*judged, last, *took, *_most_says(outcome), *_surprises_say(outcome, titles), *more])


def stopped_says(n_read: int, n_papers: int) -> str:
    """Format the sentences on a list that figures leave out, as its editor stopped too early.

    Examples
    --------
    >>> for sentence in stopped_says(7, 285).split(". "):
    ...     print(sentence)
    You stopped at 7 of 285, while it still said “keep reading”, so your figures leave this list out
    The 278 papers you did not read count neither as relevant nor as not.
    >>> stopped_says(0, 1)[:53]
    'You read nothing, so your figures leave this list out'
    """
    stopped = f"You stopped at {n_read:,} of {n_papers:,}, {STILL}" if n_read else "You read nothing"
    return f"{stopped}, so your figures leave this list out. {unread_says(n_papers - n_read)}"


def unread_says(n_unread: int) -> str:
    """Describe what becomes of papers that were not read; nothing where there are none.

    Examples
    --------
    >>> unread_says(278), unread_says(0)
    ('The 278 papers you did not read count neither as relevant nor as not.', '')
    """
    if not n_unread:
        return ""
    count = "counts" if n_unread == 1 else "count"
    return f"The {counted_in_words(n_unread, 'paper')} you did not read {count} neither as relevant nor as not."


def not_evaluable_says(n_report_issues: int) -> str:
    """Describe how many report issues figures leave out as they were not read far enough, and why; nothing if none.

    Examples
    --------
    >>> not_evaluable_says(0)
    ''
    >>> not_evaluable_says(2)
    'Left out: 2 report issues, read only so far that relevant papers may be below: their order can not be judged.'
    """
    if not n_report_issues:
        return ""
    return (
        f"Left out: {counted(n_report_issues, 'report issue')}, read only so far that relevant papers may be below: "
        "their order can not be judged."
    )


def judgement(outcome: Outcome, earlier: Sequence[Outcome]) -> Judgement:
    """Judge an order by its relative last position: the place of the last relevant paper, as a part of the list.

    Beside five earlier issues of the report or more, a good one is as good as the better half of them, or within the
    first 10 % of the list; a fair one is as good as the better nine tenths, or within the first 25 %. Beside fewer, a
    good one is within the first 25 %, a fair one within the first half. The best possible order is always good.

    Parameters
    ----------
    outcome : Outcome
        With a relevant paper.
    earlier : sequence of Outcome
        Those without a relevant paper tell nothing.

    Examples
    --------
    >>> judgement(Outcome([3, 150], 300), []), judgement(Outcome([3, 150], 300), 5 * [Outcome([200], 300)])
    ('fair', 'good')
    """
    if outcome.last == outcome.r:
        return "good"
    share, shares = outcome.last / outcome.n, [one.last / one.n for one in earlier if one.r]
    good_to, fair_to = GOOD_TO, FAIR_TO
    if len(shares) >= ENOUGH:
        middle, most = np.quantile(shares, [0.5, 0.9])
        good_to, fair_to = max(middle, SURELY_GOOD_TO), max(most, SURELY_FAIR_TO)
    return "good" if share <= good_to else "fair" if share <= fair_to else "poor"


def surprises(outcome: Outcome) -> list[int]:
    """Return the places of relevant papers far below the others.

    These stand more than twice as deep as four in five of the relevant papers, rounded down, and below the first 5 %
    of the list.

    Examples
    --------
    >>> surprises(Outcome([1, 2, 5, 11, 31], 600)), surprises(Outcome([1, 2, 5, 16, 31], 600))
    ([31], [])
    """
    if not outcome.r:
        return []
    far = max(2 * int(outcome.positions[_n_most(outcome) - 1]), FAR * outcome.n)
    return [place for place in outcome.positions.tolist() if place > far]


def published_says(publication: Publication, n_published: int, *, is_mailed: bool) -> str:
    """Describe what was published, when and by whom; and whether any reader has it by mail."""
    published_issue = publication.report_issue
    which = f"{published_issue.report} {published_issue.issue} with {counted_in_words(n_published, 'paper')}"
    when = f"{_when(publication.made_at)} by {person_name(published_issue.person)}"
    if published_issue.source == "file":
        return f"Published before it came here: {which}, imported {when}."
    return f"{'Published and mailed' if is_mailed else 'Published here, not mailed'}: {which}, {when}."


def reopened_says(publication: Publication) -> str:
    """Describe how a report issue went out before, and why it was reopened; nothing of one that stands."""
    published_issue, reopened = publication.report_issue, publication.reopened
    if reopened is None:
        return ""
    papers = f" with {counted_in_words(len(published_issue.published), 'paper')}" if published_issue.published else ""
    whose = "in a file of" if published_issue.source == "file" else "by"
    before = f"Went out before{papers} {_when(publication.made_at)} {whose} {person_name(published_issue.person)}"
    return f"{before}, reopened {_when(reopened.made_at)} by {person_name(reopened.person)}: {reopened.reason}"


def judged_by_says(n_earlier: int, ranker: str) -> str:
    """Describe what an order was judged by; nothing where there were too few issues.

    Examples
    --------
    >>> judged_by_says(23, "presort-1")
    'Judged beside 23 earlier issues of this report, sorted by presort-1.'
    >>> judged_by_says(4, "presort-1")
    ''
    """
    if n_earlier < ENOUGH:
        return ""
    return f"Judged beside {in_words(n_earlier)} earlier issues of this report, sorted by {ranker}."


def _n_most(outcome: Outcome) -> int:
    return max(1, math.floor(MOST * outcome.r))


def _most_says(outcome: Outcome) -> list[str]:
    n_far = len(surprises(outcome))
    n_near = outcome.r - n_far if n_far else _n_most(outcome)
    place = int(outcome.positions[n_near - 1])
    if outcome.last in (place, outcome.r) or (outcome.r < 3 and not n_far):
        return []
    were = "was" if n_near == 1 else "were"
    return [f"{in_words(n_near).capitalize()} of {in_words(outcome.r)} {were} in the first {place:,}."]


def _surprises_say(outcome: Outcome, titles: Sequence[str]) -> list[str]:
    found = surprises(outcome)
    if not found:
        return []
    named = "; ".join(f"“{_shortened(titles[place - 1])}” at {place:,}" for place in found[-MOST_NAMED:])
    among = ", the deepest" if len(found) > MOST_NAMED else ""
    return [f"{counted_in_words(len(found), 'surprise').capitalize()}{among}: {named}."]


def _took_says(n_papers: int, read_up_to: int, minutes: float) -> list[str]:
    rounded = math.floor(minutes + 0.5)
    about = f"about {counted_in_words(rounded, 'minute')}" if rounded else "under a minute"
    if not read_up_to:
        return [f"It took {about}."] if minutes else []
    part = f"all {n_papers:,}" if read_up_to == n_papers else f"{read_up_to:,} ({_percent(read_up_to / n_papers)})"
    return [f"You read {part}{f' in {about}' if minutes else ''}."]


def _percent(share: float) -> str:
    return f"{min(max(1, round(100 * share)), 99)} %"


def _these(n_papers: int) -> str:
    return "this one paper" if n_papers == 1 else f"these {counted(n_papers, 'paper')}"


def _when(moment: datetime) -> str:
    return f"on {moment:%Y-%m-%d} at {moment:%H:%M} UTC"


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"
