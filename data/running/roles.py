"""What people may do at the desk: direct, edit reports or look at them.

Who edits a report, or stands in, is in `data.running.people`; the roles beside that are here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, Row, func, insert, or_, select, true

from data.catalogue import person_id, report_id
from data.errors import RefusedError
from data.records import Identity, Member, Role
from data.rights import Right, SignedOutError
from data.running.people import checked_name, newest_editorships
from data.store import Store
from data.tables import EditorshipRow, IdentityRow, InvitationRow, PersonRow, ReportRow, RoleRow


class Policy(Protocol):
    """Decides what a person may, by the rights of now."""

    def demand(self, member: Member | None, right: Right, of: Sequence[str]) -> None:
        """Raise a `ForbiddenError` or a `SignedOutError` where a person, or nobody, has no such right."""

    def may(self, member: Member, right: Right, of: Sequence[str]) -> bool:
        """Return whether a person has a right."""


@dataclass(frozen=True)
class MemberGuard:
    """The guard of somebody who signed in by an account, or of nobody."""

    policy: Policy
    identity: Identity | None
    since: datetime

    def demand(self, connection: Connection, right: Right, of: Sequence[str]) -> None:
        """Refuse what they have no right to."""
        self.policy.demand(self._member(connection), right, of)

    def name(self, connection: Connection) -> str:
        """Return the person's name."""
        member = self._member(connection)
        if member is None:
            raise SignedOutError
        return member.name

    def has(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return for each of some reports whether they have a right."""
        member = self._member(connection)
        return [member is not None and self.policy.may(member, right, [one]) for one in reports]

    def _member(self, connection: Connection) -> Member | None:
        return None if self.identity is None else _member_of(connection, self.identity, self.since)


def member(store: Store, identity: Identity, since: datetime) -> Member | None:
    """Return who signed in by an account, with the rights of today; None if nobody here has that account.

    Raises
    ------
    SignedOutError
        If what began at `since` was signed out.
    """
    with store.reading() as connection:
        return _member_of(connection, identity, since)


def members(store: Store) -> list[Member]:
    """Return all who have a role, edit a report today, can sign in or are invited, by name."""
    with store.reading() as connection:
        return [one for one in _members(connection) if one != Member(one.name)]


def all_roles(store: Store) -> list[Role]:
    """Return the roles that count, by person."""
    with store.reading() as connection:
        return current_roles(connection)


def grant(store: Store, role: Role, *, person: str) -> None:
    """Grant a person a role; the name of a new person is kept.

    Raises
    ------
    RefusedError
        If the name is none, there is no such report, or the person has the role.
    """
    new = Role(checked_name(role.person), role.role, role.report)
    with store.writing() as connection:
        if new in current_roles(connection):
            raise RefusedError(f"{new.person} has that role already.")
        _log(connection, new, person)


def take_away(store: Store, role: Role, *, person: str) -> None:
    """Take a role away; what the person tries next is refused.

    Raises
    ------
    RefusedError
        If the person has no such role, or nobody else directs.
    """
    with store.writing() as connection:
        if role not in current_roles(connection):
            raise RefusedError(f"{role.person} has no such role; 'presort people' lists who has which.")
        take_back(connection, [role], person)


def current_roles(connection: Connection) -> list[Role]:
    """Return the roles that count, by person."""
    return [Role(row.name, row.role, row.code or "") for row in _rows(connection, true())]


def take_back(connection: Connection, roles: Sequence[Role], person: str) -> None:
    """Log that roles end, unless nobody would direct then."""
    directors = {one.person for one in current_roles(connection) if one.role == "director"}
    leaving = {one.person for one in roles if one.role == "director"}
    if leaving and not directors - leaving:
        raise RefusedError(f"{', '.join(sorted(leaving))} alone directs this service; make another director first.")
    for role in roles:
        _log(connection, role, person, is_taken_back=True)


def _member_of(connection: Connection, identity: Identity, since: datetime) -> Member | None:
    account = connection.execute(
        select(IdentityRow.member_id, IdentityRow.signed_out_at, PersonRow.name)
        .join(PersonRow, PersonRow.id == IdentityRow.member_id)
        .where(IdentityRow.issuer == identity.issuer, IdentityRow.subject == identity.subject)
    ).first()
    if account is None:
        return None
    if account.signed_out_at is not None and since <= account.signed_out_at:
        raise SignedOutError
    (found,) = _with_rights(connection, {account.member_id: account.name}).values()
    return found


def _members(connection: Connection) -> list[Member]:
    """Return all people, with their rights, accounts and invitations, by name."""
    people = dict(connection.execute(select(PersonRow.id, PersonRow.name).order_by(PersonRow.name)).all())
    owner = IdentityRow.member_id
    accounts = dict(connection.execute(select(owner, func.count()).group_by(owner)).all())
    invited = dict(connection.execute(select(InvitationRow.member_id, InvitationRow.made_at)).all())
    return [
        replace(member, n_identities=accounts.get(one, 0), invited_at=invited.get(one))
        for one, member in _with_rights(connection, people).items()
    ]


def _with_rights(connection: Connection, people: Mapping[int, str]) -> dict[int, Member]:
    """Return people with their rights, by their numbers; they are asked for with each transaction of a page."""
    only = list(people) if len(people) == 1 else select(PersonRow.id)
    edits = _edited(connection, EditorshipRow.editor_id.in_(only))
    views: dict[int, set[str]] = {}
    directors = set()
    for row in _rows(connection, RoleRow.member_id.in_(only)):
        if row.role == "director":
            directors.add(row.member_id)
        else:
            views.setdefault(row.member_id, set()).add(row.code or "")
    return {
        one: Member(name, one in directors, frozenset(edits.get(one, ())), frozenset(views.get(one, ())))
        for one, name in people.items()
    }


def _edited(connection: Connection, wanted: ColumnElement[bool]) -> dict[int, set[str]]:
    """Return the codes of the reports that people edit today, be it as substitutes, by their numbers."""
    log, today = EditorshipRow, date.today()
    rows = connection.execute(
        select(log.editor_id, ReportRow.code)
        .join(ReportRow, ReportRow.id == log.report_id)
        .where(wanted, log.id.in_(newest_editorships()), ~log.is_taken_back, log.first <= today)
        .where(or_(log.last.is_(None), log.last >= today))
    )
    found: dict[int, set[str]] = {}
    for one, code in rows:
        found.setdefault(one, set()).add(code)
    return found


def _rows(connection: Connection, wanted: ColumnElement[bool]) -> Sequence[Row[int, str, str, str]]:
    log = RoleRow
    newest = select(func.max(log.id)).group_by(log.member_id, log.role, log.report_id)
    return connection.execute(
        select(log.member_id, PersonRow.name, log.role, ReportRow.code)
        .join(PersonRow, PersonRow.id == log.member_id)
        .outerjoin(ReportRow, ReportRow.id == log.report_id)
        .where(wanted, log.id.in_(newest), ~log.is_taken_back)
        .order_by(PersonRow.name, log.id)
    ).all()


def _log(connection: Connection, role: Role, person: str, *, is_taken_back: bool = False) -> None:
    values = {
        "member_id": person_id(connection, role.person),
        "role": role.role,
        "report_id": report_id(connection, role.report) if role.report else None,
        "is_taken_back": is_taken_back,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(RoleRow).values(**values))
