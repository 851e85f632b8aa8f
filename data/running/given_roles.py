"""Roles that the sign-in provider gives to the members of its groups.

Roles are stored at each sign-in and end when the sign-in expires. If a user leaves a group at the provider, they
therefore keep its role until their current sign-in expires. *Remove* in Presort overrides groups: the account of a
removed person gets no roles until it accepts an invitation.
"""

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import NamedTuple, cast

from sqlalchemy import Connection, delete, insert, select, update

from presort.data.catalogue import log_change, person_id
from presort.data.records import GivenRole, Identity
from presort.data.records.access import GivenName
from presort.data.running.people import IN_LOGS, MAX_NAME
from presort.data.store import Store
from presort.data.tables import IdentityRow, PersonRow, RemovedAccountRow
from presort.data.text.cleaning import clean

RULE = "presort"  # name that logs give as the author of changes caused by the sign-in provider
NAMELESS = "User"  # used if the provider doesn't send the person's name
ALIAS = re.compile(r"former editor \d+", re.IGNORECASE)  # names of erased persons
ROOM = 10  # number of characters reserved for a suffix that makes a name unique


def note_sign_in(
    store: Store, identity: Identity, given: Collection[GivenRole], *, name: str, until: datetime, may_join: bool = True
) -> bool:
    """Store the roles that the sign-in provider gives to an account, replacing the roles from the last sign-in.

    If an account gets a role but is not linked to a person, a new person is added for it. An account is never matched
    to a person by name, because users can choose their name at many providers.

    Parameters
    ----------
    identity : Identity
        Account that signed in.
    given : collection of GivenRole
        Roles from the account's groups. Empty if the groups give no roles.
    name : str
        User's name at the provider, which is untrusted and may be empty. It is used only for a new person.
    until : datetime
        Time when the sign-in expires.
    may_join : bool
        True if a new person may be added for an unknown account. False if the user is about to accept an invitation.

    Returns
    -------
    bool
        True if the roles were stored. False if there are neither new nor stored roles, or if the account is not linked
        to a person and none was added.
    """
    texts = tuple(_text(one) for one in sorted(set(given)))
    with store.reading() as connection:
        known = _account(connection, identity)
        if not texts and not (known and known.given):
            return False  # nothing to store; a desk without roles from a provider should not write at each sign-in
    with store.writing() as connection:
        known = _account(connection, identity)
        if known is None and (not texts or not may_join or _is_removed(connection, identity)):
            return False
        who = known.name if known else _join(connection, identity, name)
        here = IdentityRow.issuer == identity.issuer, IdentityRow.subject == identity.subject
        connection.execute(update(IdentityRow).where(*here).values(given=texts, given_until=until if texts else None))
        before = known.given if known else ()
        if before != texts:
            log_change(
                connection,
                "Roles from the sign-in provider",
                person=RULE,
                about=who,
                before=", ".join(before),
                after=", ".join(texts),
            )
    return True


def read_given_roles(texts: Iterable[str], until: datetime | None) -> frozenset[GivenRole]:
    """Parse the stored roles of an account. Returns no roles if its last sign-in has expired.

    Examples
    --------
    >>> read_given_roles(["editor lab"], datetime(9999, 1, 1, tzinfo=UTC))
    frozenset({GivenRole(role='editor', report='lab')})
    >>> read_given_roles(["editor lab"], datetime(2026, 1, 1, tzinfo=UTC))
    frozenset()
    """
    if until is None or until <= datetime.now(UTC):
        return frozenset()
    parts = (text.partition(" ") for text in texts)
    return frozenset(GivenRole(cast("GivenName", role), report) for role, _, report in parts)


def block(connection: Connection, identity: Identity) -> None:
    """Don't let the sign-in provider give roles to a removed person's account."""
    if not _is_removed(connection, identity):
        connection.execute(insert(RemovedAccountRow).values(digest=_digest(identity)))


def unblock(connection: Connection, identity: Identity) -> None:
    """Let the sign-in provider give roles to an account again, because its owner accepted an invitation."""
    connection.execute(delete(RemovedAccountRow).where(RemovedAccountRow.digest == _digest(identity)))


class _Account(NamedTuple):
    """Stored roles of an account, and the name of the person to whom it is linked."""

    given: tuple[str, ...]
    name: str


def _account(connection: Connection, identity: Identity) -> _Account | None:
    """Return an account's stored roles and person, or None if it is not linked to a person."""
    row = connection.execute(
        select(IdentityRow.given, PersonRow.name)
        .join(PersonRow, PersonRow.id == IdentityRow.member_id)
        .where(IdentityRow.issuer == identity.issuer, IdentityRow.subject == identity.subject)
    ).first()
    return None if row is None else _Account(*row)


def _join(connection: Connection, identity: Identity, wanted: str) -> str:
    """Add a new person for an account and return their name."""
    name = _unused_name(connection, wanted)
    values = {"issuer": identity.issuer, "subject": identity.subject, "member_id": person_id(connection, name)}
    connection.execute(insert(IdentityRow).values(**values, made_at=datetime.now(UTC)))
    log_change(connection, "Joined through a group of the sign-in provider", person=RULE, about=name)
    return name


def _unused_name(connection: Connection, wanted: str) -> str:
    """Return a valid name for a new person. If another person has the name, ignoring case, append a number."""
    base = clean(wanted)[: MAX_NAME - ROOM].strip()
    base = NAMELESS if not base or ALIAS.fullmatch(base) else base
    taken = {name.casefold() for name in connection.execute(select(PersonRow.name)).scalars()} | set(IN_LOGS)
    names = (base if number == 1 else f"{base} ({number})" for number in count(1))
    return next(name for name in names if name.casefold() not in taken)


def _text(role: GivenRole) -> str:
    return f"{role.role} {role.report}".strip()


def _is_removed(connection: Connection, identity: Identity) -> bool:
    found = select(RemovedAccountRow.digest).where(RemovedAccountRow.digest == _digest(identity))
    return connection.execute(found).first() is not None


def _digest(identity: Identity) -> str:
    return sha256(f"{identity.issuer}\n{identity.subject}".encode()).hexdigest()
