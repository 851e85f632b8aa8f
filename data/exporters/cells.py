"""Columns of an exported list. All table formats have the same columns."""

from presort.data.records import ExportedPaper

COLUMNS = (
    *("report", "issue", "place", "score", "relevant", "published"),
    *("paper_id", "title", "authors", "abstract", "codes", "series", "date"),
    *("doi", "url", "type", "tags", "note"),
)


def cells(row: ExportedPaper) -> tuple[object, ...]:
    """Return a paper's cells in the order of `COLUMNS`. A cell with several values is a tuple."""
    paper = row.paper
    return (
        *(row.report, row.issue, row.place, row.score, row.label, row.published),
        *(paper.paper_id, paper.title, paper.authors, paper.abstract, paper.codes, paper.series, paper.date),
        *(paper.doi, paper.url, paper.type, row.tags, row.note),
    )
