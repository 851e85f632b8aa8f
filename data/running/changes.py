"""The log of changes that no other log tells of."""

from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import aliased

from data.catalogue import person_id, report_id
from data.records import Change
from data.store import Store
from data.tables import ChangeRow, PersonRow, ReportRow


def log_change(connection: Connection, said: str, *, person: str, report: str = "", about: str = "") -> None:
    """Add to the log what is changed in the same transaction.

    Parameters
    ----------
    said : str
        What, in words that name nobody: a person can be erased, a log can't.
    person, about : str
        Who changes it, and whom it is about.
    report : str
        Code of the report, where it is one's.
    """
    values = {
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
        "report_id": report_id(connection, report) if report else None,
        "about_id": person_id(connection, about) if about else None,
        "said": said,
    }
    connection.execute(insert(ChangeRow).values(**values))


def changes(store: Store) -> list[Change]:
    """Return the log, oldest first."""
    log, who, about = ChangeRow, aliased(PersonRow), aliased(PersonRow)
    with store.reading() as connection:
        rows = connection.execute(
            select(who.name, log.made_at, log.said, ReportRow.code, about.name)
            .join(who, who.id == log.person_id)
            .outerjoin(ReportRow, ReportRow.id == log.report_id)
            .outerjoin(about, about.id == log.about_id)
            .order_by(log.id)
        )
        return [Change(name, made_at, said, code or "", of or "") for name, made_at, said, code, of in rows]
