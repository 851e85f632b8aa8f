"""Where the page Systems and topics gets its scores: the rankings of the workspace, or a file."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data import rankings
from desk import cache, evaluation
from desk import systems_topics as tables
from desk.choice import choice, choices
from desk.uploaded_scores import LEAST, complete, read_scores
from desk.words import systems_topics as words
from desk.words.replays import source_named
from desk.words.systems_topics import Nouns
from metrics import MEASURES, Measure

LARGEST_FILE = 5  # megabytes
WIDTH = 230  # pixels of a box


class Found(NamedTuple):
    """Scores to show, a row a system."""

    scores: pd.DataFrame
    nouns: Nouns
    said: str
    measure: Measure | None = None


def box(place: DeltaGenerator) -> DeltaGenerator:
    """Give room for a box in a row of boxes."""
    return place.container(width=WIDTH)


def of_file(boxes: DeltaGenerator) -> Found | None:
    """Ask for a file; nothing while there is none, and a `DataError` if it can't be used."""
    rows = choice(box(boxes), words.ROWS, list(words.ROW_IS), name="rows", named=words.ROW_IS.__getitem__)
    file = st.file_uploader(
        words.UPLOAD,
        type=["csv", "tsv", "txt"],
        key="scores-file",
        help=words.UPLOAD_HELP,
        max_upload_size=LARGEST_FILE,
    )
    if file is None:
        st.info(words.NO_FILE)
        return None
    read = read_scores(file.getvalue(), file.name, rows="topics" if rows == "topics" else "systems")
    scores = complete(read, words.OF_FILE)
    left_out = read.columns.difference(scores.columns, sort=False).to_list()
    return Found(scores, words.OF_FILE, words.sizes(words.OF_FILE, *scores.shape, left_out))


def of_workspace(boxes: DeltaGenerator) -> Found | None:
    """Ask which rankings to show; nothing, and a word why, where they can't judge each other."""
    replays = {replay.id: replay for replay in rankings.replays(cache.store())}
    source = choice(
        boxes.container(width=2 * WIDTH),
        words.RANKINGS,
        [0, *replays],
        name="replay",
        named=lambda number: source_named(replays.get(number)),
    )
    scored = cache.all_scores(source or None)
    if scored.empty:
        st.info(words.NO_RANKINGS)
        return None
    measure = choice(
        box(boxes),
        words.MEASURE,
        evaluation.MEASURED,
        name="score",
        named=lambda name: MEASURES[name].label,
        default=evaluation.MEASURED.index("average_precision"),
    )
    by = choice(box(boxes), words.TOPICS, list(words.BY), name="by", named=words.BY.__getitem__)
    found = sorted(scored["ranker"].unique())
    rankers = choices(boxes.container(width=2 * WIDTH), words.RANKERS, found, name="rankers", default=found)
    nouns = words.OF_ISSUES if by == words.ISSUES else words.OF_REPORTS
    store = cache.store()
    state = rankings.outcomes_state(store)
    scores, n_issues, n_used = _scores(store.path, state, source or None, measure, tuple(rankers), by == words.ISSUES)
    if len(rankers) < LEAST or min(scores.shape) < LEAST:
        st.info(words.too_few_rankers(nouns, len(found), len(rankers), *scores.shape))
        return None
    said = f"{words.sizes(nouns, *scores.shape)} {words.rows_used(n_used, n_issues, MEASURES[measure])}"
    return Found(scores, nouns, said, MEASURES[measure])


@st.cache_data(show_spinner=False, ttl=cache.KEPT, max_entries=100)
def _scores(
    path: Path, state: tuple[int, str], replay: int | None, measure: str, rankers: tuple[str, ...], by_issue: bool
) -> tuple[pd.DataFrame, int, int]:
    """Give the scores, and how many report issues these rankers share and how many of them count."""
    scored = cache.all_scores(replay)
    common = evaluation.comparable(scored[scored["ranker"].isin(rankers)], rankers)
    n_used = int(common[measure].notna().sum()) // max(len(rankers), 1)
    return tables.ranker_scores(common, measure, by_issue=by_issue), len(common) // max(len(rankers), 1), n_used
