"""What the tests of the traffic light share: issues that were finished."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from hypothesis import strategies as st

from ranker.light import FinishedIssue, fit_lights

START = date(2026, 1, 5)


def issue(n_papers, *places, day=START):
    return FinishedIssue(np.array(places, dtype=np.int32), n_papers, day)


def weekly(issues):
    """Put issues on one day a week."""
    return [replace(one, day=START + timedelta(weeks=week)) for week, one in enumerate(issues)]


def lights_of(earlier):
    """Fit the lights of reports that all began in the same week."""
    return fit_lights({report: weekly(issues) for report, issues in earlier.items()})


@st.composite
def finished_issues(draw):
    n_papers = draw(st.integers(1, 60))
    return issue(n_papers, *sorted(draw(st.sets(st.integers(1, n_papers), max_size=6))))


@st.composite
def reports(draw):
    """Draw the issues of a report, which may begin later than others, and have one every other week."""
    first, step = draw(st.integers(0, 4)), draw(st.integers(1, 2))
    issues = draw(st.lists(finished_issues(), max_size=9))
    return [replace(one, day=START + timedelta(weeks=first + step * n)) for n, one in enumerate(issues)]


services = st.dictionaries(st.sampled_from("abcd"), reports(), min_size=1)
