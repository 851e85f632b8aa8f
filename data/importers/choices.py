"""Import options chosen by the user for data that the files don't contain."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Choices:
    """Issue, reports and columns of an import.

    Attributes
    ----------
    issue : date or None
        Issue of the papers if their file doesn't specify it.
    selected_by : tuple of str
        Codes of reports whose editors selected all imported papers, in addition to the reports named in the file.
    columns : mapping from str to str
        Mapping from fields to columns of the table. Columns of other fields are guessed.
    """

    issue: datetime.date | None = None
    selected_by: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


NO_CHOICES = Choices()
