"""Read and change a report's inclusion criteria, in which its editors describe which papers are relevant."""

from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select

from presort.data.catalogue import person_id, report_id
from presort.data.editing.notes import clean_lines
from presort.data.errors import RefusedError
from presort.data.records import Criteria
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import CriteriaRow, PersonRow

MAX_CRITERIA = 5_000  # maximum number of characters


def criteria(store: Store, report: str) -> Criteria | None:
    """Return a report's current inclusion criteria, or None if it never had any.

    If the criteria were removed, the returned text is empty.
    """
    with store.reading(Right.SEE, report) as connection:
        return _newest(connection, report_id(connection, report))


def set_criteria(store: Store, report: str, text: str, *, person: str, shown: str | None = None) -> None:
    """Log new criteria for a report, replacing the current ones. Does nothing if they are unchanged.

    `shown` is the text that the person saw before editing it. It defaults to the current text.

    Raises
    ------
    RefusedError
        If the report does not exist, if the text is too long, or if the current text is neither `shown` nor `text`.
    """
    kept = clean_lines(text, "The criteria", MAX_CRITERIA)
    with store.writing(Right.EDIT, report) as connection:
        of_report = report_id(connection, report)
        newest = _newest(connection, of_report)
        current = newest.text if newest else ""
        if kept != current:
            if shown not in (None, current):
                raise RefusedError(
                    "The criteria have been changed in the meantime, so your changes were not saved. Copy your text, "
                    "then cancel to see the new criteria."
                )
            who = person_id(connection, person)
            values = {"report_id": of_report, "person_id": who, "made_at": datetime.now(UTC), "text": kept}
            connection.execute(insert(CriteriaRow).values(**values))


def _newest(connection: Connection, report: int) -> Criteria | None:
    found = connection.execute(
        select(CriteriaRow.text, PersonRow.name, CriteriaRow.made_at)
        .join(PersonRow, PersonRow.id == CriteriaRow.person_id)
        .where(CriteriaRow.report_id == report)
        .order_by(CriteriaRow.id.desc())
        .limit(1)
    ).first()
    return None if found is None else Criteria(*found)
