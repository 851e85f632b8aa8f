"""Shared helpers for tests of rankers: small histories with simple subjects."""

import random
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from presort.data.records import History, Paper, Rows
from presort.ranker.tokens import tokens_of

SUBJECTS = {
    "trade": ["tariff", "export", "import", "customs", "border", "shipping", "quota", "port"],
    "health": ["hospital", "nurse", "patient", "disease", "vaccine", "doctor", "surgery", "clinic"],
    "work": ["wage", "union", "strike", "pension", "hiring", "overtime", "salary", "employer"],
}
PLAIN = ["we", "show", "how", "new", "data", "and", "old", "theory", "tell", "about", "this", "effect", "in", "many"]


def make_paper(number: int, subject: str, rng: random.Random) -> Paper:
    words = rng.choices(SUBJECTS[subject], k=6) + rng.choices(PLAIN, k=10)
    rng.shuffle(words)
    return Paper(
        paper_id=f"p{number}",
        title=" ".join(words[:4]),
        abstract=" ".join(words[4:]),
        authors=(f"{subject.title()} Writer{rng.randrange(5)}", "Ann Other"),
        codes=(f"{subject[0]}{rng.randrange(3)}",),
        series="Working papers",
    )


def as_rows(*rows: int) -> Rows:
    return np.array(rows, dtype=np.intp)


def make_issues(n_issues: int) -> list[date]:
    return [date(2024, 1, 1) + timedelta(weeks=week) for week in range(n_issues)]


def make_history(n_issues: int = 6, n_papers: int = 20, *, seed: int = 0) -> History:
    """Return issues of equal size. The report of a subject selects the papers of that subject."""
    rng = random.Random(seed)
    subjects = [rng.choice(list(SUBJECTS)) for _ in range(n_issues * n_papers)]
    return History(
        issues=make_issues(n_issues),
        starts=np.arange(0, n_issues * n_papers + 1, n_papers),
        papers=[make_paper(number, subject, rng) for number, subject in enumerate(subjects)],
        relevant={
            name: as_rows(*(row for row, subject in enumerate(subjects) if subject == name)) for name in SUBJECTS
        },
    )


def with_tokens(history: History) -> History:
    """Add the tokens of all papers, in a vocabulary that has other words, too."""
    return replace(history, tokens=tokens_of(history.papers, ["gnu", "wage", "nobody", "tariff"]))


def listed_scores(ranked) -> dict[tuple[str, int], list[float]]:
    """Return the scores of each report and issue in list order. None if the list order was kept."""
    found = {}
    for one in ranked:
        scores = np.zeros(len(one.scores))
        scores[one.order[: len(scores)]] = one.scores
        found[one.report, one.issue_index] = scores.tolist()
    return found
