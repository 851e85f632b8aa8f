"""User accounts: invitation, acceptance, sign-out, removal and erasure.

A user is identified by the issuer and subject of the account that accepted the invitation. An email address is no proof
of identity.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import count
from secrets import token_urlsafe

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from presort.data.catalogue import log_change, person_id
from presort.data.errors import RefusedError
from presort.data.mentions import mentions_of, replace_mentions
from presort.data.records import Identity
from presort.data.running import given_roles, roles
from presort.data.running.people import newest_editorships, validate_name
from presort.data.store import Store
from presort.data.tables import (
    EditorshipRow,
    IdentityRow,
    InvitationRow,
    NoticeRow,
    PersonRow,
    PreferenceRow,
)

VALID = timedelta(days=14)  # how long an invitation is valid
BYTES = 16  # length of an invitation code in bytes
CODE = re.compile(r"[A-Za-z0-9_-]{22}")  # invitation code in base64
OVER = "This invitation is not valid. It was used or withdrawn, or is older than two weeks. Ask for a new one."


def invite(store: Store, name: str, *, person: str) -> str:
    """Return a new invitation code, which expires after two weeks.

    Signing in with the code links the account to the invited person. Only a hash of the code is stored. Earlier
    invitations for the same person become invalid.
    """
    name, code = validate_name(name), token_urlsafe(BYTES)
    with store.writing() as connection:
        member = person_id(connection, name)
        connection.execute(delete(InvitationRow).where(InvitationRow.member_id == member))
        values = {"digest": _digest(code), "member_id": member, "made_at": datetime.now(UTC)}
        connection.execute(insert(InvitationRow).values(**values))
        log_change(connection, "Invited to sign in", person=person, about=name)
    return code


def accept(store: Store, code: str, identity: Identity) -> str:
    """Accept an invitation: link an account to the invited person and return the person's name.

    Raises
    ------
    RefusedError
        If the code is not valid, or the account is already linked to a person.
    """
    with store.writing() as connection:
        row = connection.execute(
            select(InvitationRow.id, InvitationRow.member_id, InvitationRow.made_at, PersonRow.name)
            .join(PersonRow, PersonRow.id == InvitationRow.member_id)
            .where(InvitationRow.digest == _digest(code))
        ).first()
        now = datetime.now(UTC)
        if not CODE.fullmatch(code) or row is None or now - row.made_at > VALID:
            raise RefusedError(OVER)
        if connection.execute(select(IdentityRow.id).where(*_identity_conditions(identity))).first():
            raise RefusedError("The account that you signed in with is already in use. Sign in with another account.")
        values = {"issuer": identity.issuer, "subject": identity.subject, "member_id": row.member_id, "made_at": now}
        connection.execute(insert(IdentityRow).values(**values))
        connection.execute(delete(InvitationRow).where(InvitationRow.id == row.id))
        given_roles.unblock(connection, identity)
        log_change(connection, "Accepted the invitation", person=row.name, about=row.name)
        return str(row.name)


def sign_out(store: Store, identity: Identity, since: datetime) -> None:
    """End the sessions of an account that began at or before `since`, in all browsers."""
    # Never move the time back, because that would revive ended sessions.
    is_later = or_(IdentityRow.signed_out_at.is_(None), IdentityRow.signed_out_at < since)
    with store.writing() as connection:
        connection.execute(
            update(IdentityRow).where(*_identity_conditions(identity), is_later).values(signed_out_at=since)
        )


def remove(store: Store, name: str, *, person: str) -> None:
    """Remove a person's accounts, invitations and roles.

    The removed accounts no longer get roles from the sign-in provider's groups. An editor remains listed until the end
    of their term, but can't sign in without an account.

    Raises
    ------
    RefusedError
        If the person does not exist or is the only director.
    """
    with store.writing() as connection:
        found, name = find_person(connection, name)
        _remove(connection, found, name, person)
        log_change(connection, "Removed from the desk", person=person, about=name)


def erase(store: Store, name: str, *, person: str, forget_jobs: Callable[[str], object]) -> str:
    """Erase a person's data and return the alias that replaces their name in the logs. Their decisions remain.

    The function deletes the name, affiliation, address, accounts, roles, preferences and background jobs.

    Parameters
    ----------
    forget_jobs : callable
        Function that deletes a person's background jobs, or raises RefusedError if a job is queued or running. It is
        called within the transaction.

    Raises
    ------
    RefusedError
        If the person does not exist, edits a report today or later, has a background job that has not ended, or is the
        only director.
    """
    with store.writing() as connection:
        found, name = find_person(connection, name)
        if _edits_on(connection, found):
            raise RefusedError(f"{name} edits a report. End the editorship first.")
        _remove(connection, found, name, person)
        forget_jobs(name)
        log_change(connection, "Erased", person=person, about=name)
        connection.execute(delete(PreferenceRow).where(PreferenceRow.person_id == found))
        blank = {"name": _unused_alias(connection, found), "affiliation": "", "address": ""}
        _erase_messages(connection, found, name, blank["name"])
        connection.execute(update(PersonRow).where(PersonRow.id == found).values(**blank))
    return blank["name"]


def find_person(connection: Connection, name: str) -> tuple[int, str]:
    """Return the database id and the stored name of an existing person. The given name may have extra spaces.

    Raises
    ------
    RefusedError
        If there is no person with this name.
    """
    stored = validate_name(name)
    found = connection.execute(select(PersonRow.id).where(PersonRow.name == stored)).scalar()
    if found is None:
        raise RefusedError(f"There is no person {name!r}. 'presort people' lists all people.")
    return found, stored


def _unused_alias(connection: Connection, number: int) -> str:
    """Return an alias for an erased person. It contains the person's id, or a higher number if the alias is taken."""
    taken = {name.casefold() for name in connection.execute(select(PersonRow.name)).scalars()}
    return next(alias for one in count(number) if (alias := f"former editor {one}") not in taken)


def _erase_messages(connection: Connection, number: int, name: str, alias: str) -> None:
    """Erase a person's name and email address from stored mail server replies and weekly job messages."""
    address = connection.execute(select(PersonRow.address).where(PersonRow.id == number)).scalar_one()
    connection.execute(update(NoticeRow).where(NoticeRow.person_id == number).values(reason=""))
    replace_mentions(connection, mentions_of(name, address), alias)


def _remove(connection: Connection, number: int, name: str, person: str) -> None:
    owned = select(IdentityRow.issuer, IdentityRow.subject).where(IdentityRow.member_id == number)
    for issuer, subject in connection.execute(owned).all():
        given_roles.block(connection, Identity(issuer, subject))
    for table in (IdentityRow, InvitationRow):
        connection.execute(delete(table).where(table.member_id == number))
    roles.end_roles(connection, [one for one in roles.current_roles(connection) if one.person == name], person)


def _edits_on(connection: Connection, number: int) -> bool:
    """Return True if the person edits a report today or later."""
    log = EditorshipRow
    is_open = or_(log.last.is_(None), log.last >= date.today())
    edits = select(log.id).where(log.id.in_(newest_editorships()), ~log.is_taken_back, is_open)
    return connection.execute(edits.where(log.editor_id == number)).first() is not None


def _identity_conditions(identity: Identity) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return IdentityRow.issuer == identity.issuer, IdentityRow.subject == identity.subject


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()
