"""Claim: a longer log doesn't slow down queries of current decisions, because these are stored separately.

Run as ``python -m benchmarks.decisions [--reports 100] [--issues 83 830] [--papers 200]``. For each number of issues,
creates a workspace in which every report has published every issue but the last. Each report issue has decisions on 24
papers. Six of these papers have two decisions, and the relevant papers are also logged as published. Then runs the
queries that pages need in a week, and the queries that read the whole log.
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import func, insert, select, text

from benchmarks.workspaces import begin, print_time
from presort.data import catalogue
from presort.data.editing import decisions, log, work
from presort.data.editing.pending import pending
from presort.data.learning.history import read_history
from presort.data.store import Store, open_store
from presort.data.tables import DecisionRow, ReportIssueRow
from presort.data.tables.current_decisions import update_current_decisions

DECIDED, TWICE, RELEVANT = 24, 6, 9  # papers per report issue: with a decision, with two decisions, and relevant


def make(store: Store, n_reports: int, n_issues: int, n_papers: int) -> str:
    """Fill a workspace, and return the number of decisions in it."""
    days = begin(store, n_reports, n_issues, n_papers)
    rng = np.random.default_rng(1)
    with store.writing() as connection:
        for issue, day in enumerate(days, start=1):
            for report in range(1, n_reports + 1):
                rows = make_decisions(report, issue, day, n_papers, rng)
                is_last = issue == n_issues
                connection.execute(insert(DecisionRow), [*rows][: DECIDED // 2 if is_last else None])
                if not is_last:
                    connection.execute(insert(ReportIssueRow), [published_issue(report, issue, day, n_papers)])
        print_time("current decisions stored", partial(update_current_decisions, connection))
    with store.reading() as connection:
        connection.execute(text("ANALYZE"))
        return f"{connection.execute(select(func.count(DecisionRow.id))).scalar_one():,} decisions"


def make_decisions(
    report: int, issue: int, day: date, n_papers: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    """Yield a report's decisions on an issue."""
    papers = rng.choice(n_papers, DECIDED, replace=False) + 1 + (issue - 1) * n_papers
    made_at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    base = {"report_id": report, "issue_id": issue, "person_id": 1, "made_at": made_at, "source": "desk"}
    words = ["no"] * TWICE + ["yes"] * RELEVANT + ["no"] * (DECIDED - RELEVANT)
    for paper, word in zip([*papers[:TWICE], *papers], words, strict=True):
        yield base | {"paper_id": int(paper), "about": "relevant", "label": word}
    for paper in papers[:RELEVANT]:
        yield base | {"paper_id": int(paper), "about": "publish", "label": "yes"}


def published_issue(report: int, issue: int, day: date, n_papers: int) -> dict[str, Any]:
    """Return the database row for a published report issue."""
    published_at = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    ids = {"report_id": report, "issue_id": issue, "person_id": 1}
    return ids | {"published_at": published_at, "published": b"", "source": "desk", "n_papers": n_papers}


def measure(store: Store) -> None:
    """Run the queries that pages and commands use."""
    codes = [report.code for report in catalogue.reports(store)]
    last = catalogue.issues(store)[-1].date
    for _ in range(2):  # the second run reads nothing from the disk
        print_time("decisions on an issue", lambda: len(decisions.labels(store, codes[0], last)))
        print_time("relevant papers of one report", lambda: decisions.n_relevant(store, codes[:1]))
        print_time("pending issues", lambda: len(pending(store, codes, today=last)))
        print_time("newest published issues", lambda: len(log.published_issues(store, codes, 50)))
        print_time("relevant papers of all reports", lambda: sum(decisions.n_relevant(store).values()))
        print_time("last relevant positions of all lists", lambda: len(work.last_in_list(store, date.min)))
        print_time("newest decisions before 52 issues", lambda: len(newest(store)))
        print_time("history", partial(n_relevant_in_history, store, last))


def newest(store: Store) -> dict[date, dict[str, int]]:
    """Run the log queries that a one-year replay needs."""
    return decisions.newest_decisions_before(store, [issue.date for issue in catalogue.issues(store)][-52:])


def n_relevant_in_history(store: Store, last: date) -> int:
    """Read the rankers' training data, and count the relevant papers in it."""
    return sum(map(len, read_history(store, last).relevant.values()))


def main() -> None:
    """Create the workspaces and run the queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=100)
    parser.add_argument("--issues", type=int, nargs="+", default=[83, 830])
    parser.add_argument("--papers", type=int, default=200, help="papers per issue")
    options = parser.parse_args()
    for n_issues in options.issues:
        with tempfile.TemporaryDirectory() as folder, closing(open_store(Path(folder) / "workspace")) as store:
            print_time(f"{n_issues} issues created", partial(make, store, options.reports, n_issues, options.papers))
            measure(store)


if __name__ == "__main__":
    main()
