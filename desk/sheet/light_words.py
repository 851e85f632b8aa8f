"""What is said of when to stop, and what papers drawn from the rest tell."""

from collections.abc import Sequence

from data.records import Draw
from desk.sheet.progress import LEVELS, Reading
from desk.text import counted
from ranker.depths import ENOUGH
from ranker.light import Light
from ranker.tail_sample import Remaining

KEEP_READING, MAY_STOP = "keep reading", "you can stop"
LEVEL = "A relevant paper may be missed in"
DRAW = "Ten at random from the rest"
DRAW_HELP = "From the papers not read: none relevant among them is a good sign that little is left."
HOW_SURE = "How sure?"
SHOW = "Show"
ALL, DRAWN = "all papers", "drawn at random"
NO_LEVEL = "The level can be one of 80, 90, 95 and 99 %, not {level}."
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def one_list_in(level: int) -> str:
    """Write a level as the lists of which one is left with a relevant paper unseen.

    Examples
    --------
    >>> one_list_in(95), one_list_in(99)
    ('1 list in 20', '1 list in 100')
    """
    return f"1 list in {round(100 / (100 - level))}"


def stop_says(level: int, stop: int, reading: Reading) -> str:
    """State where a level lets one stop.

    Examples
    --------
    >>> reading = Reading(n_papers=612, n_read=84, read_to=84, chance=0.7, red_at=130, level=95)
    >>> stop_says(95, 130, reading), stop_says(80, 60, reading), stop_says(99, 612, reading)
    ('1 list in 20: stop near 130', '1 list in 5: you can stop', '1 list in 100: read to the end')
    """
    if reading.read_to >= stop:
        return f"{one_list_in(level)}: {MAY_STOP}"
    return f"{one_list_in(level)}: {_stop_near(stop, reading)}"


def stops_say(reading: Reading) -> Sequence[tuple[int, str]]:
    """State for each level where it lets one stop; only what it means where too little is known of that."""
    if reading.chance != reading.chance:
        return [(level, one_list_in(level)) for level in LEVELS]
    return [(level, stop_says(level, stop, reading)) for level, stop in reading.stops.items()]


def verdict(reading: Reading) -> str:
    """State whether to read on."""
    return MAY_STOP if reading.is_red else KEEP_READING


def light_says(reading: Reading, light: Light) -> str:
    """State how much is left, and where to stop.

    Parameters
    ----------
    reading : Reading
        How far the editor has come.
    light : Light
        Of the report and the ranker that sorted the list; a reason why nothing is known yet is found there.
    """
    if reading.chance == 1:
        return "every paper was read"
    if reading.is_red:
        return f"a paper is missed in fewer than {one_list_in(reading.level)}"
    if light.n_issues < ENOUGH:
        gone_out = f"{light.n_issues} of the {ENOUGH} lists needed, sorted this way and read that far, have gone out"
        return f"read half at least, as it is too early to say where to stop: {gone_out}"
    if not light.is_ready:
        return "too few issues sorted this way have gone out yet, of all reports, to say how far"
    return f"{left_says(reading.left)} · {_stop_near(reading.red_at, reading)}"


def left_says(left: float) -> str:
    """State about how many relevant papers are left, as long as some may be.

    Examples
    --------
    >>> left_says(3.7), left_says(1.4), left_says(0.3)
    ('about 4 left', 'about 1 left', 'perhaps 1 left')
    """
    return f"about {round(left)} left" if left >= 0.5 else "perhaps 1 left"


def _stop_near(stop: int, reading: Reading) -> str:
    return f"stop near {stop:,}" if stop < reading.n_papers else "read to the end"


def progress(reading: Reading, counts: str, says: str) -> str:
    """State, in Markdown, how far an editor has come.

    Examples
    --------
    >>> reading = Reading(n_papers=612, n_read=84, read_to=84, chance=0.7, red_at=130, level=95)
    >>> progress(reading, "9 relevant", "stop near 130")
    '**84** of 612 read · **keep reading** · stop near 130 · 9 relevant'
    """
    return f"**{reading.n_read:,}** of {reading.n_papers:,} read · **{verdict(reading)}** · {says} · {counts}"


def draw_says(n_drawn: int, n_found: int) -> str:
    """Describe what papers drawn at random tell of those that were neither read nor drawn.

    Examples
    --------
    >>> draw_says(10, 0), draw_says(10, 1)
    ("None of ten: a good sign; ten can't prove it.", 'One of ten is relevant: there is more below. Read on.')
    """
    drawn = NUMBERS[n_drawn] if n_drawn < len(NUMBERS) else str(n_drawn)
    if n_found == 0:
        return f"None of {drawn}: a good sign; {drawn} can't prove it."
    found = NUMBERS[n_found].capitalize() if n_found < len(NUMBERS) else str(n_found)
    return f"{found} of {drawn} {'is' if n_found == 1 else 'are'} relevant: there is more below. Read on."


def draw_detail(n_found: int, remaining: Remaining) -> str:
    """State what the papers drawn allow to say of the rest in figures.

    Examples
    --------
    >>> draw_detail(0, Remaining(0.0, 131))
    'By these alone: at most 131 relevant papers in the rest, 19 times of 20.'
    >>> draw_detail(1, Remaining(51.8, 203))
    'By these alone: about 52, at most 203 relevant papers in the rest, 19 times of 20.'
    """
    about = f"about {round(remaining.estimate)}, " if n_found else ""
    return f"By these alone: {about}at most {counted(remaining.at_most, 'relevant paper')} in the rest, 19 times of 20."


def drawn_from(draw: Draw, n_left: int) -> str:
    """State where papers were drawn from, and how many are left to decide.

    Examples
    --------
    >>> drawn_from(Draw(7, 84, 528, [301, 12]), 2)
    'drawn from the 528 papers not read: 2 left to decide'
    """
    return f"drawn from the {counted(draw.n_rest, 'paper')} not read: {n_left} left to decide"


def rule_says(reading: Reading) -> str:
    """Describe what a line means that parts the list where reading may end.

    Examples
    --------
    >>> rule_says(Reading(n_papers=612, n_read=84, read_to=84, chance=0.7, red_at=130, level=95))
    'You can stop here: a relevant paper is missed in fewer than 1 list in 20.'
    """
    return f"You can stop here: a relevant paper is missed in fewer than {one_list_in(reading.level)}."
