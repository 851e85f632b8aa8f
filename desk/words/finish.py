"""What the page Finish says, and what a report issue says around its papers."""

from desk.words.outcomes import counted_in_words, in_words

LONGEST_TITLE = 300  # characters in a line of a list; the preview has the whole of it

TITLE = "Finish"
BACK = "Back to the list"

FILTER = "1 · Filter"
FILTER_HINT = (
    "What you leave out here stays relevant, and the ranker goes on learning from it. It is only not published."
)
ALL, NONE = "Publish all", "Publish none"
NOTHING_RELEVANT = "You have marked nothing as relevant in this issue."

ORDER = "2 · Order"
PRESORTED = "As presorted"
UP, DOWN, TO_TOP = "Up", "Down", "To top"
NO_ORDER = "Nothing goes out, so there is nothing to put in order."
ONE_ORDERED = "One paper goes out, so there is nothing to put in order."

NOTES = "3 · Notes"
NOTE = "To the readers: it stands above the titles"
PRIVATE_NOTE = "Private: only the editors of this report see it"

PREVIEW = "Preview"
DRAFT = "DRAFT"
DRAFT_LINE = "DRAFT · not sent to readers"
DOWNLOAD = "Download as text"
AS_IT_WENT_OUT = "As it went out"
NOTHING_CHOSEN = "Nothing in this issue fits this report."
NO_AUTHOR = "no author given"

ISSUE = "Issue report"
EMPTY = "Nothing goes out. That is fine: readers lose more by a paper that only nearly fits than by an empty week."
CHANGED = "What goes out was changed in another window meanwhile. Look at it again, then issue it."
ISSUED_ALREADY = "It had gone out already; nothing was sent twice."

REOPEN = "Reopen for review"
REOPEN_HINT = "Decisions, order and notes stay, and can be changed again. The log keeps what went out, and your reason."
REASON = "Why"
REOPEN_IT = "Reopen"


def headed(papers: str, chosen_by: str) -> str:
    """Say how many papers go out, and who chose them.

    Examples
    --------
    >>> headed("twelve papers", "chosen by Ada")
    'twelve papers, chosen by Ada'
    """
    return f"{papers}, {chosen_by}"


def goes_out(n_published: int, n_relevant: int) -> str:
    """Say how much goes out.

    Examples
    --------
    >>> goes_out(12, 12), goes_out(11, 12), goes_out(1, 1)
    ('Twelve papers go out.', 'Eleven of twelve papers go out.', 'One paper goes out.')
    >>> goes_out(0, 12)
    'None of twelve papers goes out.'
    """
    all_of_them = counted_in_words(n_relevant, "paper")
    if n_published == n_relevant:
        return f"{all_of_them.capitalize()} {'goes' if n_published == 1 else 'go'} out."
    part = in_words(n_published) if n_published else "none"
    return f"{part.capitalize()} of {all_of_them} {'goes' if n_published < 2 else 'go'} out."


def not_saved(problem: str) -> str:
    """Say that a change was not kept, and why."""
    return f"Not saved: {problem}"


def not_issued(problem: str) -> str:
    """Say that a report did not go out, and why."""
    return f"Not issued: {problem}"


def shortened(text: str) -> str:
    """Cut a long title or list of authors.

    Examples
    --------
    >>> len(shortened("wages " * 100)), shortened("Wages")
    (300, 'Wages')
    """
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"
