"""User's choices for an import that the files leave open."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Choices:
    """Issue, reports and columns for papers whose file doesn't name them.

    Attributes
    ----------
    issue : date or None
        Of the papers for which the file names no issue.
    selected_by : tuple of str
        Codes of reports whose editors selected all of these papers, besides those that the file names.
    columns : mapping from str to str
        Our name of a field to the table's column that holds it; the others are guessed.
    """

    issue: datetime.date | None = None
    selected_by: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


NO_CHOICES = Choices()
