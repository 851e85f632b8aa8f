"""What the box of a report's criteria says."""

from data.records import Criteria

LABEL = "What this report wants"
LABEL_EMPTY = "What this report wants: nothing written yet"
INVITATION = (
    "Write down what belongs to this report and what doesn't, for yourself in a month and for everybody who edits it "
    "with you. The ranker doesn't read it."
)
FIELD = "Criteria"
EDIT = "Edit"
SAVE = "Save"
CANCEL = "Cancel"


def written(criteria: Criteria) -> str:
    """Say who wrote the criteria, and when.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> written(Criteria("Wages.", "Ann", datetime(2026, 11, 16, 8, 5, tzinfo=UTC)))
    'Ann, 2026-11-16 08:05 UTC'
    """
    return f"{criteria.person}, {criteria.made_at:%Y-%m-%d %H:%M} UTC"
