"""Rows and file names for exports of the filtered review list and of published report issues."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from presort.data import catalogue
from presort.data.editing import decisions, drafts, publications, read_papers
from presort.data.editing.notes import paper_notes
from presort.data.errors import RefusedError
from presort.data.records import ExportedPaper, Order, PaperNotes
from presort.data.store import Store
from presort.desk.components import mathml
from presort.desk.components.messages import Filter
from presort.desk.service.rankers import review_ranking
from presort.desk.session.progress import ReviewContext, current_order
from presort.desk.session.publication import published_papers

PART = re.compile(r'["“„]([^"“”„]*)["“”]?|[^\s"“”„]+')  # a quoted phrase or a word in a query
QUOTE = re.compile('["“”„]')
ORDERS: Mapping[str, str] = {"presort": "presorted", "list": "in list order"}
FILTERS: Mapping[str, str] = {  # labels of the review list's filters
    "all": "all",
    "undecided": "undecided",
    "yes": "relevant",
    "maybe": "maybe",
    "no": "no",
    "drawn": "drawn",
}
NOT_SAFE = re.compile(r"[^A-Za-z0-9.]+")  # characters that an operating system may forbid in file names


@dataclass(frozen=True, slots=True)
class ListView:
    """Order and filters of the review list.

    Attributes
    ----------
    order : str
        "presort" or "list".
    filter : str
        "all", the label of a decision, or "drawn" for papers drawn for a spot check.
    query : str
        Search query that consists of words and quoted phrases. A paper matches if all of them occur in its title,
        authors, abstract, id or tags. Case is ignored. A query without quotation marks is treated as one phrase if any
        paper contains it.
    tag : str
        Only papers with this tag are shown. If empty, papers are not filtered by tag.
    """

    order: Order = "presort"
    filter: Filter = "all"
    query: str = ""
    tag: str = ""


def exported_papers(store: Store, context: ReviewContext, shown: ListView) -> list[ExportedPaper]:
    """Return a review list's filtered papers with their current data, in the order of the list.

    `place` is the paper's position in the unfiltered list. In list order, papers have no score. `published` is
    True for papers that are published or selected for publication.
    """
    drawn = _drawn_ids(store, context) if shown.filter == "drawn" else set()
    rows = list(_rows(store, context, shown.order))
    found = _match_rows(shown.query, rows)
    return [
        row
        for row, is_found in zip(rows, found, strict=True)
        if is_found
        and (row.paper.paper_id in drawn if shown.filter == "drawn" else shown.filter in ("all", row.label))
        and shown.tag in ("", *row.tags)
    ]


def title_of(store: Store, report: str, issue: date) -> str:
    """Return the title of a report issue, which consists of the report's name and the date."""
    (name,) = (known.name for known in catalogue.reports(store, retired=True) if known.code == report)
    return f"{name}, {issue}"


def view_text(shown: ListView) -> str:
    """Describe the order and filters of the list.

    Examples
    --------
    >>> view_text(ListView(filter="yes", query=" minimum  wage"))
    "Current list: relevant papers with 'minimum wage', presorted."
    >>> view_text(ListView(order="list"))
    'Current list: all papers, in list order.'
    >>> view_text(ListView(tag="data"))
    "Current list: all papers tagged 'data', presorted."
    """
    papers = {"drawn": "papers drawn at random", "no": "papers that are not relevant"}
    named = papers.get(shown.filter, f"{FILTERS[shown.filter]} papers")
    searched = f" with '{' '.join(shown.query.split())}'" if shown.query.strip() else ""
    tagged = f" tagged '{shown.tag}'" if shown.tag else ""
    return f"Current list: {named}{tagged}{searched}, {ORDERS[shown.order]}."


def file_name(report: str, issue: date, shown: ListView, ending: str) -> str:
    """Return a file name that describes the export and is valid on any system.

    Examples
    --------
    >>> file_name("lab", date(2026, 11, 16), ListView(filter="yes"), "ris")
    'lab-2026-11-16-relevant.ris'
    >>> file_name("../a b", date(2026, 11, 16), ListView(query="wage"), "csv")
    'a-b-2026-11-16-all-found.csv'
    """
    safe = NOT_SAFE.sub("-", report).strip("-.") or "report"
    found = "-found" if shown.query.strip() or shown.tag else ""
    return f"{safe}-{issue}-{FILTERS[shown.filter]}{found}.{ending}"


def published_issue(store: Store, report: str, issue: date) -> tuple[list[ExportedPaper], str]:
    """Return a published report issue's papers in publication order, and its note to readers.

    The publication order of an imported selection is unknown, so its papers are returned in list order.

    Raises
    ------
    RefusedError
        If the report issue is not published, or the report or issue doesn't exist.
    """
    rows, report_issue = whole_issue(store, report, issue), publications.published(store, report).get(issue)
    if report_issue is None:
        raise RefusedError(f"{report} {issue} is not published. Use --all to export the whole issue.")
    papers, by_id = catalogue.papers(store, issue)[: report_issue.n_papers], {row.paper.paper_id: row for row in rows}
    return [by_id[paper.paper_id] for paper in published_papers(store, report_issue, papers)], report_issue.note


def whole_issue(store: Store, report: str, issue: date) -> list[ExportedPaper]:
    """Return all papers of an issue in the order of the report's review list.

    If the report issue is published, returns the list as the editor saw it, without papers that were added later.

    Raises
    ------
    RefusedError
        If the report or issue doesn't exist.
    """
    papers, report_issue = catalogue.papers(store, issue), publications.published(store, report).get(issue)
    shown = None if report_issue is not None and report_issue.source == "file" else review_ranking(store, report, issue)
    if report_issue is not None:
        papers = papers[: report_issue.n_papers]
    order = current_order(store, shown, len(papers))
    context = ReviewContext(report, issue, papers, shown, order, None, report_issue is not None)
    return exported_papers(store, context, ListView())


def _rows(store: Store, context: ReviewContext, order: Order) -> Iterator[ExportedPaper]:
    report, issue = context.report, context.issue
    label_of, notes_of = decisions.labels(store, report, issue), paper_notes(store, report, issue)
    to_publish = set(drafts.to_publish(store, report, issue, context.order.tolist()))
    is_presorted = order == "presort"
    scores = context.score_of() if is_presorted else {}
    positions = context.order.tolist() if is_presorted else range(1, len(context.papers) + 1)
    for place, position in enumerate(positions, start=1):
        paper = context.papers[position - 1]
        label, notes = label_of.get(paper.paper_id, "undecided"), notes_of.get(paper.paper_id, PaperNotes())
        values = (place, scores.get(position), label, position in to_publish)
        yield ExportedPaper(paper, report, issue, *values, notes.tags, notes.note)


def _drawn_ids(store: Store, context: ReviewContext) -> set[str]:
    """Return the ids of the papers drawn for spot checks."""
    drawn = read_papers.draws(store, context.report, context.issue)
    return {context.papers[position - 1].paper_id for one in drawn for position in one.positions}


def _match_rows(query: str, rows: Sequence[ExportedPaper]) -> list[bool]:
    """Return one boolean per paper, which is True if the paper matches the query.

    A query of several words is treated as one phrase if any paper contains that phrase, and otherwise as separate
    words. The browser follows the same rules (`partsOf` in list.js).
    """
    parts = _parts(query)
    if not parts:
        return [True] * len(rows)
    texts = [_searchable_text(row) for row in rows]
    phrase = " ".join(parts)
    if len(parts) > 1 and not QUOTE.search(query) and any(phrase in text for text in texts):
        parts = [phrase]
    return [all(part in text for part in parts) for text in texts]


def _parts(query: str) -> list[str]:
    """Return the words and quoted phrases in a query in lower case, like `partsOfQuery` in list.js."""
    found = (match[1] if match[1] is not None else match[0] for match in PART.finditer(query.lower()))
    return [part for text in found if (part := " ".join(text.split()))]


def _searchable_text(row: ExportedPaper) -> str:
    """Return a paper's searchable text in lower case, like `searched` in row.js."""
    paper = row.paper
    as_seen = [mathml.replace_formulas(text) for text in (paper.title, paper.abstract)]
    texts = [paper.title, *paper.authors, paper.abstract, *as_seen, paper.paper_id, *row.tags]
    return "\n".join(" ".join(text.split()) for text in texts).lower()
