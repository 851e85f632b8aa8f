"""Read the training data of rankers: issues up to a date, their papers, and the decisions of all reports."""

import dataclasses
import datetime
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, func, select, tuple_

from presort.data.learning.issue_lists import IssueLists, plain_rows, read_issue_lists
from presort.data.learning.tokens import read_tokens
from presort.data.learning.training_labels import read_training_labels
from presort.data.learning.vectors import read_seed_vectors, read_vectors
from presort.data.records import About, Cutoff, HintKind, Hints, History, NamedPapers, Paper
from presort.data.store import Store
from presort.data.tables import (
    PAPER_COLUMNS,
    DecisionRow,
    HintRow,
    IssueRow,
    ListingRow,
    PaperRow,
    ReportRow,
    paper_of,
)

FIRST_DAY = datetime.date.min


def current_labels(report: int, issue: int, about: About = "relevant") -> Select[int, int, str]:
    """Return a query for the list position, paper id and label of each current decision on a report issue.

    The rows are in list order.
    """
    newest = (
        select(func.max(DecisionRow.id))
        .where(DecisionRow.about == about, DecisionRow.report_id == report, DecisionRow.issue_id == issue)
        .group_by(DecisionRow.paper_id)
    )
    return (
        select(ListingRow.position, DecisionRow.paper_id, DecisionRow.label)
        .join(ListingRow, (ListingRow.issue_id == issue) & (ListingRow.paper_id == DecisionRow.paper_id))
        .where(DecisionRow.id.in_(newest))
        .order_by(ListingRow.position)
    )


def n_listed(issue: int) -> Select[int]:
    """Return a query for the number of papers in an issue."""
    return select(func.count()).where(ListingRow.issue_id == issue)


def read_hints(connection: Connection, up_to: int | None = None) -> dict[str, Hints]:
    """Read the current hints by report code. For each text, only the newest log entry counts.

    With `up_to`, entries with a higher log number are ignored.
    """
    chosen = select(func.max(HintRow.id).label("newest"), func.min(HintRow.id).label("first"))
    if up_to is not None:
        chosen = chosen.where(HintRow.id <= up_to)
    counted = chosen.group_by(HintRow.report_id, HintRow.text).subquery()
    rows = connection.execute(
        select(ReportRow.code, HintRow.id, HintRow.kind, HintRow.text)
        .join(counted, counted.c.newest == HintRow.id)
        .join(ReportRow, ReportRow.id == HintRow.report_id)
        .order_by(ReportRow.code, counted.c.first)
    )
    return {code: _as_hints(list(of_report)) for code, of_report in groupby(rows, key=lambda row: row.code)}


def read_newest_example(connection: Connection, up_to: int | None = None) -> int:
    """Read the log number of the latest change to any report's examples. Returns 0 if there are no changes.

    With `up_to`, entries with a higher log number are ignored.
    """
    of_report = tuple_(HintRow.report_id, HintRow.text)
    given = select(HintRow.report_id, HintRow.text).where(HintRow.kind == "seed")
    query = select(func.max(HintRow.id)).where(of_report.in_(given))
    return connection.execute(query if up_to is None else query.where(HintRow.id <= up_to)).scalar() or 0


def read_history(
    store: Store,
    through: datetime.date,
    *,
    tokens: str | None = None,
    texts_from: datetime.date = FIRST_DAY,
    has_vectors: bool = False,
    cutoff: Cutoff | None = None,
) -> History:
    """Read all issues up to and including `through`, with the decisions of all reports.

    `History.maybe` contains the rows that are not training examples. In a published report issue, these are papers that
    were marked maybe, not read because reading stopped early, or added to the issue later. In an unpublished report
    issue with relevant papers, they are the papers without a decision and the papers marked maybe.

    Parameters
    ----------
    store : Store
    through : date
        Date of the last issue.
    tokens : str, optional
        Version of the tokeniser whose stored tokens are read. If any paper lacks tokens, no tokens are read. See
        `presort.data.learning.tokens.keep_tokens`. By default, no tokens are read.
    texts_from : date
        If tokens are read, papers in issues before this date get ids but no texts. Texts make up most of a workspace,
        and rankers don't need them if there are tokens.
    has_vectors : bool
        Also read the sentence vectors, if there is a sentence model.
    cutoff : Cutoff, optional
        Decisions, publications and examples after the cutoff are ignored.
    """
    with store.reading() as connection:
        history = _read_history(connection, through, tokens, texts_from, cutoff)
        vectors = read_vectors(connection, through) if has_vectors else None
        if vectors is None:
            return history
        of_seeds = read_seed_vectors(connection, history.seeds, vectors.numbers.shape[1])
        return dataclasses.replace(history, vectors=vectors, seed_vectors=of_seeds)


def _read_history(
    connection: Connection,
    through: datetime.date,
    version: str | None,
    texts_from: datetime.date,
    cutoff: Cutoff | None,
) -> History:
    listed = read_issue_lists(connection, through)
    relevant, maybe = read_training_labels(connection, listed, cutoff)
    hints = read_hints(connection, None if cutoff is None else cutoff.hints_up_to)
    tokens = None if version is None else read_tokens(connection, listed.papers, version)
    return History(
        issues=tuple(listed.days),
        starts=listed.starts,
        papers=_read_papers(connection, listed, FIRST_DAY if tokens is None else texts_from),
        relevant=relevant,
        maybe=maybe,
        tokens=tokens,
        seeds={code: _as_papers(given.seeds) for code, given in hints.items() if given.seeds},
    )


def _read_papers(connection: Connection, listed: IssueLists, texts_from: datetime.date) -> NamedPapers:
    n_issues = bisect_left(listed.days, texts_from)
    names = _read_paper_ids(connection)[listed.papers[: listed.starts[n_issues]]].tolist() if n_issues else []
    if n_issues == len(listed.days):
        return NamedPapers(names, [])
    whole = (
        select(*PAPER_COLUMNS)
        .join(ListingRow, ListingRow.paper_id == PaperRow.id)
        .join(IssueRow, IssueRow.id == ListingRow.issue_id)
        .where(IssueRow.date.between(listed.days[n_issues], listed.days[-1]))
        .order_by(IssueRow.date, ListingRow.position)
    )
    return NamedPapers(names, [paper_of(row) for row in connection.execute(whole)])


def _read_paper_ids(connection: Connection) -> NDArray[np.object_]:
    """Read the ids of all papers into an array indexed by paper number."""
    # The query has no ORDER BY, so that the database can read the ids from an index and skip the papers' texts.
    rows = list(plain_rows(connection, select(PaperRow.id, PaperRow.paper_id)))
    numbers = np.fromiter((number for number, _ in rows), np.intp, len(rows))
    ids = np.empty(int(numbers.max(initial=-1)) + 1, dtype=object)
    ids[numbers] = [paper for _, paper in rows]
    return ids


def _as_hints(rows: Sequence[Row[str, int, str, str]]) -> Hints:
    def texts(wanted: HintKind) -> tuple[str, ...]:
        return tuple(text for _, _, kind, text in rows if kind == wanted)

    newest = max(number for _, number, _, _ in rows)
    return Hints(muted=texts("mute"), boosted=texts("boost"), seeds=texts("seed"), up_to=newest)


def _as_papers(seeds: Sequence[str]) -> tuple[Paper, ...]:
    """Convert example texts to papers. The first line becomes the title, and the other lines become the abstract."""
    parts = [seed.partition("\n") for seed in seeds]
    return tuple(Paper(f"seed {number}", title, rest.strip()) for number, (title, _, rest) in enumerate(parts, start=1))
