"""Roles at the desk (director and viewer), and the rights of each user.

Editors and substitutes are in `presort.data.running.people`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Protocol, cast
from weakref import WeakKeyDictionary

from sqlalchemy import (
    ColumnElement,
    Connection,
    RootTransaction,
    Select,
    bindparam,
    func,
    insert,
    or_,
    select,
    true,
)
from sqlalchemy.orm import aliased

from presort.data.catalogue import person_id, report_id
from presort.data.errors import RefusedError
from presort.data.records import GivenRole, Identity, Member, Role, RoleName
from presort.data.rights import Right, SignedOutError
from presort.data.running.given_roles import read_given_roles
from presort.data.running.people import newest_editorships, validate_name
from presort.data.store import Store
from presort.data.tables import EditorshipRow, IdentityRow, InvitationRow, PersonRow, ReportRow, RoleRow


class Policy(Protocol):
    """Access policy that checks a user's current rights."""

    def demand(self, member: Member | None, right: Right, of: Sequence[str]) -> None:
        """Raise `ForbiddenError` if the user lacks a right, or `SignedOutError` if no user is signed in."""

    def may(self, member: Member, right: Right, of: Sequence[str]) -> bool:
        """Return True if the user has a right."""


@dataclass(frozen=True)
class MemberGuard:
    """Access guard for a session, which checks the rights of the signed-in account or of an anonymous visitor.

    Rights are read once per transaction, so changes take effect in the next transaction.
    """

    policy: Policy
    identity: Identity | None
    since: datetime
    _members: "WeakKeyDictionary[RootTransaction, Member | None]" = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def demand(self, connection: Connection, right: Right, of: Sequence[str]) -> None:
        """Raise `ForbiddenError` if the user lacks the right, or `SignedOutError` if no user is signed in."""
        self.policy.demand(self._member(connection), right, of)

    def name(self, connection: Connection) -> str:
        """Return the name of the signed-in user."""
        member = self._member(connection)
        if member is None:
            raise SignedOutError
        return member.name

    def has(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return one boolean per report, which is True if the user has the right on that report."""
        member = self._member(connection)
        return [member is not None and self.policy.may(member, right, [one]) for one in reports]

    def _member(self, connection: Connection) -> Member | None:
        if self.identity is None:
            return None
        transaction = connection.get_transaction()
        if transaction is None:
            return _member_of(connection, self.identity, self.since)
        if transaction not in self._members:
            self._members[transaction] = _member_of(connection, self.identity, self.since)
        return self._members[transaction]


def member(store: Store, identity: Identity, since: datetime) -> Member | None:
    """Return the user to whom an account is linked, with their current rights. Returns None if there is none.

    Raises
    ------
    SignedOutError
        If the session that began at `since` was signed out.
    """
    with store.reading() as connection:
        return _member_of(connection, identity, since)


def members(store: Store) -> list[Member]:
    """Return all people with a role, an editorship, an account or an invitation, sorted by name."""
    with store.reading() as connection:
        return [one for one in _members(connection) if one != Member(one.name)]


def all_roles(store: Store) -> list[Role]:
    """Return the current roles, sorted by person."""
    with store.reading() as connection:
        return current_roles(connection)


def grant(store: Store, role: Role, *, person: str) -> None:
    """Grant a role to a person. If the person is not stored yet, add them.

    Raises
    ------
    RefusedError
        If the name is invalid, the report does not exist, or the person already has the role.
    """
    new = Role(validate_name(role.person), role.role, role.report)
    with store.writing() as connection:
        if new in current_roles(connection):
            raise RefusedError(f"{new.person} already has this role.")
        _log(connection, new, person)


def revoke(store: Store, role: Role, *, person: str) -> None:
    """Revoke a role. The change takes effect at the person's next request.

    Raises
    ------
    RefusedError
        If the person does not have the role, has it only from the sign-in provider, or is the only director.
    """
    with store.writing() as connection:
        if role not in current_roles(connection):
            if any(one.name == role.person and _is_given(one, role) for one in _members(connection)):
                raise RefusedError(
                    f"{role.person} has this role from the sign-in provider. Change the groups at the provider."
                )
            raise RefusedError(f"{role.person} does not have this role. 'presort people' lists all roles.")
        end_roles(connection, [role], person)


def current_roles(connection: Connection) -> list[Role]:
    """Read the current roles, sorted by person, using an open connection."""
    return [Role(name, cast("RoleName", role), code or "") for _, name, role, code in connection.execute(_ROLES)]


def end_roles(connection: Connection, roles: Sequence[Role], person: str) -> None:
    """End roles by logging their end. Raises RefusedError if no director would remain.

    Directors whose role comes from a group of the sign-in provider don't count, because the provider can end the role
    at any time.
    """
    directors = {one.person for one in current_roles(connection) if one.role == "director"}
    leaving = {one.person for one in roles if one.role == "director"}
    if leaving and not directors - leaving:
        raise RefusedError(f"{', '.join(sorted(leaving))} is the only director. Appoint another director first.")
    for role in roles:
        _log(connection, role, person, is_taken_back=True)


def _member_of(connection: Connection, identity: Identity, since: datetime) -> Member | None:
    asked = {"issuer": identity.issuer, "subject": identity.subject}
    account = connection.execute(_ACCOUNT, asked).first()
    if account is None:
        return None
    if account.signed_out_at is not None and since <= account.signed_out_at:
        raise SignedOutError
    one = {"member": account.member_id}
    edits = frozenset(code for _, code in connection.execute(_EDITED_BY_ONE, one | {"today": date.today()}))
    roles = connection.execute(_ROLES_OF_ONE, one).all()
    views = frozenset(row.code for row in roles if row.role == "viewer")
    own = Member(account.name, any(row.role == "director" for row in roles), edits, views)
    return _add_given_roles(own, read_given_roles(account.given, account.given_until))


def _add_given_roles(member: Member, given: frozenset[GivenRole]) -> Member:
    """Return a member with additional rights from the roles that the sign-in provider gives."""
    codes = {name: {one.report for one in given if one.role == name} for name in ("editor", "viewer")}
    granted = {
        *((GivenRole("director"),) if member.is_director else ()),
        *(GivenRole("editor", code) for code in member.edits),
        *(GivenRole("viewer", code) for code in member.views),
    }
    return replace(
        member,
        is_director=member.is_director or GivenRole("director") in given,
        edits=member.edits | codes["editor"],
        views=member.views | codes["viewer"],
        given=given,
        given_and_granted=given & granted,
    )


def _is_given(member: Member, role: Role) -> bool:
    return GivenRole(role.role, role.report) in member.given


def _members(connection: Connection) -> list[Member]:
    """Return all people with their rights, accounts and invitations, sorted by name."""
    edits: dict[int, set[str]] = {}
    for one, code in connection.execute(_EDITED, {"today": date.today()}):
        edits.setdefault(one, set()).add(code)
    views: dict[int, set[str]] = {}
    directors = set()
    for one, _, role, code in connection.execute(_ROLES):
        if role == "director":
            directors.add(one)
        else:
            views.setdefault(one, set()).add(code)
    owner = IdentityRow.member_id
    accounts: dict[int, int] = {}
    given: dict[int, frozenset[GivenRole]] = {}
    for one, texts, until in connection.execute(select(owner, IdentityRow.given, IdentityRow.given_until)):
        accounts[one] = accounts.get(one, 0) + 1
        given[one] = given.get(one, frozenset()) | read_given_roles(texts, until)
    invited = dict(connection.execute(select(InvitationRow.member_id, InvitationRow.made_at)).all())
    people = connection.execute(select(PersonRow.id, PersonRow.name).order_by(PersonRow.name))
    return [
        _add_given_roles(
            Member(
                name,
                one in directors,
                frozenset(edits.get(one, ())),
                frozenset(views.get(one, ())),
                accounts.get(one, 0),
                invited.get(one),
            ),
            given.get(one, frozenset()),
        )
        for one, name in people
    ]


def _editors_query(wanted: ColumnElement[bool]) -> Select[int, str]:
    """Return a query for each report's editors and substitutes whose term includes today.

    A substitute is left out if the term of the editor they replace does not include today.
    """
    log, away = EditorshipRow, aliased(EditorshipRow)
    stands_in_for = select(away.id).where(
        away.report_id == log.report_id, away.editor_id == log.away_id, away.away_id.is_(None), *_holds_today(away)
    )
    return (
        select(log.editor_id, ReportRow.code)
        .join(ReportRow, ReportRow.id == log.report_id)
        .where(wanted, *_holds_today(log), or_(log.away_id.is_(None), stands_in_for.exists()))
    )


def _holds_today(log: type[EditorshipRow]) -> tuple[ColumnElement[bool], ...]:
    today = bindparam("today", type_=EditorshipRow.first.type)
    is_open = or_(log.last.is_(None), log.last >= today)
    return log.id.in_(newest_editorships()), ~log.is_taken_back, log.first <= today, is_open


def _roles_query(wanted: ColumnElement[bool]) -> Select[int, str, str, str]:
    """Return a query for current roles, sorted by the person's name."""
    log = RoleRow
    newest = select(func.max(log.id)).group_by(log.member_id, log.role, log.report_id)
    return (
        select(log.member_id, PersonRow.name, log.role, ReportRow.code)
        .join(PersonRow, PersonRow.id == log.member_id)
        .outerjoin(ReportRow, ReportRow.id == log.report_id)
        .where(wanted, log.id.in_(newest), ~log.is_taken_back)
        .order_by(PersonRow.name, log.id)
    )


# These queries are built once, because every transaction of a signed-in user needs them, and building a query takes
# longer than running it.
_ACCOUNT = (
    select(IdentityRow.member_id, IdentityRow.signed_out_at, IdentityRow.given, IdentityRow.given_until, PersonRow.name)
    .join(PersonRow, PersonRow.id == IdentityRow.member_id)
    .where(IdentityRow.issuer == bindparam("issuer"), IdentityRow.subject == bindparam("subject"))
)
_EDITED, _EDITED_BY_ONE = _editors_query(true()), _editors_query(EditorshipRow.editor_id == bindparam("member"))
_ROLES, _ROLES_OF_ONE = _roles_query(true()), _roles_query(RoleRow.member_id == bindparam("member"))


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
