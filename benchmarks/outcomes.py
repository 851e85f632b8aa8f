"""Claim: with 83,000 published report issues, each ranked by four rankers, pages take under 4 s after a publication.

Run as ``python -m benchmarks.outcomes [--reports 100] [--issues 830] [--papers 200] [--folder FOLDER]``. Creates a
workspace of this size. Each report issue has random rankings by four rankers, with 1 to 39 relevant papers, most of
them near the top. There are no decisions, because only *Natural order* would show them. Then draws the pages that show
scores, without a browser: with empty caches, with filled caches, and after one publication.
"""

import argparse
import logging
import os
import tempfile
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, insert, text, update
from streamlit.testing.v1 import AppTest

from benchmarks.workspaces import begin, print_time
from presort.data import catalogue
from presort.data.catalogue import next_revision
from presort.data.learning import outcomes
from presort.data.store import Store, open_store
from presort.data.tables import OutcomeRow, RankingRow, ReportIssueRow
from presort.data.tables.positions import SCORE, pack
from presort.desk.scores import natural_order, table
from presort.desk.ui.state_cache import TablesByReport

RANKERS = ("presort-1", "presort-2", "krichel-2007", "arxiv-sanity")
RELEVANT = (1, 40)  # range of the number of relevant papers in a report issue, excluding the upper limit
PAGES = (
    "presort.desk.overview",
    "presort.desk.report",
    "presort.desk.compare",
    "presort.desk.systems_topics",
    "presort.desk.measures",
)
GUARDS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('ranking', 'outcome')"


def make(store: Store, n_reports: int, n_issues: int, n_papers: int) -> None:
    """Fill a workspace."""
    days = begin(store, n_reports, n_issues, n_papers)
    rng = np.random.default_rng(1)
    with store.writing() as connection:
        # Drop the triggers while filling the workspace, because they would read the issue for each ranking.
        guards = connection.execute(text(GUARDS)).all()
        for name, _ in guards:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        for issue, day in enumerate(days, start=1):
            for report in range(1, n_reports + 1):
                add(connection, report, issue, day, n_papers, rng)
        for _, sql in guards:
            connection.exec_driver_sql(sql)


def add(connection: Connection, report: int, issue: int, day: date, n_papers: int, rng: np.random.Generator) -> None:
    """Add four rankings of a report issue, and their outcomes."""
    made_at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    first = ((issue - 1) * 10_000 + report) * len(RANKERS)
    rankings, found = [], []
    n_relevant, likely = rng.integers(*RELEVANT), 0.95 ** np.arange(n_papers)
    likely /= likely.sum()
    for number, ranker in enumerate(RANKERS, start=first):
        places = np.sort(rng.choice(n_papers, n_relevant, replace=False, p=likely))
        order = np.insert(  # the relevant papers are the first of the issue
            rng.permutation(np.arange(n_relevant, n_papers)) + 1,
            places - np.arange(n_relevant),
            rng.permutation(n_relevant) + 1,
        )
        rankings.append(
            {
                "id": number,
                "report_id": report,
                "issue_id": issue,
                "ranker": ranker,
                "trained_before": day,
                "decisions_up_to": 0,
                "n_relevant": 9,
                "made_at": made_at,
                "positions": pack(order.tolist()),
                "scores": np.sort(rng.normal(size=n_papers))[::-1].astype(SCORE).tobytes(),
                "words": (),
            }
        )
        found.append(
            {"ranking_id": number, "n_papers": n_papers, "places": pack((places + 1).tolist()), "scored_at": made_at}
        )
    connection.execute(insert(RankingRow), rankings)
    connection.execute(insert(OutcomeRow), found)
    published_issue = {
        "report_id": report,
        "issue_id": issue,
        "ranking_id": first,
        "person_id": 1,
        "published_at": made_at + timedelta(days=1),
        "published": b"",
        "source": "desk",
        "n_papers": n_papers,
    }
    connection.execute(insert(ReportIssueRow), [published_issue])


def publish(store: Store, n_issues: int) -> None:
    """Give one report issue's outcomes a new revision, as if the issue had just been published."""
    number = (n_issues - 1) * 10_000 * len(RANKERS) + len(RANKERS)
    with store.writing() as connection:
        made = update(OutcomeRow).where(OutcomeRow.ranking_id == number).values(revision=next_revision(connection))
        if connection.execute(made).rowcount != 1:
            raise LookupError(f"ranking {number}")


def visit(page: str) -> str:
    """Draw a page as a director sees it."""
    drawn = AppTest.from_string(f"from {page} import page\npage.show()", default_timeout=600).run()
    if drawn.exception or drawn.error:
        raise RuntimeError(f"{page}: {drawn.exception or drawn.error}")
    return f"{len(drawn.main.children)} elements"


def measure(store: Store, n_issues: int) -> None:
    """Print the times for each page, and for reading and scoring outcomes."""
    os.environ["PRESORT_WORKSPACE"] = str(store.folder)
    logging.disable(logging.WARNING)  # hides Streamlit's warning about a page without a browser
    for page in PAGES:
        print_time(f"{page}, empty caches", partial(visit, page))
        print_time(f"{page}, filled caches", partial(visit, page))
        publish(store, n_issues)
        print_time(f"{page}, after a publication", partial(visit, page))
    print_time("outcomes read", lambda: f"{len(outcomes.scored_rankings(store)):,}")
    print_time("table of scores, recomputed", lambda: f"{len(table.scores(store)):,}")
    measure_natural_order(store, n_issues)


def measure_natural_order(store: Store, n_issues: int) -> None:
    """Print the computing time of *Natural order*, without the time to read decisions."""
    by_report = TablesByReport()

    def judge() -> str:
        states = dict(sorted(outcomes.outcomes_states(store, date.max).items()))
        scores, _ = by_report.tables(states, lambda report: table.scores_and_not_evaluable(store, report=report))
        return f"{len(natural_order.judge(scores).pairs):,} pairs"

    print_time("natural order, empty caches", judge)
    publish(store, n_issues)
    print_time("natural order, after a publication", judge)


def main() -> None:
    """Print the time of each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=100)
    parser.add_argument("--issues", type=int, default=830)
    parser.add_argument("--papers", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="folder to store the workspace in, or of an existing one")
    options = parser.parse_args()
    with ExitStack() as kept:
        folder = options.folder or Path(kept.enter_context(tempfile.TemporaryDirectory()))
        store = open_store(folder)
        if not catalogue.issues(store):
            print_time("workspace created", lambda: make(store, options.reports, options.issues, options.papers))
        measure(store, options.issues)
        store.close()


if __name__ == "__main__":
    main()
