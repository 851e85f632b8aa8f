"""What people may do at the desk: direct, edit reports or look at them.

Who edits a report, or stands in, is in `data.running.people`; the roles beside that are here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, Row, bindparam, exists, func, insert, or_, select, true
from sqlalchemy.orm import aliased

from data.catalogue import person_id, report_id
from data.errors import RefusedError
from data.records import Identity, Member, Role
from data.rights import Right, SignedOutError
from data.running.people import checked_name
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
    asked = {"issuer": identity.issuer, "subject": identity.subject, "today": date.today()}
    row = connection.execute(_OF_ACCOUNT, asked).first()
    if row is None:
        return None
    if row.signed_out_at is not None and since <= row.signed_out_at:
        raise SignedOutError
    return _with_rights(row.name, row.edits, row.roles)


def _members(connection: Connection) -> list[Member]:
    """Return all people, with their rights, accounts and invitations, by name."""
    owner = IdentityRow.member_id
    accounts = dict(connection.execute(select(owner, func.count()).group_by(owner)).all())
    invited = dict(connection.execute(select(InvitationRow.member_id, InvitationRow.made_at)).all())
    return [
        replace(_with_rights(name, edits, roles), n_identities=accounts.get(one, 0), invited_at=invited.get(one))
        for one, name, edits, roles in connection.execute(_OF_ALL, {"today": date.today()})
    ]


def _with_rights(name: str, edits: str | None, roles: str | None) -> Member:
    """Return a person with their rights, as `_RIGHTS` selects them: texts parted by blanks, which no code has."""
    held = [role.partition(":") for role in (roles or "").split()]
    views = frozenset(code for role, _, code in held if role == "viewer")
    return Member(name, any(role == "director" for role, *_ in held), frozenset((edits or "").split()), views)


def _edited() -> ColumnElement[str | None]:
    """Return, for the person of a query, the codes of the reports edited on a day, be it as a substitute."""
    log, later = EditorshipRow, aliased(EditorshipRow)
    is_superseded = exists().where(
        later.editor_id == log.editor_id,
        later.report_id == log.report_id,
        later.first == log.first,
        later.away_id.is_not_distinct_from(log.away_id),
        later.id > log.id,
    )
    today = bindparam("today", type_=EditorshipRow.first.type)
    return (
        select(func.aggregate_strings(ReportRow.code, " "))
        .join(log, log.report_id == ReportRow.id)
        .where(log.editor_id == PersonRow.id, ~log.is_taken_back, log.first <= today, ~is_superseded)
        .where(or_(log.last.is_(None), log.last >= today))
        .scalar_subquery()
    )


def _held() -> ColumnElement[str | None]:
    """Return, for the person of a query, the roles: each with the code of its report behind a colon."""
    log, later = RoleRow, aliased(RoleRow)
    is_superseded = exists().where(
        later.member_id == log.member_id,
        later.role == log.role,
        later.report_id.is_not_distinct_from(log.report_id),
        later.id > log.id,
    )
    return (
        select(func.aggregate_strings(log.role + ":" + func.coalesce(ReportRow.code, ""), " "))
        .select_from(log)
        .outerjoin(ReportRow, ReportRow.id == log.report_id)
        .where(log.member_id == PersonRow.id, ~log.is_taken_back, ~is_superseded)
        .scalar_subquery()
    )


_RIGHTS = (_edited().label("edits"), _held().label("roles"))
_OF_ALL = select(PersonRow.id, PersonRow.name, *_RIGHTS).order_by(PersonRow.name)
# Made once: it is asked with each transaction of somebody who signed in, and to make it takes longer than to answer it.
_OF_ACCOUNT = (
    select(PersonRow.name, IdentityRow.signed_out_at, *_RIGHTS)
    .join(IdentityRow, IdentityRow.member_id == PersonRow.id)
    .where(IdentityRow.issuer == bindparam("issuer"), IdentityRow.subject == bindparam("subject"))
)


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
