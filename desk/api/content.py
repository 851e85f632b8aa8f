"""Content of the API's responses, as values that can be converted to JSON.

The API returns only data that is public elsewhere or shown on *My report*. It doesn't return unpublished report issues,
private notes, decisions or readers. The only user names that it returns are those of the editors whom readers see.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date
from typing import Any, NamedTuple

import pandas as pd

from presort.data import catalogue
from presort.data.editing.log import published_issues
from presort.data.editing.publications import publication_log
from presort.data.records import Paper, Report
from presort.data.running import people
from presort.data.store import Store
from presort.desk.api.parameters import Query, bad_request, cursor_of
from presort.desk.links import links_of
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import MEASURED
from presort.desk.session.publication import published_papers
from presort.desk.settings.api import report_issue_url

Item = dict[str, Any]


class Page(NamedTuple):
    """Items on a page, and the cursor of the next page. The cursor is None on the last page."""

    items: list[Item]
    cursor: str | None


def issues(store: Store, query: Query) -> Page:
    """Return the issues, newest first."""
    after = query.cursor_day or date.max
    found = [one for one in reversed(catalogue.issues(store)) if query.first <= one.date <= query.last]
    rest = [one for one in found if one.date < after or not query.cursor]
    shown = [(str(one.date), {"date": str(one.date), "n_papers": one.n_papers}) for one in rest]
    return _page(shown, query)


def reports(store: Store, query: Query) -> Page:
    """Return the reports, sorted by code."""
    found = sorted(_reports(store), key=lambda one: one.code)
    return _page([(one.code, _report(one)) for one in found if one.code > query.cursor], query)


def report_issues(store: Store, query: Query) -> Page:
    """Return the published report issues, sorted by issue, newest first, and then by report code."""
    found = published_issues(
        store,
        _codes(store, query),
        query.limit + 1,
        first_day=query.first,
        last_day=query.last,
        after=query.cursor_report_issue,
    )
    shown = [
        (
            cursor_of(one.issue, one.report),
            {
                "report": one.report,
                "issue": str(one.issue),
                "published_at": one.published_at.astimezone(UTC).isoformat(timespec="seconds"),
                "n_papers": one.n_published,
                "url": report_issue_url(one.report, one.issue),
            },
        )
        for one in found
    ]
    return _page(shown, query)


def report_issue(store: Store, code: str, issue: date) -> Item | None:
    """Return a published report issue with its papers in published order, or None if the issue is not published."""
    report = next((one for one in _reports(store) if one.code == code), None)
    if report is None or all(one.date != issue for one in catalogue.issues(store)):
        return None
    last = publication_log(store, code, issue)[-1:]
    if not last or last[0].reopened is not None:
        return None
    papers = published_papers(store, last[0].report_issue, catalogue.papers(store, issue))
    affiliations = people.affiliations(store)
    editors = people.editors_for_readers(people.editorships(store), last[0].report_issue)
    return {
        "report": code,
        "name": report.name,
        "issue": str(issue),
        "published_at": last[0].made_at.astimezone(UTC).isoformat(timespec="seconds"),
        "n_papers": len(papers),
        "url": report_issue_url(code, issue),
        "editors": [{"name": name, "affiliation": affiliations.get(name, "")} for name in editors],
        "note": last[0].report_issue.note,
        "papers": [_paper(paper) for paper in papers],
    }


def quality(store: Store, query: Query, scores: pd.DataFrame) -> Page:
    """Return the measures of each report issue's official ranking, in the order of `report_issues`.

    The official ranking is the one shown to the editor, or else the active ranker's.

    Parameters
    ----------
    scores : DataFrame
        Result of `presort.desk.scores.table.scores`. Contains only published report issues.
    """
    table = rows_of(store, scores[scores["report"].isin(_codes(store, query))], SORTED)
    table = table[table["issue"].dt.date.between(query.first, query.last)]
    if query.cursor_report_issue is not None:
        day, code = query.cursor_report_issue
        is_same_day = table["issue"].dt.date == day
        table = table[(table["issue"].dt.date < day) | (is_same_day & (table["report"] > code))]
    table = table.sort_values(["issue", "report"], ascending=[False, True]).head(query.limit + 1)
    rows = [(row, row["issue"].date()) for row in table.to_dict("records")]
    return _page([(cursor_of(day, row["report"]), _quality(row, day)) for row, day in rows], query)


def _reports(store: Store) -> list[Report]:
    return catalogue.reports(store, retired=True)


def _codes(store: Store, query: Query) -> list[str]:
    """Return the codes of the requested reports: the query's report, or all reports if the query names none."""
    codes = [one.code for one in _reports(store)]
    if query.report and query.report not in codes:
        raise bad_request(f"There is no report {query.report!r}.")
    return [query.report] if query.report else codes


def _page(found: Sequence[tuple[str, Item]], query: Query) -> Page:
    """Return the first page of a list, given as pairs (cursor, item)."""
    shown = found[: query.limit]
    return Page([item for _, item in shown], shown[-1][0] if len(found) > query.limit else None)


def _report(report: Report) -> Item:
    return {"code": report.code, "name": report.name, "is_retired": report.is_retired}


def _paper(paper: Paper) -> Item:
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "authors": list(paper.authors),
        "abstract": paper.abstract,
        "codes": list(paper.codes),
        "series": paper.series,
        "date": paper.date,
        "type": paper.type,
        "doi": paper.doi,
        "links": links_of(paper),
    }


def _quality(row: Mapping[Any, Any], issue: date) -> Item:
    return {
        "report": row["report"],
        "issue": str(issue),
        "ranker": row["ranker"],
        "was_shown": bool(row["was_shown"]),
        "n_papers": int(row["n_papers"]),
        "n_relevant": int(row["n_relevant"]),
        "measures": {name: _number(row[name]) for name in MEASURED},
    }


def _number(value: float) -> float | None:
    """Return a measure's value, or None if the value is not defined, because JSON has no NaN."""
    return float(value) if math.isfinite(value) else None
