"""Derive each report's training labels from its decisions: the relevant papers and the papers without a label."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, case, func, select, true

from presort.data.learning.first_publications import cutoff_condition
from presort.data.learning.issue_lists import IssueLists, plain_columns, plain_rows
from presort.data.records import Cutoff, Positions, Rows
from presort.data.tables import (
    CurrentDecisionsRow,
    DecisionRow,
    FirstPublicationRow,
    IssueRow,
    ListingRow,
    RankingRow,
    ReopenedIssueRow,
    ReportIssueRow,
    ReportRow,
)
from presort.data.tables.current_decisions import current_decisions
from presort.data.tables.positions import POSITION, count_positions, unpack

YES, MAYBE, NO = range(3)
ALL_PAPERS = 2**31 - 1  # `n_papers` of imported report issues, so large that no paper counts as added later


class _PublishedIssues(NamedTuple):
    """Publication state of report issues, as arrays with one element per report issue.

    Attributes
    ----------
    pairs : array of shape (n_pairs,)
        Report and issue as one number: the report id times the number of issues, plus the index of the issue. In
        ascending order.
    is_finished : array of shape (n_pairs,)
        True if the report issue is published.
    n_papers : array of shape (n_pairs,)
        Number of papers in the issue when it was published.
    has_unread : array of shape (n_pairs,)
        True if some of the papers were not read.
    """

    pairs: NDArray[np.int64]
    is_finished: NDArray[np.bool_]
    n_papers: NDArray[np.int64]
    has_unread: NDArray[np.bool_]

    def look_up(self, pairs: NDArray[np.int64]) -> "_PublishedIssues":
        """Look up pairs by binary search. Row 0 is a sentinel below all pairs."""
        at = np.searchsorted(self.pairs, pairs, side="right") - 1
        is_finished = self.pairs[at] == pairs
        return _PublishedIssues(pairs, is_finished, self.n_papers[at], self.has_unread[at] & is_finished)


class _Labels(NamedTuple):
    """Current labels as arrays, sorted by report and row.

    Attributes
    ----------
    pairs : array of shape (n_pairs,)
        Report issues with decisions, encoded as in `_PublishedIssues`.
    bounds : array of shape (n_pairs + 1,)
        Start of each report issue in `rows` and `labels`.
    rows : array of shape (n_labels,)
        Row of each labelled paper in `IssueLists`.
    labels : array of shape (n_labels,)
        `YES`, `MAYBE` or `NO`.
    """

    pairs: NDArray[np.int64]
    bounds: NDArray[np.intp]
    rows: Rows
    labels: NDArray[np.int64]


def read_training_labels(
    connection: Connection, listed: IssueLists, cutoff: Cutoff | None = None
) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Read the relevant papers and the papers without a label, for each report with decisions.

    Parameters
    ----------
    cutoff : Cutoff, optional
        Decisions and publications after the cutoff are ignored. Defaults to no cutoff.

    Returns
    -------
    relevant, maybe : dict from report code to array of rows
        Values for the fields `History.relevant` and `History.maybe`.
    """
    current = _read_labels(connection, listed, cutoff)
    publications = _read_publications(connection, listed, cutoff).look_up(current.pairs)
    silent = _unlabelled_rows(current, publications, listed, _read_unlabelled_positions(connection, cutoff))
    is_unsure = (current.labels == MAYBE) & np.repeat(publications.is_finished, np.diff(current.bounds))
    codes = dict(connection.execute(select(ReportRow.id, ReportRow.code)).all())
    reports, firsts = np.unique(current.pairs // max(len(listed.issues), 1), return_index=True)
    starts = dict(zip(reports.tolist(), pairwise(current.bounds[[*firsts, -1]].tolist()), strict=True))
    relevant, maybe = {}, {}
    for report in sorted(starts, key=lambda report: codes[report]):
        of_report = slice(*starts[report])
        rows = current.rows[of_report]
        relevant[codes[report]] = rows[current.labels[of_report] == YES]
        maybe[codes[report]] = np.sort(np.concatenate([rows[is_unsure[of_report]], *silent[report]]))
    return relevant, maybe


def _unlabelled_rows(
    current: _Labels, publications: _PublishedIssues, listed: IssueLists, unread: Mapping[tuple[int, int], Positions]
) -> defaultdict[int, list[Rows]]:
    """Return each report's rows that are not training examples, except papers marked maybe in published report issues.

    Most report issues have no such rows, so the loop skips them.
    """
    n = max(len(listed.issues), 1)
    has_yes = np.diff(np.append(0, (current.labels == YES).cumsum())[current.bounds]) > 0
    has_more = publications.n_papers < np.diff(listed.starts)[current.pairs % n]
    found: defaultdict[int, list[Rows]] = defaultdict(list)
    for number in np.flatnonzero(
        np.where(publications.is_finished, publications.has_unread | has_more, has_yes)
    ).tolist():
        report, issue = divmod(int(current.pairs[number]), n)
        of_pair = slice(*current.bounds[number : number + 2])
        rows, labels = current.rows[of_pair], current.labels[of_pair]
        start, end = listed.starts[issue : issue + 2]
        if not publications.is_finished[number]:
            found[report].append(np.setdiff1d(np.arange(start, end), rows[labels != MAYBE]))
            continue
        nothing = [np.arange(start + publications.n_papers[number], end)]  # papers that joined the issue later
        if publications.has_unread[number]:
            nothing.append(start - 1 + unread[report, int(listed.issues[issue])])
        found[report].append(np.setdiff1d(np.concatenate(nothing), rows))
    return found


def _read_labels(connection: Connection, listed: IssueLists, cutoff: Cutoff | None) -> _Labels:
    rows = (
        _read_current_labels(connection, listed) if cutoff is None else _read_labels_up_to(connection, listed, cutoff)
    )
    reports, issues, *lists = [*zip(*rows, strict=True)] or [()] * 5
    order = np.argsort(listed.issues)
    place = order[np.searchsorted(listed.issues, issues, sorter=order)].astype(np.int64)
    sizes = np.array([[len(cell) // POSITION.itemsize for cell in cells] for cells in lists], np.intp)
    pair_of = np.concatenate([np.repeat(np.arange(len(issues)), of_word) for of_word in sizes])
    rows = listed.starts[place[pair_of]] - 1 + unpack(b"".join(chain.from_iterable(lists)))
    in_list = np.lexsort((rows, pair_of))
    return _Labels(
        np.array(reports, np.int64) * max(len(order), 1) + place,
        np.append(0, sizes.sum(axis=0).cumsum()),
        rows[in_list],
        np.repeat([YES, MAYBE, NO], sizes.sum(axis=1))[in_list],
    )


def _read_current_labels(connection: Connection, listed: IssueLists) -> list[tuple[int, int, bytes, bytes, bytes]]:
    """Read the current labels of each report issue, grouped by report, oldest first."""
    current = CurrentDecisionsRow
    query = (
        select(current.report_id, current.issue_id, current.relevant, current.maybe, current.irrelevant)
        .join(IssueRow, IssueRow.id == current.issue_id)
        .where(IssueRow.date <= max(listed.days, default=date.min))
        .order_by(current.report_id, IssueRow.date)
    )
    return list(plain_rows(connection, query))


def _read_labels_up_to(
    connection: Connection, listed: IssueLists, cutoff: Cutoff
) -> list[tuple[int, int, bytes, bytes, bytes]]:
    """Read the labels up to a cutoff. If a report issue has later decisions, its labels are derived from the log."""
    current, log = CurrentDecisionsRow, DecisionRow
    of_issue = (ListingRow.issue_id == log.issue_id) & (ListingRow.paper_id == log.paper_id)
    of_current = (current.report_id == log.report_id) & (current.issue_id == log.issue_id)
    changed = current.newest > cutoff.decisions_up_to
    logged = (
        select(log.report_id, log.issue_id, log.id, ListingRow.position, log.about, log.label)
        .join(ListingRow, of_issue)
        .join(current, of_current)
        .where(changed, cutoff_condition(log, cutoff))
        .order_by(log.report_id, log.issue_id, log.id)
    )
    same = select(current.report_id, current.issue_id, current.relevant, current.maybe, current.irrelevant).where(
        ~changed
    )
    rows = [*plain_rows(connection, same), *(one[:5] for one in current_decisions(plain_rows(connection, logged)))]
    place = {issue: number for number, issue in enumerate(listed.issues.tolist())}
    return sorted((row for row in rows if row[1] in place), key=lambda row: (row[0], place[row[1]]))


def _publication_table(
    cutoff: Cutoff | None,
) -> tuple[type[ReportIssueRow] | type[FirstPublicationRow], ColumnElement[bool]]:
    """Return the table from which to read publications, and an SQL condition that selects the rows to use.

    With a cutoff, these are the first publications up to the cutoff. Later publications of the same report issues are
    ignored.
    """
    if cutoff is None:
        return ReportIssueRow, true()
    return FirstPublicationRow, cutoff_condition(FirstPublicationRow, cutoff)


def _read_publications(connection: Connection, listed: IssueLists, cutoff: Cutoff | None) -> _PublishedIssues:
    """Read the publications of the listed issues, with a sentinel in row 0."""
    out, is_known = _publication_table(cutoff)
    has_unread = case((func.length(out.unread) > 0, 1), else_=0)
    n_papers = out.n_papers if cutoff is None else case((out.source == "file", ALL_PAPERS), else_=out.n_papers)
    query = select(out.report_id, out.issue_id, n_papers, has_unread).where(is_known)
    query = query.order_by(out.report_id, out.issue_id)
    reports, issues, n_papers, some_unread = plain_columns(connection, query)
    order = np.argsort(listed.issues)
    place = np.searchsorted(listed.issues, issues, sorter=order)
    is_listed = np.isin(issues, listed.issues)
    pairs = reports[is_listed] * max(len(order), 1) + order[place[is_listed]]
    by_pair = np.argsort(pairs)
    columns = (column[is_listed][by_pair] for column in (n_papers, some_unread == 1))
    before_any = (np.insert(column, 0, 0) for column in columns)
    return _PublishedIssues(np.insert(pairs[by_pair], 0, -1), np.ones(len(pairs) + 1, dtype=bool), *before_any)


def _read_unlabelled_positions(connection: Connection, cutoff: Cutoff | None) -> dict[tuple[int, int], Positions]:
    """Read the list positions of unread papers that are not training examples, by report and issue.

    If reading stopped early, no unread paper is a training example. Otherwise, unread papers below the stop point are
    training examples labelled not relevant, because the ranking placed them there. Unread papers that are missing from
    the ranking, or that joined the issue after its first publication, are never training examples.
    """
    (out, is_known), log = _publication_table(cutoff), ReopenedIssueRow
    first = select(func.min(log.n_papers)).where(log.report_id == out.report_id, log.issue_id == out.issue_id)
    query = (
        select(out.report_id, out.issue_id, out.unread, out.ended)
        .add_columns(func.coalesce(count_positions(RankingRow.positions), 0), first.scalar_subquery())
        .outerjoin(RankingRow, RankingRow.id == out.ranking_id)
        .where(func.length(out.unread) > 0, is_known)
    )
    found = {}
    for report, issue, cell, ended, n_ranked, n_first in plain_rows(connection, query):
        unread = unpack(cell)
        n_judged = 0 if ended == "early" else min(n_ranked, n_ranked if n_first is None else n_first)
        found[report, issue] = unread[unread > n_judged]
    return found
