"""What the line at the top of an editor's page says."""

from datetime import date

NO_ISSUE = "No issue yet. Import one with `presort import FILE`, then sort it with `presort rank`."
NO_REPORT = "No report yet. Import past selections, or add a report with `presort reports add CODE NAME`."
ISSUE = "Issue"
RANKER = "Ranker"
ISSUED = "issued"
TO_REVIEW = "to review"
NOTHING_ISSUED = "nothing issued"
SORTED_AGAIN = "This issue was sorted again since you opened it."
SHOW_NEW = "Show the new order"


def issue_named(day: date, n_papers: int, standing: str) -> str:
    """Name an issue in the list of issues.

    Examples
    --------
    >>> issue_named(date(2026, 11, 16), 612, TO_REVIEW)
    '2026-11-16 · 612 papers · to review'
    """
    return f"{day} · {n_papers} papers · {standing}"
