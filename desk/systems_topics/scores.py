"""Where the page Systems and topics gets its scores: the rankings of the workspace, or a file."""

from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.scores import table
from presort.desk.scores.differences import BY_MEDIAN
from presort.desk.scores.registry import MEASURES
from presort.desk.systems_topics import tables, words
from presort.desk.systems_topics.nouns import OF_FILE, OF_ISSUES, OF_REPORTS, Nouns, sizes
from presort.desk.systems_topics.uploaded import LEAST_SYSTEMS, LEAST_TOPICS, complete, read_scores
from presort.desk.ui import cache, empty
from presort.desk.ui.choice import choice, choices
from presort.desk.ui.score_choice import draw_measure_problems, draw_not_evaluable, measure_choice, source_choice
from presort.metrics import Measure

LARGEST_FILE = 5  # megabytes
WIDTH = 230  # pixels of a box


class Found(NamedTuple):
    """Scores to show, a row a system."""

    scores: pd.DataFrame
    nouns: Nouns
    description: str
    measure: Measure | None = None


def box(place: DeltaGenerator) -> DeltaGenerator:
    """Return room for a box in a row of boxes."""
    return place.container(width=WIDTH)


def of_file(boxes: DeltaGenerator) -> Found | None:
    """Ask for a file; nothing while there is none, and a `DataError` if it can't be used."""
    rows = choice(box(boxes), "A row of the file is", list(words.ROW_IS), name="rows", named=words.ROW_IS.__getitem__)
    file = st.file_uploader(
        "Table of scores, CSV or TSV",
        type=["csv", "tsv", "txt"],
        key="scores-file",
        help=(
            "Names in the first line and the first column, numbers in between, higher is better. "
            "The file is read for this page only and kept nowhere."
        ),
        max_upload_size=LARGEST_FILE,
    )
    if file is None:
        st.info("Nothing to show yet: choose a table of scores with at least three systems and two topics.")
        return None
    read = read_scores(file.getvalue(), file.name, rows="topics" if rows == "topics" else "systems")
    scores = complete(read, OF_FILE)
    left_out = read.columns.difference(scores.columns, sort=False).to_list()
    return Found(scores, OF_FILE, sizes(OF_FILE, *scores.shape, left_out))


def of_workspace(boxes: DeltaGenerator) -> Found | None:
    """Ask which rankings to show; nothing, and a word why, where they can't judge each other."""
    replay = source_choice(boxes.container(width=2 * WIDTH), help=None)
    scored = cache.all_scores(replay)
    draw_not_evaluable(replay)
    draw_measure_problems()
    if scored.empty:
        st.info("Nothing there has been scored yet. Choose other rankings, or a file.")
        return None
    measure = measure_choice(box(boxes), "relative_last_position", name="score")  # as Overview
    by = choice(box(boxes), "Compared on", list(words.BY), name="by", named=words.BY.__getitem__)
    found = sorted(scored["ranker"].unique())
    rankers = choices(boxes.container(width=2 * WIDTH), "Rankers", found, name="rankers", default=found)
    nouns = OF_ISSUES if by == words.ISSUES else OF_REPORTS
    scores, n_issues, n_used = _scores(cache.state(), replay, measure, tuple(rankers), by == words.ISSUES)
    if len(rankers) < LEAST_SYSTEMS or scores.shape[1] < LEAST_TOPICS:
        ways = [empty.TO_RANKERS] if len(found) < LEAST_SYSTEMS else []
        empty.draw(words.too_few_rankers(nouns, len(found), len(rankers), scores.shape[1]), *ways, empty.TO_COMPARE)
        return None
    description = f"{sizes(nouns, *scores.shape)} {words.rows_used(n_used, n_issues, MEASURES[measure])}"
    if by == words.REPORTS:
        description = f"{description} {words.middle_says(MEASURES[measure], is_median=measure in BY_MEDIAN)}"
    return Found(scores, nouns, description, MEASURES[measure])


@cache.of_state
def _scores(
    state: cache.State, replay: int | None, measure: str, rankers: tuple[str, ...], by_issue: bool
) -> tuple[pd.DataFrame, int, int]:
    """Return the scores, and how many report issues these rankers share and how many of them count."""
    scored = cache.for_comparison(replay)
    common = table.comparable(scored[scored["ranker"].isin(rankers)], rankers)
    n_used = int(common[measure].notna().sum()) // max(len(rankers), 1)
    return tables.ranker_scores(common, measure, by_issue=by_issue), len(common) // max(len(rankers), 1), n_used
