"""Source of the scores on the *Systems and topics* page: either the workspace's rankings or a file."""

from typing import NamedTuple

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from presort.desk.scores import table
from presort.desk.scores.differences import BY_MEDIAN
from presort.desk.scores.registry import MEASURES
from presort.desk.systems_topics import tables
from presort.desk.systems_topics.nouns import OF_FILE, OF_ISSUES, OF_REPORTS, Nouns, sizes
from presort.desk.systems_topics.upload import LEAST_SYSTEMS, LEAST_TOPICS, drop_incomplete_topics, read_scores
from presort.desk.text import count_text
from presort.desk.ui import cache, empty
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.score_choice import draw_measure_problems, measure_choice, source_choice
from presort.desk.ui.state_cache import State, cache_by_state
from presort.metrics import Measure

LARGEST_FILE = 5  # megabytes
WIDTH = 230  # width of a filter in pixels
REPORTS, ISSUES = "reports", "issues"
BY = {REPORTS: "Reports", ISSUES: "Report issues"}
ROW_IS = {"topics": "Topics (columns: systems)", "systems": "Systems (columns: topics)"}


class ScoreSelection(NamedTuple):
    """Scores to show, with one row per topic and one column per system, and what they are based on."""

    scores: pd.DataFrame
    nouns: Nouns
    basis: str
    measure: Measure | None = None


def box(place: DeltaGenerator) -> DeltaGenerator:
    """Return a container for a filter in a row of filters."""
    return place.container(width=WIDTH)


def choose_file_scores(boxes: DeltaGenerator, answer: DeltaGenerator) -> ScoreSelection | None:
    """Draw the file upload and return the scores, or None if there is no file.

    Raises DataError if the file is unusable.
    """
    rows = choice(box(boxes), "Rows of the file", list(ROW_IS), name="rows", named=ROW_IS.__getitem__)
    file = answer.file_uploader(
        "Table of scores, CSV or TSV",
        type=["csv", "tsv", "txt"],
        key="scores-file",
        help=("First line and first column: names. Other cells: numbers, higher is better. The file is not stored."),
        max_upload_size=LARGEST_FILE,
    )
    if file is None:
        answer.info("Upload a table of scores with at least three systems and two topics.")
        return None
    read = read_scores(file.getvalue(), file.name, rows="topics" if rows == "topics" else "systems")
    scores = drop_incomplete_topics(read, OF_FILE)
    left_out = read.index.difference(scores.index, sort=False).to_list()
    return ScoreSelection(scores, OF_FILE, sizes(OF_FILE, *scores.shape[::-1], left_out))


def choose_workspace_scores(
    filters: DeltaGenerator, boxes: DeltaGenerator, answer: DeltaGenerator
) -> ScoreSelection | None:
    """Draw the filters and return the scores. Return None if there are too few."""
    replay = source_choice(boxes.container(width=2 * WIDTH))
    by = choice(box(boxes), "Topics", list(BY), name="by", named=BY.__getitem__)
    scored = cache.all_scores(replay)
    with answer:
        draw_measure_problems()
    if scored.empty:
        answer.info("No figures for these rankings. Choose other rankings, or a file.")
        return None
    measure = measure_choice(
        filters.container(width=330), "relative_last_position", name="score"
    )  # same default as on the Overview page
    found = sorted(scored["ranker"].unique())
    rankers = choices(filters.container(width=560), "Rankers", found, name="rankers", default=found)
    nouns = OF_ISSUES if by == ISSUES else OF_REPORTS
    scores, n_issues, n_used = _scores(cache.state(), replay, measure, tuple(rankers), by == ISSUES)
    if len(rankers) < LEAST_SYSTEMS or len(scores) < LEAST_TOPICS:
        with answer:
            _draw_too_few(nouns, len(found), len(rankers), len(scores))
        return None
    middle = "median" if measure in BY_MEDIAN else "mean"
    n_early = table.n_not_evaluable(cache.not_evaluable_rankings(replay))
    parts = [
        count_text(scores.shape[1], nouns.system),
        count_text(len(scores), nouns.topic),
        f"{n_used:,} of {count_text(n_issues, 'report issue')}"
        if n_used != n_issues
        else count_text(n_issues, "report issue"),
        "" if by == ISSUES else f"{middle} over issues",
        f"{count_text(n_early, 'report issue')} left out (not read far enough)" if n_early else "",
    ]
    return ScoreSelection(scores, nouns, " · ".join(part for part in dict.fromkeys(parts) if part), MEASURES[measure])


def _draw_too_few(nouns: Nouns, n_found: int, n_chosen: int, n_topics: int) -> None:
    ways = [empty.TO_RANKERS] if n_found < LEAST_SYSTEMS else []
    if n_found < LEAST_SYSTEMS:
        message = (
            f"Rankers with scores: {n_found}. This page needs at least three. Run another ranker as a shadow ranker."
        )
    elif n_chosen < LEAST_SYSTEMS:
        message = "Choose at least three rankers."
    else:
        message = (
            f"These rankers have {count_text(n_topics, nouns.topic)} in common. At least {LEAST_TOPICS} are needed. "
            "Choose fewer rankers."
        )
    empty.draw(message, *ways, empty.TO_COMPARE)


@cache_by_state
def _scores(
    state: State, replay: int | None, measure: str, rankers: tuple[str, ...], by_issue: bool
) -> tuple[pd.DataFrame, int, int]:
    """Return the rankers' scores, and two numbers of report issues.

    The first number counts the report issues that all `rankers` ranked. The second counts those of them for which the
    measure is defined.
    """
    scored = cache.comparison_scores(replay)
    common = table.keep_comparable(scored[scored["ranker"].isin(rankers)], rankers)
    n_used = int(common[measure].notna().sum()) // max(len(rankers), 1)
    return tables.ranker_scores(common, measure, by_issue=by_issue), len(common) // max(len(rankers), 1), n_used
