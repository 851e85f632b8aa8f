"""Counts in words, and the note on report issues that are not scored."""

from presort.desk.text import count_text

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def spell_number(n: int) -> str:
    """Format a count. Numbers up to twelve are spelled out.

    Examples
    --------
    >>> spell_number(0), spell_number(12), spell_number(1300)
    ('no', 'twelve', '1,300')
    """
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def spell_count(n: int, noun: str) -> str:
    """Format a count and its noun. Numbers up to twelve are spelled out.

    Examples
    --------
    >>> spell_count(0, "paper"), spell_count(1, "paper"), spell_count(13, "paper")
    ('no papers', 'one paper', '13 papers')
    """
    return f"{spell_number(n)} {noun if n == 1 else noun + 's'}"


def not_evaluable_note(n_report_issues: int) -> str:
    """Return a note on report issues that were not read far enough to be scored. Empty if there are none.

    Examples
    --------
    >>> not_evaluable_note(0)
    ''
    >>> not_evaluable_note(2)
    'Not scored: 2 report issues not read to the end. Unread papers may be relevant.'
    """
    if not n_report_issues:
        return ""
    return (
        f"Not scored: {count_text(n_report_issues, 'report issue')} not read to the end. Unread papers may be relevant."
    )
