"""Estimate of the relevant papers left unread when a ranked list is published, and the basis of this estimate."""

import streamlit as st

from presort.data.editing import decisions, read_log
from presort.data.editing.read_papers import read_positions
from presort.desk.sheet import light_words, progress, spot_check
from presort.desk.sheet.may_miss import may_miss
from presort.desk.sheet.outgoing import Making
from presort.desk.sheet.progress import Sheet, shown_order
from presort.desk.text import plain
from presort.desk.ui import cache
from presort.ranker.stopping.relevance_model import RelevanceModel


def show(now: Making) -> None:
    """Draw the estimate below the draft. Draws nothing if the list has no stop advice or was read to the end."""
    relevance_model = cache.relevance_model_for(now.shown)
    if relevance_model is not None and (line := left_says(now, relevance_model)):
        st.caption(plain(line))


def left_says(now: Making, relevance_model: RelevanceModel) -> str:
    """Format the interval, its basis, and the spot check of this list."""
    store, of_issue = cache.store(), (now.report, now.issue)
    if now.shown is None:
        return ""
    sheet = Sheet(*of_issue, [*now.papers], now.shown, shown_order(now.shown, len(now.papers)), relevance_model)
    said, read = decisions.words(store, *of_issue), read_positions(store, *of_issue)
    chosen = may_miss(store, now.report)
    is_read = sheet.is_read(read)
    reading = progress.judge(relevance_model, now.shown.ranking.scores, sheet.in_order(said), is_read, chosen)
    if is_read.all():
        return ""
    by_position = {place: said[paper.paper_id] for place, paper in enumerate(now.papers, 1) if paper.paper_id in said}
    draws = read_log.draws(store, *of_issue)
    check = spot_check.state(read, draws, by_position) if draws else "No spot check in this list"
    interval = f"Relevant papers you did not read: {spot_check.interval(reading)} (90 % interval)."
    basis = light_words.basis_says(relevance_model.basis, is_first=not relevance_model.is_ready)
    return f"{interval} {basis} {check}."
