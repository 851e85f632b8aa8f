"""Keywords and remarks that are added to a paper in exports for reference managers."""

from presort.data.records import ExportedPaper, Label

WORDS: dict[Label, str] = {"yes": "relevant", "no": "not relevant", "maybe": "maybe relevant", "undecided": "undecided"}


def keywords(row: ExportedPaper) -> tuple[str, ...]:
    """Return a paper's classification codes, followed by its tags, except tags that are also codes."""
    return (*row.paper.codes, *(tag for tag in row.tags if tag not in row.paper.codes))


def remarks(row: ExportedPaper) -> tuple[str, ...]:
    """Return a line with the paper's place and decision and, if the editor wrote a note, a second line with the note.

    Examples
    --------
    >>> from datetime import date
    >>> from presort.data.records import Paper
    >>> remarks(ExportedPaper(Paper("p1", "Wages"), "lab", date(2026, 11, 16), 3, 0.5, "yes", note="Fine."))
    ('lab 2026-11-16, place 3, score 0.500: relevant, not published', 'Fine.')
    """
    score = "" if row.score is None else f", score {row.score:.3f}"
    published = "published" if row.published else "not published"
    placing = f"{row.report} {row.issue}, place {row.place}{score}: {WORDS[row.label]}, {published}"
    return (placing, one_line(row.note)) if row.note else (placing,)


def one_line(text: str) -> str:
    """Remove line breaks from a value, because other programs could read one of its lines as a field."""
    return " ".join(text.split())
