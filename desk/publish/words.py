"""What the page Publish says, and what a report issue says around its papers."""

from datetime import date

from presort.desk.scores.outcomes import counted_in_words, in_words

DRAFT = "DRAFT"

EMPTY = "Nothing goes out. That is fine: readers lose more by a paper that only nearly fits than by an empty week."
PUBLISH_EMPTY = "Publish empty"
UNREAD_EMPTY = "You have read nothing of this list, and nothing goes out."
UNSAVED = (
    "Not all that you did on the list is saved yet: what goes out may lack it. If this stays, go back to the list."
)
PUBLISHED_ALREADY = "It had gone out already; nothing was sent twice."
CHANGED_MEANWHILE = "This report was changed in another window. Check it again, then publish it."


def older_say(n_older: int) -> str:
    """Format the sentence that older issues are open.

    Examples
    --------
    >>> older_say(1), older_say(2)
    ('An older issue is still open.', 'Two older issues are still open.')
    """
    if n_older == 1:
        return "An older issue is still open."
    return f"{counted_in_words(n_older, 'older issue').capitalize()} are still open."


def not_empty(issue: date, n_to_publish: int, n_maybe: int) -> str:
    """Explain why an issue can't be issued empty: some papers would go out, or are still maybe.

    Examples
    --------
    >>> not_empty(date(2026, 11, 9), 2, 1)
    'Not published: in 2026-11-09, two papers are marked as relevant. Finish it, or skip it.'
    >>> not_empty(date(2026, 11, 9), 0, 1)
    'Not published: in 2026-11-09, one paper is still maybe. Finish it, or skip it.'
    """
    n, what = (n_to_publish, "marked as relevant") if n_to_publish else (n_maybe, "still maybe")
    are = "is" if n == 1 else "are"
    return f"Not published: in {issue}, {counted_in_words(n, 'paper')} {are} {what}. Finish it, or skip it."


def maybes_say(n_maybe: int) -> str:
    """Ask to decide the papers that are maybe.

    Examples
    --------
    >>> maybes_say(1), maybes_say(2)
    ('One paper is still maybe. Decide it:', 'Two papers are still maybe. Decide them:')
    """
    one = n_maybe == 1
    papers = counted_in_words(n_maybe, "paper").capitalize()
    return f"{papers} {'is' if one else 'are'} still maybe. Decide {'it' if one else 'them'}:"


def stops_early(n_read: int, n_papers: int) -> str:
    """Describe what becomes of a list that was read less far than told, before it goes out.

    Examples
    --------
    >>> stops_early(144, 869)
    'You have read 144 of 869, and the list still says “keep reading”. You may publish; your figures leave it out then.'
    >>> stops_early(0, 869)
    'You have read nothing of this list. You may publish; your figures leave it out then.'
    """
    read = f"{n_read:,} of {n_papers:,}, and the list still says “keep reading”" if n_read else "nothing of this list"
    return f"You have read {read}. You may publish; your figures leave it out then."


def passed_over(n_papers: int) -> str:
    """Describe what becomes of papers that were read and not decided; nothing where there are none.

    Examples
    --------
    >>> passed_over(1), passed_over(57), passed_over(0)
    ('The one paper you read and did not mark counts as not relevant.', 'The 57 papers you read and did not mark count \
as not relevant.', '')
    """
    if not n_papers:
        return ""
    count = "counts" if n_papers == 1 else "count"
    return f"The {counted_in_words(n_papers, 'paper')} you read and did not mark {count} as not relevant."


def goes_out(n_published: int, n_relevant: int) -> str:
    """Describe how much goes out.

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


def not_published(problem: str) -> str:
    """State that a report did not go out, and why."""
    return f"Not published: {problem}"


def next_says(report: str, issue: date, today: date) -> str:
    """Name the list that waits next, by its report and its day.

    Examples
    --------
    >>> next_says("cs.HC", date(2026, 6, 17), date(2026, 6, 20)), next_says("lab", date(2025, 12, 29), date(2026, 1, 2))
    ('Next: cs.HC 06-17', 'Next: lab 2025-12-29')
    """
    return f"Next: {report} {issue:%m-%d}" if issue.year == today.year else f"Next: {report} {issue}"
