"""Shared helpers for tests of forecasts: services with read lists, drawn from known probabilities."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import fit_relevance_models

START = date(2026, 1, 5)
LATER = date(2030, 1, 1)


def flags(n_papers, *positions):
    return np.isin(np.arange(1, n_papers + 1), positions)


def unread(n_papers):
    return np.zeros(n_papers, dtype=bool)


def read_list(scores, is_relevant, *, week=0, is_read=None):
    is_read = np.ones(len(scores), dtype=bool) if is_read is None else is_read
    return FinishedList(scores, is_read, is_relevant & is_read, START + timedelta(weeks=week))


def drawn_list(rng, *, week=0, level=-1.0, slope=1.2, spread=0.0, n_papers=200):
    """Draw a list whose log odds are linear in the scores and shift together from issue to issue."""
    scores = np.sort(rng.normal(-3, 2.5, n_papers))[::-1]
    chances = expit(level + slope * scores + rng.normal(0, spread))
    return read_list(scores, rng.random(n_papers) < chances, week=week)


def drawn_service(seed=0, n_reports=12, n_weeks=20, spread=0.3, **options):
    """Draw the lists of reports, each with its own level."""
    rng = np.random.default_rng(seed)
    levels = rng.normal(-1, 0.5, n_reports)
    return {
        f"report {number}": [
            drawn_list(rng, week=week, level=level, spread=spread, **options) for week in range(n_weeks)
        ]
        for number, level in enumerate(levels)
    }


def stopped_at(one, share):
    """Return a list as known after reading stopped at some share of it."""
    is_read = np.arange(len(one.scores)) < share * len(one.scores)
    return replace(one, is_read=is_read, is_relevant=one.is_relevant & is_read)


def relevance_models_of(service):
    return fit_relevance_models(service, before=LATER)


@st.composite
def lists(draw, week):
    n_papers = draw(st.integers(1, 30))
    scores = np.array(sorted(draw(st.lists(st.integers(-9, 9), min_size=n_papers, max_size=n_papers)))[::-1]) / 2
    letters = np.array(draw(st.lists(st.sampled_from("uny"), min_size=n_papers, max_size=n_papers)))
    return FinishedList(scores, letters != "u", letters == "y", START + timedelta(weeks=week))


@st.composite
def services(draw):
    """Draw small services. Some have enough data, also for the calibration. One report is new."""
    seed, n_reports = draw(st.integers(0, 9)), draw(st.integers(0, 3))
    n_weeks, n_papers = draw(st.sampled_from([3, 12])), draw(st.sampled_from([40, 90]))
    known = drawn_service(seed, n_reports, n_weeks=n_weeks, n_papers=n_papers)
    own = [draw(lists(week)) for week in range(draw(st.integers(0, 4)))]
    return known | {"own": own, "new": []}


@st.composite
def readings(draw):
    """Draw a forecast, and its flags of read and relevant papers."""
    relevance_models = relevance_models_of(draw(services()))
    one = draw(lists(0))
    relevance_model = relevance_models[draw(st.sampled_from(sorted(relevance_models)))]
    return relevance_model.forecast(one.scores, one.is_read, one.is_relevant), one
