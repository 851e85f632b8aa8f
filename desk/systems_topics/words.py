"""What the page Systems and topics says."""

import math
from collections.abc import Iterable

from presort.desk.systems_topics.nouns import Nouns
from presort.desk.text import counted
from presort.metrics import PickedTopics
from presort.metrics.measure import Measure

WORKSPACE, FILE = "workspace", "file"
FROM = {WORKSPACE: "of this workspace", FILE: "from a file"}
REPORTS, ISSUES = "reports", "issues"
BY = {REPORTS: "reports, all issues together", ISSUES: "each issue of each report"}
ROW_IS = {"topics": "a topic, a column a system", "systems": "a system, a column a topic"}
TRANSFORMS = {"identity": "plain", "log": "log", "logit": "logit"}
OF_TWO = "Compare shows which of two is better."
PICK = "Click a name to see its lines alone."
UNDEFINED = "Hub and authority are not defined here: "
KIND = "In words"
COLUMNS = {"mean": "Mean", "inlinks": "Inlinks", "pagerank": "PageRank", "hub": "Hub", "authority": "Authority"}
AXES = {
    ("systems", "hub"): "Hub (higher: finds easy what all do)",
    ("systems", "authority"): "Authority (higher: better)",
    ("topics", "hub"): "Hub (higher: tells more)",
    ("topics", "authority"): "Authority (higher: easier)",
}


def rows_used(n_used: int, n_issues: int, measure: Measure) -> str:
    """State over which report issues rankers are compared.

    Examples
    --------
    >>> from presort.desk.scores.registry import MEASURES
    >>> rows_used(40, 44, MEASURES["average_precision"])
    'Over the 40 of 44 report issues that all these rankers sorted and that Average precision is defined for.'
    """
    of = f"{n_used:,} of " if n_used != n_issues else ""
    return (
        f"Over the {of}{counted(n_issues, 'report issue')} that all these rankers sorted and that {measure.label} is "
        "defined for."
    )


def middle_says(measure: Measure, *, is_median: bool) -> str:
    """State what the score of a report is made of.

    Examples
    --------
    >>> from presort.desk.scores.registry import MEASURES
    >>> middle_says(MEASURES["nosel"], is_median=False)
    'The score of a report is the mean of its issues.'
    >>> middle_says(MEASURES["ponori"], is_median=True)
    'The score of a report is the median of its issues: one bad issue would drown the mean of 2-Ponori.'
    """
    if not is_median:
        return "The score of a report is the mean of its issues."
    return f"The score of a report is the median of its issues: one bad issue would drown the mean of {measure.label}."


def value_named(measure: Measure | None, transform: str) -> str:
    """Name what a score is, always with higher as the better.

    Examples
    --------
    >>> from presort.desk.scores.registry import MEASURES
    >>> value_named(None, "log"), value_named(MEASURES["search_length"], "identity")
    ('log of score', 'Search length, with a minus sign')
    """
    name = "score" if measure is None else measure.label
    if measure and measure.loss:
        return f"{name} less 1"
    if measure and not measure.higher_is_better:
        return f"{name}, with a minus sign"
    return name if transform == "identity" else f"{transform} of {name}"


def mean_axis(nouns: Nouns, side: str, value: str, *, is_distance: bool) -> str:
    """Name the axis of means, with its direction.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> mean_axis(OF_FILE, "topics", "score", is_distance=False)
    'Mean of a topic: score (higher: easier)'
    """
    better = "better" if side == "systems" else "easier"
    if is_distance:
        return f"Mean of a {nouns.of(side)}: distance of {value.removesuffix(' less 1')} from 100 % (lower: {better})"
    return f"Mean of a {nouns.of(side)}: {value} (higher: {better})"


def correlated(nouns: Nouns, n_systems: int, n_topics: int) -> str:
    """State over how many a correlation goes."""
    few = ", so few that it says little," if n_systems < 10 else ""
    return f"Over {nouns.n_systems(n_systems)}{few} and over {nouns.n_topics(n_topics)}."


def too_few_rankers(nouns: Nouns, n_found: int, n_chosen: int, n_topics: int) -> str:
    """Explain why rankers can't judge each other.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_REPORTS
    >>> print(too_few_rankers(OF_REPORTS, 2, 2, 65))  # doctest: +NORMALIZE_WHITESPACE
    It takes three rankers to judge each other, and only two have sorted anything here: let another run beside, choose
    other rankings, or a file. Compare shows which of two is better.
    >>> print(too_few_rankers(OF_REPORTS, 4, 2, 65))
    Choose three rankers or more. Compare shows which of two is better.
    """
    if n_found < 3:
        how_many = "two have" if n_found == 2 else "one has"
        return (
            f"It takes three rankers to judge each other, and only {how_many} sorted anything here: let another run "
            "beside, choose other rankings, or a file."
        ) + (f" {OF_TWO}" if n_found == 2 else "")
    if n_chosen < 3:
        return f"Choose three rankers or more. {OF_TWO}"
    return (
        f"These rankers share {nouns.n_topics(n_topics)} with scores; 2 are needed. Choose fewer rankers, other "
        "rankings or another measure."
    )


def drawn(nouns: Nouns, n_drawn: int, n_arcs: int) -> str:
    """State which lines are drawn.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> print(drawn(OF_FILE, 150, 6450))  # doctest: +NORMALIZE_WHITESPACE
    Drawn are the 150 strongest of 6,450 lines, and the systems and topics they join; the download has all.
    Click a name to see its lines alone.
    """
    if n_drawn == n_arcs:
        return f"All {counted(n_arcs, 'line')} are drawn. {PICK}"
    what = f"the {nouns.system}s and {nouns.topic}s they join"
    return f"Drawn are the {n_drawn:,} strongest of {n_arcs:,} lines, and {what}; the download has all. {PICK}"


def kind_of_topic(ease: int, telling: int) -> str:
    """Describe a topic by the third that it is in, by ease and by how well it tells systems apart; the middle is blank.

    Examples
    --------
    >>> kind_of_topic(1, 1), kind_of_topic(1, -1), kind_of_topic(-1, -1)
    ('easy and telling', 'easy but tells little apart', 'hard and tells little apart')
    >>> kind_of_topic(0, 1), kind_of_topic(-1, 0), kind_of_topic(0, 0)
    ('telling', 'hard', '')
    """
    one, other = {1: "easy", -1: "hard", 0: ""}[ease], {1: "telling", -1: "tells little apart", 0: ""}[telling]
    joined = " but " if (ease, telling) == (1, -1) else " and "
    return joined.join(filter(None, (one, other)))


def easy_and_telling(nouns: Nouns, names: Iterable[str]) -> str:
    """Name the topics that are both.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_REPORTS
    >>> easy_and_telling(OF_REPORTS, ["lab", "mac"]), easy_and_telling(OF_REPORTS, [])
    ('Easy and telling, so the best to compare rankers on: lab, mac.', 'No report is both easy and telling.')
    """
    named = ", ".join(map(str, names))
    if not named:
        return f"No {nouns.topic} is both easy and telling."
    return f"Easy and telling, so the best to compare {nouns.systems} on: {named}."


def outlier(side: str, figure: str, *, is_above: bool) -> str:
    """Describe what it means to lie far from the straight line of a figure over the mean.

    Not for hubs of topics, which `kind_of_topic` describes.

    Examples
    --------
    >>> outlier("systems", "hub", is_above=False)
    'finds other things easy, for its mean'
    """
    if figure == "hub":
        return f"finds {'easy what all do' if is_above else 'other things easy'}, for its mean"
    if side == "topics":
        return "easier for typical ones" if is_above else "harder for typical ones"
    return "better where it counts" if is_above else "worse where it counts"


def undefined(nouns: Nouns, *, all_equal: bool, is_distance: bool) -> str:
    """Explain why there are no hubs or authorities; distances from 100 % may be too small for numbers to hold.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_REPORTS
    >>> print(undefined(OF_REPORTS, all_equal=True, is_distance=True))  # doctest: +NORMALIZE_WHITESPACE
    Hub and authority are not defined here: all scores are so near to 100 % that rankers can't be told apart by their
    distances. Choose another measure.
    """
    if all_equal and is_distance:
        return (
            f"{UNDEFINED}all scores are so near to 100 % that {nouns.system}s can't be told apart by their distances. "
            "Choose another measure."
        )
    if all_equal:
        return f"{UNDEFINED}all scores are the same, so nothing tells {nouns.system}s or {nouns.topic}s apart."
    return f"{UNDEFINED}no {nouns.topic} tells the {nouns.system}s apart, or no {nouns.system} the {nouns.topic}s."


def picked_says(nouns: Nouns, picked: PickedTopics, n_topics: int) -> str:
    """Describe how well picked topics keep the order of the systems.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> picked_says(OF_FILE, PickedTopics(("401",), 1.0, math.nan, math.nan, math.nan), 2)
    'This 1 of 2 topics keeps the order of the systems with Kendall τ 1.000.'
    """
    k = len(picked.topics)
    which = f"{'This' if k == 1 else 'These'} {k:,} of {nouns.n_topics(n_topics)}"
    if math.isnan(picked.tau):
        return f"{which} put all {nouns.system}s on one level: there is no order to keep."
    text = f"{which} {'keeps' if k == 1 else 'keep'} the order of the {nouns.system}s with Kendall τ {picked.tau:.3f}"
    if math.isnan(picked.random_tau):
        return f"{text}."
    return (
        f"{text}. As many at random keep it with {picked.random_tau:.3f} in the mean, and nine draws of ten with "
        f"{picked.random_low:.3f} to {picked.random_high:.3f}."
    )


def too_few(nouns: Nouns, n_systems: int, n_complete: int, worst: str, n_missing: int) -> str:
    """State that there is not enough to compare, and where most is missing.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> too_few(OF_FILE, 3, 1, "s3", 49)
    'Only 1 topic has a score of every system; 2 are needed. Most are missing from s3: 49. Fill them, or leave it out.'
    """
    if n_systems < 3:
        there = f"There are only {n_systems}" if n_systems > 1 else "There is only one"
        return f"{there} {nouns.n_systems(n_systems).split(' ', 1)[1]}; it takes 3 to judge each other."
    has = (
        f"{nouns.n_topics(n_complete)} {'has' if n_complete == 1 else 'have'}"
        if n_complete
        else f"no {nouns.topic} has"
    )
    text = f"Only {has}" if n_complete else has.capitalize()
    text = f"{text} a score of every {nouns.system}; 2 are needed."
    return f"{text} Most are missing from {worst}: {n_missing}. Fill them, or leave it out." if worst else text
