"""What the page Systems and topics says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from desk.words.text import counted
from metrics import PickedTopics
from metrics.measure import Measure

TITLE = "Systems and topics"
INTRO = (
    "Rankers judge reports, and reports judge rankers. A report is *easy* where rankers score well. It *tells good "
    "rankers from bad ones* where it orders them as all reports do together: that is its hub."
)
SCORES_FROM = "Scores"
WORKSPACE, FILE = "workspace", "file"
FROM = {WORKSPACE: "of this workspace", FILE: "from a file"}
RANKINGS = "Rankings"
NO_RANKINGS = "Nothing there has been scored yet. Choose other rankings, or a file."
MEASURE = "Measure"
RANKERS = "Rankers"
TOPICS = "Compared on"
REPORTS, ISSUES = "reports", "issues"
BY = {REPORTS: "reports, by their means", ISSUES: "each issue of each report"}
ROWS = "A row of the file is"
ROW_IS = {"topics": "a topic, a column a system", "systems": "a system, a column a topic"}
UPLOAD = "Table of scores, CSV or TSV"
UPLOAD_HELP = (
    "Names in the first line and the first column, numbers in between, higher is better: what `presort compare` reads. "
    "The file is read for this page only and kept nowhere."
)
NO_FILE = "Nothing to show yet: choose a table of scores with at least two systems and two topics."
NO_SCORES = (
    "This workspace has no scored rankings yet. Rankings are scored when a report is issued; `presort replay --from "
    "DATE --to DATE` ranks past issues. Until then a table of scores from a file can be shown."
)
TRANSFORM = "Scores as they are, or transformed"
TRANSFORMS = {"identity": "plain", "log": "log", "logit": "logit"}
TRANSFORM_HELP = (
    "Log weighs what happens near 0 (means become geometric means; a 0 counts as 0.00001), logit what happens near 0 "
    "and near 1. Log needs scores from 0, logit from 0 to 1: they are offered where the scores allow it."
)
GRAPH = "Who judges whom"
KIND = "Lines"
NO_LINES = "All weights are 0: there is no line to draw."
ALL_LINES = "All lines as CSV"
AGAINST = "Against the mean"
EASE = "Easy and hard, telling and not"
AGREE = "Who agrees"
AGREEMENT = "Agreement"
AGREEMENT_MEANS = (
    "Those who agree stand next to each other. Agreement is drawn without its size, so that the weak and the strong "
    "compare; the download has the sums."
)
MATRIX = "Agreement as CSV"
FEWER = "Fewer will do"
PICKED = "Picked as CSV"
COMPARE = "Compare the rankers on these reports only"
ORDER = "Both orders as CSV"
MEASURED_IN = "How the figures go together"
PAIR = "Correlation (Pearson) of"
CORRELATIONS = "Correlations as CSV"
SCORES_SHOWN = "Scores as CSV"
UNDEFINED = "Hub and authority are not defined here: "
COLUMNS = {"mean": "Mean", "inlinks": "Inlinks", "pagerank": "PageRank", "hub": "Hub", "authority": "Authority"}
PAIRS = {
    ("mean", "inlinks"): "mean and inlinks",
    ("mean", "pagerank"): "mean and PageRank",
    ("mean", "hub"): "mean and hub",
    ("mean", "authority"): "mean and authority",
    ("hub", "authority"): "hub and authority",
}
AXES = {
    ("systems", "hub"): "Hub (higher: finds easy what all do)",
    ("systems", "authority"): "Authority (higher: better)",
    ("topics", "hub"): "Hub (higher: tells more)",
    ("topics", "authority"): "Authority (higher: easier)",
}


@dataclass(frozen=True)
class Nouns:
    """What systems and topics are called."""

    system: str
    topic: str

    @property
    def systems(self) -> str:
        """Name several systems."""
        return f"{self.system}s"

    @property
    def topics(self) -> str:
        """Name several topics."""
        return f"{self.topic}s"

    def of(self, side: str) -> str:
        """Name one of the `systems`, or of the `topics`."""
        return self.system if side == "systems" else self.topic

    def n_systems(self, n: int) -> str:
        """Count systems."""
        return counted(n, self.system)

    def n_topics(self, n: int) -> str:
        """Count topics."""
        return counted(n, self.topic)


OF_REPORTS = Nouns("ranker", "report")
OF_ISSUES = Nouns("ranker", "report issue")
OF_FILE = Nouns("system", "topic")


def kinds(nouns: Nouns) -> dict[str, str]:
    """Name the two kinds of lines.

    Examples
    --------
    >>> kinds(OF_REPORTS)["apa"]
    'how good each report finds each ranker'
    """
    return {
        "apa": f"how good each {nouns.topic} finds each {nouns.system}",
        "apm": f"how easy each {nouns.system} finds each {nouns.topic}",
    }


def figures(nouns: Nouns) -> dict[str, str]:
    """Say what hub and authority tell."""
    return {
        "hub": f"Hub: a {nouns.topic} that tells good {nouns.system}s from bad ones; a {nouns.system} that finds easy "
        "what all find easy.",
        "authority": f"Authority: a {nouns.system} that telling {nouns.topic}s find good; a {nouns.topic} that typical "
        f"{nouns.system}s find easy.",
    }


def agreements(nouns: Nouns) -> dict[str, str]:
    """Name the four agreement matrices by their kind.

    Examples
    --------
    >>> agreements(OF_REPORTS)["topics_on_effectiveness"]
    'reports that find the same rankers good'
    """
    return {
        "topics_on_effectiveness": f"{nouns.topic}s that find the same {nouns.system}s good",
        "systems_on_ease": f"{nouns.system}s that find the same {nouns.topic}s easy",
        "systems_on_effectiveness": f"{nouns.system}s that the same {nouns.topic}s find good",
        "topics_on_ease": f"{nouns.topic}s that the same {nouns.system}s find easy",
    }


def sizes(nouns: Nouns, n_systems: int, n_topics: int, left_out: Sequence[str] = ()) -> str:
    """Say how many there are, and which were left out.

    Examples
    --------
    >>> sizes(OF_FILE, 129, 48, ["401", "402"])
    '129 systems, 48 topics; 2 left out, where a score is missing: 401, 402.'
    """
    said = f"{nouns.n_systems(n_systems)}, {nouns.n_topics(n_topics)}"
    if not left_out:
        return f"{said}."
    return f"{said}; {len(left_out):,} left out, where a score is missing: {some(left_out)}."


def some(names: Sequence[str], most: int = 6) -> str:
    """Name the first of many.

    Examples
    --------
    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def rows_used(n_used: int, n_issues: int, measure: Measure) -> str:
    """Say over which report issues rankers are compared.

    Examples
    --------
    >>> from metrics import MEASURES
    >>> rows_used(40, 44, MEASURES["average_precision"])
    'Over the 40 of 44 report issues that all these rankers sorted and that Average precision is defined for.'
    """
    of = f"{n_used:,} of " if n_used != n_issues else ""
    return (
        f"Over the {of}{counted(n_issues, 'report issue')} that all these rankers sorted and that {measure.label} is "
        "defined for."
    )


def value_named(measure: Measure | None, transform: str) -> str:
    """Name what a score is, always with higher as the better.

    Examples
    --------
    >>> from metrics import MEASURES
    >>> value_named(None, "log"), value_named(MEASURES["search_length"], "identity")
    ('log of score', 'Search length, with a minus sign')
    """
    name = "score" if measure is None else measure.label
    if measure and measure.gap:
        return f"{name} less 1"
    if measure and not measure.higher_is_better:
        return f"{name}, with a minus sign"
    return name if transform == "identity" else f"{transform} of {name}"


def mean_axis(nouns: Nouns, side: str, value: str, *, is_distance: bool) -> str:
    """Name the axis of means, with its direction.

    Examples
    --------
    >>> mean_axis(OF_FILE, "topics", "score", is_distance=False)
    'Mean of a topic: score (higher: easier)'
    """
    better = "better" if side == "systems" else "easier"
    if is_distance:
        return f"Mean of a {nouns.of(side)}: distance of {value.removesuffix(' less 1')} from 100 % (lower: {better})"
    return f"Mean of a {nouns.of(side)}: {value} (higher: {better})"


def figures_of(nouns: Nouns, side: str) -> str:
    """Name the file of all figures.

    Examples
    --------
    >>> figures_of(OF_FILE, "topics")
    'All topics as CSV'
    """
    return f"All {nouns.of(side)}s as CSV"


def n_to_pick(nouns: Nouns) -> str:
    """Ask for a number of topics."""
    return f"Evaluate on so many {nouns.topics} only"


def order_columns(nouns: Nouns) -> dict[str, str]:
    """Name the columns that set two orders of systems side by side."""
    return {
        "system": nouns.system,
        "mean": "Mean",
        "place": "Place",
        "mean_picked": "Mean, picked",
        "place_picked": "Place, picked",
    }


def correlated(nouns: Nouns, n_systems: int, n_topics: int) -> str:
    """Say over how many a correlation goes."""
    few = ", so few that it says little," if n_systems < 10 else ""
    return f"Over {nouns.n_systems(n_systems)}{few} and over {nouns.n_topics(n_topics)}."


def too_many_for_matrix(nouns: Nouns, side: str, n: int, most: int) -> str:
    """Say that a matrix has no room."""
    return f"A matrix of {counted(n, nouns.of(side))} can't be read; up to {most} are drawn. Choose the other side."


def too_few_rankers(nouns: Nouns, n_found: int, n_chosen: int, n_systems: int, n_topics: int) -> str:
    """Say why rankers can't judge each other.

    Examples
    --------
    >>> too_few_rankers(OF_REPORTS, 1, 1, 1, 65)
    'Only one ranker has sorted anything here: rank past issues with another by `presort replay`, or choose a file.'
    """
    if n_found < 2:
        return (
            "Only one ranker has sorted anything here: rank past issues with another by `presort replay`, or choose a "
            "file."
        )
    if n_chosen < 2:
        return "Choose two rankers or more."
    return (
        f"These rankers share {nouns.n_topics(n_topics)} with scores; 2 are needed. Choose fewer rankers, other "
        "rankings or another measure."
    )


def drawn(nouns: Nouns, n_drawn: int, n_arcs: int) -> str:
    """Say which lines are drawn.

    Examples
    --------
    >>> drawn(OF_FILE, 150, 6450)
    'Drawn are the 150 strongest of 6,450 lines, and the systems and topics they join; the download has all.'
    """
    if n_drawn == n_arcs:
        return f"All {counted(n_arcs, 'line')} are drawn."
    what = f"the {nouns.system}s and {nouns.topic}s they join"
    return f"Drawn are the {n_drawn:,} strongest of {n_arcs:,} lines, and {what}; the download has all."


def outlier(side: str, figure: str, *, is_high: bool, is_above: bool) -> str:
    """Say what it means to lie far from the straight line of a figure over the mean.

    Examples
    --------
    >>> outlier("topics", "hub", is_high=True, is_above=False)
    'easy but tells nothing apart'
    """
    if figure == "hub" and side == "topics":
        ease, but = ("easy", "but") if is_high else ("hard", "and")
        return f"{ease} and telling" if is_above else f"{ease} {but} tells nothing apart"
    if figure == "hub":
        good = "good" if is_high else "weak"
        return f"{good}, finds easy what all do" if is_above else f"{good}, finds other things easy"
    if side == "topics":
        return "easier for typical ones" if is_above else "harder for typical ones"
    return "better where it counts" if is_above else "worse where it counts"


def extremes(nouns: Nouns, easy: Sequence[str], hard: Sequence[str]) -> str:
    """Name the easiest and the hardest.

    Examples
    --------
    >>> extremes(OF_REPORTS, ["lab", "mac"], ["ifn"])
    'Easiest reports: lab, mac. Hardest: ifn.'
    """
    return f"Easiest {nouns.topic}s: {', '.join(easy)}. Hardest: {', '.join(hard)}."


def telling(nouns: Nouns, most: Sequence[str], least: Sequence[str]) -> str:
    """Name the topics that tell systems apart, and those that don't.

    Examples
    --------
    >>> telling(OF_REPORTS, ["lab"], ["ifn", "mac"])
    'Good rankers are told from bad ones best by lab; least by ifn, mac.'
    """
    return f"Good {nouns.system}s are told from bad ones best by {', '.join(most)}; least by {', '.join(least)}."


def undefined(nouns: Nouns, *, all_equal: bool) -> str:
    """Say why there are no hubs or authorities."""
    if all_equal:
        return f"{UNDEFINED}all scores are the same, so nothing tells {nouns.system}s or {nouns.topic}s apart."
    return f"{UNDEFINED}no {nouns.topic} tells the {nouns.system}s apart, or no {nouns.system} the {nouns.topic}s."


def picked_says(nouns: Nouns, picked: PickedTopics, n_topics: int) -> str:
    """Say how well picked topics keep the order of the systems.

    Examples
    --------
    >>> picked_says(OF_FILE, PickedTopics(("401",), 1.0, math.nan, math.nan, math.nan), 2)
    'This 1 of 2 topics keeps the order of the systems with Kendall τ 1.000.'
    """
    k = len(picked.topics)
    which = f"{'This' if k == 1 else 'These'} {k:,} of {nouns.n_topics(n_topics)}"
    if math.isnan(picked.tau):
        return f"{which} put all {nouns.system}s on one level: there is no order to keep."
    said = f"{which} {'keeps' if k == 1 else 'keep'} the order of the {nouns.system}s with Kendall τ {picked.tau:.3f}"
    if math.isnan(picked.random_tau):
        return f"{said}."
    return (
        f"{said}. As many at random keep it with {picked.random_tau:.3f} in the mean, and nine draws of ten with "
        f"{picked.random_low:.3f} to {picked.random_high:.3f}."
    )


def too_large(name: str, n_systems: int, n_topics: int, most: int) -> str:
    """Say that a file holds more than a page can show."""
    return (
        f"{name} has {counted(n_systems, 'system')} and {counted(n_topics, 'topic')}; this page shows up to {most:,} "
        "of each. `presort compare FILE` takes more."
    )


def too_few(nouns: Nouns, n_systems: int, n_complete: int, worst: str, n_missing: int) -> str:
    """Say that there is not enough to compare, and where most is missing.

    Examples
    --------
    >>> too_few(OF_FILE, 3, 1, "s3", 49)
    'Only 1 topic has a score of every system; 2 are needed. Most are missing from s3: 49. Fill them, or leave it out.'
    """
    if n_systems < 2:
        return f"There is only one {nouns.system}; to judge each other there must be 2 {nouns.system}s at least."
    has = (
        f"{nouns.n_topics(n_complete)} {'has' if n_complete == 1 else 'have'}"
        if n_complete
        else f"no {nouns.topic} has"
    )
    said = f"Only {has}" if n_complete else has.capitalize()
    said = f"{said} a score of every {nouns.system}; 2 are needed."
    return f"{said} Most are missing from {worst}: {n_missing}. Fill them, or leave it out." if worst else said
