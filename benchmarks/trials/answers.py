"""Correct answers to a director's questions, computed from stored rankings independently of the pages' functions.

The positions of relevant papers are read from the store. Means, tests, average precision and hubs are computed here in
the simplest way, to detect errors in the functions of the pages.
"""

from collections.abc import Mapping
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, mannwhitneyu

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.work import last_in_list
from presort.data.learning.outcomes import scored_rankings
from presort.data.learning.rankings import ranking, whole_order
from presort.data.mail.editors import editor_addresses
from presort.data.running import people
from presort.data.store import Store

NEW, OLD = 13, 39  # number of newest issues, and number of earlier issues to compare them with
LATE = 14  # days
LEVEL = 0.05
STUDY_MINUTES = 14.5  # minutes to read a whole list
N_FLIPS = 20_000
KEYS = ["report", "issue"]


class Late(NamedTuple):
    """A report's late issues, its pending issues, and its editors' addresses."""

    n_late: int
    pending: list[date]
    mail: list[str]


class Gain(NamedTuple):
    """Papers and minutes that a ranker saves per list, with a 95 % interval for the papers and a corrected p-value."""

    papers: float
    minutes: float
    low: float
    high: float
    p: float


def outcomes(store: Store) -> pd.DataFrame:
    """Return a row per report issue and ranker, with the ascending positions of the relevant papers."""
    rows = [
        (one.ranking_id, one.report, one.issue, one.ranker, one.n_papers, np.sort(one.places), one.is_evaluable)
        for one in scored_rankings(store)
    ]
    columns = ["ranking_id", "report", "issue", "ranker", "n_papers", "places", "is_evaluable"]
    found = pd.DataFrame(rows, columns=columns)
    found = found[found["is_evaluable"] & (found["places"].map(len) > 0)]
    last = found["places"].map(max).astype(int)
    return found.assign(last=last, share=last / found["n_papers"]).reset_index(drop=True)


def rows_of_ranker(every: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """Return a ranker's rows, by report and issue."""
    return every[every["ranker"] == ranker].sort_values(KEYS, ignore_index=True)


def late(store: Store, today: date) -> dict[str, Late]:
    """Return the late reports, assuming that there are no holidays and that no report was added later."""
    known, at, found = people.editorships(store), editor_addresses(store), {}
    for report in catalogue.reports(store):
        out = publications.published(store, report.code)
        if not out:  # added today, so its issues can't be late
            continue
        waiting = [one.date for one in catalogue.issues(store) if one.date > max(out)]
        n_late = sum((today - day).days >= LATE for day in waiting)
        if n_late:
            names = people.editors_on(known, report.code, today)
            found[report.code] = Late(n_late, waiting, [at[name] for name in names if at.get(name)])
    return found


def find_declined(rows: pd.DataFrame) -> dict[str, date]:
    """Return the reports whose last relevant papers are deeper in the newest lists, with the date of the first list."""
    days = sorted(rows["issue"].unique())
    new, old = days[-NEW:], days[-NEW - OLD : -NEW]
    tested = {}
    for report, mine in rows.groupby("report"):
        now, before = (mine.loc[mine["issue"].isin(part), "share"] for part in (new, old))
        tested[str(report)] = float(mannwhitneyu(now, before, alternative="greater").pvalue)
    p_values = false_discovery_control(list(tested.values()))
    return {report: new[0] for report, p in zip(tested, p_values, strict=True) if p <= LEVEL}


def deepest(store: Store, rows: pd.DataFrame, report: str, n: int) -> list[str]:
    """Return the issues and titles of the deepest last relevant papers in a report's newest lists."""
    mine = rows[rows["report"] == report].tail(NEW).sort_values("share", ascending=False, kind="stable").head(n)
    found = []
    for row in mine.to_dict("records"):
        papers = catalogue.papers(store, row["issue"])
        order = whole_order(ranking(store, row["ranking_id"]).ranking.positions, len(papers))
        found.append(
            f"{row['issue']} · {row['last']} of {row['n_papers']} · {papers[order[row['last'] - 1] - 1].title}"
        )
    return found


def effort(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the reading effort, and its change from earlier to newer issues."""
    days = sorted(rows["issue"].unique())
    now, before = (rows.loc[rows["issue"].isin(part), "share"].mean() for part in (days[-NEW:], days[-2 * NEW : -NEW]))
    return float(rows["share"].mean()), float(now - before)


def measure_savings(store: Store, rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the papers and minutes saved per list compared with list order, and the reading effort in list order."""
    in_list = last_in_list(store, rows["issue"].min())
    received = np.array([in_list[key] for key in zip(rows["report"], rows["issue"], strict=True)])
    papers = received - rows["last"]
    return (
        float(papers.mean()),
        float((papers * STUDY_MINUTES / rows["n_papers"]).mean()),
        float((received / rows["n_papers"]).mean()),
    )


def gains(every: pd.DataFrame, ranker: str, *, seed: int = 1) -> dict[str, Gain]:
    """Return a ranker's savings compared with each other ranker, tested with sign flips of whole reports."""
    wide = every.pivot_table("last", KEYS, "ranker").dropna()
    n_papers = every.drop_duplicates(KEYS).set_index(KEYS)["n_papers"].reindex(wide.index)
    others = [str(name) for name in wide if name != ranker]
    n_pairs = len(list(combinations(wide, 2)))
    rng, found = np.random.default_rng(seed), {}
    for other in others:
        papers = wide[other] - wide[ranker]
        totals, sizes = papers.groupby("report").sum(), papers.groupby("report").size()
        mean = totals.sum() / sizes.sum()
        spread = np.sqrt(((totals - mean * sizes) ** 2).sum()) / sizes.sum()
        flips = rng.choice([-1.0, 1.0], (N_FLIPS, len(totals))) @ totals.to_numpy()
        p = float((np.abs(flips) >= abs(totals.sum()) - 1e-9).mean())
        minutes = float((papers * STUDY_MINUTES / n_papers).mean())
        found[other] = Gain(float(mean), minutes, float(mean - 2 * spread), float(mean + 2 * spread), p)
    ordered, highest = sorted(found, key=lambda name: found[name].p), 0.0
    for rank, name in enumerate(ordered):  # Holm's correction for multiple comparisons
        highest = max(highest, min(1.0, (n_pairs - rank) * found[name].p))
        found[name] = found[name]._replace(p=highest)
    return found


def contradictions(every: pd.DataFrame) -> tuple[int, int, dict[str, Any]]:
    """Return the number of pairs that average precision orders wrongly, the number of all pairs, and the worst case."""
    n_wrong = n_pairs = 0
    worst: dict[str, Any] = {"papers": -1}
    for (report, issue), rows in every.groupby(KEYS):
        for one, other in combinations(rows.to_dict("records"), 2):
            better, worse = sorted((one, other), key=lambda row: row["places"][::-1].tolist())
            if better["places"].tolist() == worse["places"].tolist():
                continue
            n_pairs += 1
            if _average_precision(worse["places"]) > _average_precision(better["places"]) + 1e-12:
                n_wrong += 1
                if worse["last"] - better["last"] > worst["papers"]:
                    worst = {"report": report, "issue": issue, "papers": int(worse["last"] - better["last"])}
    return n_wrong, n_pairs, worst


def _average_precision(places: np.ndarray) -> float:
    return float(np.mean([rank / place for rank, place in enumerate(places, start=1)]))


def hardest(every: pd.DataFrame) -> Mapping[str, str]:
    """Return the hardest, the easiest and the most discriminating report.

    They are determined from the mean relative last positions and the first singular vector.
    """
    scores = every.pivot_table("share", "ranker", "report")
    means = scores.mean()
    _, _, hubs = np.linalg.svd((means - scores).to_numpy())  # the report's mean minus the score; higher is better
    return {
        "hardest": str(means.idxmax()),
        "easiest": str(means.idxmin()),
        "most discriminating": str(scores.columns[int(np.argmax(hubs[0] * np.sign(hubs[0].sum())))]),
    }
