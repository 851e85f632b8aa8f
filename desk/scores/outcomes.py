"""Counts in words, and the note on report issues that are not scored."""

from presort.desk.text import count_text

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def in_words(n: int) -> str:
    """Format a count. Numbers up to twelve are spelled out.

    Examples
    --------
    >>> in_words(0), in_words(12), in_words(1300)
    ('no', 'twelve', '1,300')
    """
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def counted_in_words(n: int, noun: str) -> str:
    """Format a count and its noun. Numbers up to twelve are spelled out.

    Examples
    --------
    >>> counted_in_words(0, "paper"), counted_in_words(1, "paper"), counted_in_words(13, "paper")
    ('no papers', 'one paper', '13 papers')
    """
    return f"{in_words(n)} {noun if n == 1 else noun + 's'}"


def not_evaluable_says(n_report_issues: int) -> str:
    """Return a note on report issues that were not read far enough to be scored. Empty if there are none.

    Examples
    --------
    >>> not_evaluable_says(0)
    ''
    >>> not_evaluable_says(2)
    'Not scored: 2 report issues not read to the end. Unread papers may be relevant.'
    """
    if not n_report_issues:
        return ""
    return (
        f"Not scored: {count_text(n_report_issues, 'report issue')} not read to the end. Unread papers may be relevant."
    )
