"""Email notices to editors and the director. Each notice is sent at most once.

As in `presort.data.mail.mailings`, a notice is stored as "sending" before the mail server is contacted. If a notice is
in this state while no process is sending mail, sending was interrupted, and the notice is not sent again.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

from sqlalchemy import Connection, Row, func, insert, select, update

from presort.data.catalogue import person_id, report_id
from presort.data.mail.mailings import CUT_OFF, LONGEST_REASON
from presort.data.records import MailingState, Notice
from presort.data.store import Store
from presort.data.tables import NoticeRow, PersonRow
from presort.data.text.cleaning import clean


def unsent_notices(store: Store, notices: Iterable[Notice]) -> list[Notice]:
    """Return the notices that were neither sent nor claimed for sending."""
    with store.reading() as connection:
        return [one for one in notices if (row := _find(connection, one)) is None or row.state == "pending"]


def claim(store: Store, notices: Sequence[Notice]) -> list[int]:
    """Mark the notices in a mail as "sending" and return their ids, which `settle` needs.

    Raises
    ------
    RefusedError
        If a report does not exist.
    """
    with store.writing() as connection:
        return [_claim(connection, one) for one in notices]


def settle(store: Store, claimed: Sequence[int], state: MailingState, reason: str = "") -> None:
    """Record the result of sending a mail that contains claimed notices."""
    values = {"state": state, "changed_at": datetime.now(UTC), "reason": clean(reason)[:LONGEST_REASON]}
    with store.writing() as connection:
        connection.execute(update(NoticeRow).where(NoticeRow.id.in_(claimed)).values(**values))


def mark_interrupted(store: Store) -> list[str]:
    """Mark interrupted notices as unsure. Call this only while no other process is sending mail.

    Returns
    -------
    list of str
        Names of the recipients. An empty name stands for the director.
    """
    is_cut_off = NoticeRow.state == "sending"
    with store.writing() as connection:
        names = select(func.coalesce(PersonRow.name, "")).select_from(NoticeRow).outerjoin(PersonRow).where(is_cut_off)
        found = sorted(set(connection.execute(names).scalars()))
        connection.execute(update(NoticeRow).where(is_cut_off).values(state="unsure", reason=CUT_OFF))
    return found


def _claim(connection: Connection, notice: Notice) -> int:
    now = {"state": "sending", "changed_at": datetime.now(UTC), "reason": ""}
    if known := _find(connection, notice):
        connection.execute(update(NoticeRow).where(NoticeRow.id == known.id).values(**now))
        return int(known.id)
    new = insert(NoticeRow).values(kind=notice.kind, **_keys(connection, notice), **now).returning(NoticeRow.id)
    return connection.execute(new).scalar_one()


def _find(connection: Connection, notice: Notice) -> Row[int, str] | None:
    keys = [getattr(NoticeRow, name).is_not_distinct_from(key) for name, key in _keys(connection, notice).items()]
    query = select(NoticeRow.id, NoticeRow.state).where(NoticeRow.kind == notice.kind, *keys)
    return connection.execute(query).first()


def _keys(connection: Connection, notice: Notice) -> dict[str, int | date | None]:
    return {
        "report_id": report_id(connection, notice.report) if notice.report else None,
        "day": notice.day,
        "person_id": person_id(connection, notice.person) if notice.person else None,
    }
