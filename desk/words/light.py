"""What the traffic light says, and what papers drawn from the rest tell."""

from desk.reading import Reading
from desk.words.text import counted
from ranker.light import ENOUGH, Light
from ranker.tail_sample import Remaining


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
