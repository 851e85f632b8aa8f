"""Options of an import that supply data missing from the files."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Choices:
    """Issue, reports and columns that the user chose for an import.

    Attributes
    ----------
    issue : date or None
        Issue for papers whose file doesn't specify an issue.
    selected_by : tuple of str
        Codes of reports whose editors selected all imported papers, in addition to the reports named in the file.
    columns : mapping from str to str
        Mapping from fields to table columns. The columns for all other fields are guessed.
    """

    issue: datetime.date | None = None
    selected_by: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


NO_CHOICES = Choices()
