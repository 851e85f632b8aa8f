"""What is said of sorting, and of sorting again."""

from datetime import date

from presort.desk.text import counted


def to_sort(n_unsorted: int, n_outdated: int, n_before_others: int) -> str:
    """Describe how many of the pending issues are to be sorted, or sorted again; nothing if there are none.

    Outdated are those sorted before papers or decisions of their own report came; the last, only before other reports
    decided.

    Examples
    --------
    >>> to_sort(0, 0, 0), to_sort(1, 0, 0), to_sort(0, 0, 7)
    ('', '1 issue is not sorted yet.', 'Newer decisions could improve 7 lists.')
    >>> to_sort(3, 1, 0)
    '3 issues are not sorted yet. 1 list is out of date: more is known by now.'
    """
    said = []
    if n_unsorted:
        said.append(f"{counted(n_unsorted, 'issue')} {_are(n_unsorted)} not sorted yet.")
    if n_outdated:
        said.append(f"{counted(n_outdated, 'list')} {_are(n_outdated)} out of date: more is known by now.")
    if n_before_others:
        said.append(f"Newer decisions could improve {counted(n_before_others, 'list')}.")
    return " ".join(said)


def being_sorted(n_issues: int, after: date | None) -> str:
    """Describe what is going on; `after` is the issue that was finished before, None if somebody asked for it.

    Examples
    --------
    >>> being_sorted(2, date(2026, 11, 2))
    '2 newer issues are being sorted again with what you just decided. You can go on meanwhile.'
    >>> being_sorted(1, None)
    '1 issue is being sorted. You can go on meanwhile.'
    """
    how = "sorted" if after is None else "sorted again with what you just decided"
    return f"{_issues(n_issues, after)} {_are(n_issues)} being {how}. You can go on meanwhile."


def was_sorted(n_issues: int, after: date | None) -> str:
    """Describe what was done; a list that is open stays as it is.

    Examples
    --------
    >>> was_sorted(2, date(2026, 11, 2))
    '2 newer issues were sorted again with what you just decided; so they stand when you open them next.'
    >>> was_sorted(1, None)
    '1 issue was sorted.'
    """
    were = "was" if n_issues == 1 else "were"
    if after is None:
        return f"{_issues(n_issues, after)} {were} sorted."
    they = "it stands when you open it" if n_issues == 1 else "they stand when you open them"
    return f"{_issues(n_issues, after)} {were} sorted again with what you just decided; so {they} next."


def _issues(n_issues: int, after: date | None) -> str:
    return counted(n_issues, "issue" if after is None else "newer issue")


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
