"""What the traffic light says, and what papers drawn from the rest tell."""

from desk.reading import Draw, Reading
from desk.words.text import counted
from ranker.light import ENOUGH, Light
from ranker.tail_sample import Remaining

LEVEL = "your level"
DRAW = "Ten at random from the rest"
DRAW_HELP = "From below the place read to. What they hold tells how much is left, whatever the light says."
SHOW = "Show"
ALL, DRAWN = "all papers", "drawn at random"
NO_LEVEL = "The level can be one of 80, 90, 95 and 99 %, not {level}."


def percent(level: int) -> str:
    """Write a level.

    Examples
    --------
    >>> percent(95)
    '95 %'
    """
    return f"{level} %"


def progress(read_to: int, n_papers: int, counts: str, chance: str) -> str:
    r"""Say, in Markdown, how far an editor has come.

    Examples
    --------
    >>> progress(84, 612, "9 relevant", "71 %")
    'read to here **84** of 612  \n9 relevant  \nchance that all were seen **71 %**'
    """
    return f"read to here **{read_to:,}** of {n_papers:,}  \n{counts}  \nchance that all were seen **{chance}**"


def light_says(reading: Reading, light: Light, ranker: str) -> str:
    """Say whether to read on, and how far.

    Parameters
    ----------
    reading : Reading
        How far the editor has come.
    light : Light
        Of the report; a reason why nothing is known yet is found there.
    ranker : str
        Name of the ranker that sorted the list.
    """
    if reading.chance == 1:
        return "every paper was read."
    if reading.is_red:
        return f"you may stop; the chance of a missed paper is below {100 - reading.level} %."
    if light.n_issues < ENOUGH:
        gone_out = f"{light.n_issues} of the {ENOUGH} issues needed, sorted by {ranker}, have gone out"
        return f"this report is too young to say how far: {gone_out}."
    if not light.is_ready:
        return f"too few issues sorted by {ranker} have gone out yet, of all reports, to say how far."
    doubt = "probably remains" if reading.chance < 0.5 else "may remain"
    end = f"expected near paper {reading.red_at}" if reading.red_at < reading.n_papers else "only at the end"
    return f"a relevant paper {doubt}; red {end}."


def draw_says(n_drawn: int, n_found: int, remaining: Remaining) -> str:
    """Say what papers drawn at random tell of those that were neither read nor drawn.

    Examples
    --------
    >>> draw_says(10, 0, Remaining(0.0, 131))
    '0 of 10 relevant: by these alone, the rest holds at most 131 relevant papers, with 95 % confidence.'
    >>> draw_says(10, 1, Remaining(51.8, 203))
    '1 of 10 relevant: by these alone, the rest holds about 52, at most 203 relevant papers, with 95 % confidence.'
    """
    about = f"about {round(remaining.estimate)}, " if n_found else ""
    at_most = f"at most {counted(remaining.at_most, 'relevant paper')}"
    return f"{n_found} of {n_drawn} relevant: by these alone, the rest holds {about}{at_most}, with 95 % confidence."


def drawn_from(draw: Draw, n_left: int) -> str:
    """Say where papers were drawn from, and how many are left to decide.

    Examples
    --------
    >>> drawn_from(Draw(7, 84, 528, [301, 12]), 2)
    'drawn from the 528 papers below 84: 2 left to decide'
    """
    return f"drawn from the {counted(draw.n_rest, 'paper')} below {draw.read_to}: {n_left} left to decide"


def rule_says(reading: Reading) -> str:
    """Say what a line means that parts the list where the light turns red.

    Examples
    --------
    >>> rule_says(Reading(n_papers=612, read_to=84, chance=0.7, red_at=130, level=95))
    'From here the chance of a missed paper is below 5 %.'
    """
    return f"From here the chance of a missed paper is below {100 - reading.level} %."
