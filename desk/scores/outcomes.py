"""Counts in words, and the report issues that figures leave out."""

from presort.desk.text import counted

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def in_words(n: int) -> str:
    """Write a count, small ones as a word.

    Examples
    --------
    >>> in_words(0), in_words(12), in_words(1300)
    ('no', 'twelve', '1,300')
    """
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def counted_in_words(n: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted_in_words(0, "paper"), counted_in_words(1, "paper"), counted_in_words(13, "paper")
    ('no papers', 'one paper', '13 papers')
    """
    return f"{in_words(n)} {noun if n == 1 else noun + 's'}"


def not_evaluable_says(n_report_issues: int) -> str:
    """Describe how many report issues are left out because they were not read far enough. Empty if none are.

    Examples
    --------
    >>> not_evaluable_says(0)
    ''
    >>> not_evaluable_says(2)
    'Left out: 2 report issues, read only so far that relevant papers may be below: their order can not be judged.'
    """
    if not n_report_issues:
        return ""
    return (
        f"Left out: {counted(n_report_issues, 'report issue')}, read only so far that relevant papers may be below: "
        "their order can not be judged."
    )
