"""Access policy of the desk: the only module that grants rights.

Functions of `data` demand a right whenever they read or write (`presort.data.rights`). A local desk has no sign-in and
grants everything. With sign-in, a director has all rights. An editor has rights on the reports that they edit on that
day, also as a substitute. A viewer may view a report.
"""

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple, get_args

from presort.data.editing.preferences import preference, set_preference
from presort.data.records import Identity, Member
from presort.data.rights import ForbiddenError, Right, SignedOutError
from presort.data.running import roles
from presort.data.running.roles import MemberGuard
from presort.data.store import Store

LOG = logging.getLogger(__name__)

Role = Literal["editor", "director"]

PERSON = "editor"  # name in the logs of a desk without sign-in, also for directors
AT_DESK = "this desk"  # shown for work at this computer, because the person is unknown
ROLES: tuple[Role, ...] = get_args(Role)
SIGNED_IN_FOR = timedelta(hours=12)
EVER = datetime.min.replace(tzinfo=UTC)

ROLE = "role"  # name of the preference
UNKNOWN = "The account that you signed in with is unknown here. Ask the administrator for an invitation."


class SignIn(NamedTuple):
    """Account that signed in, and when."""

    identity: Identity
    since: datetime

    @property
    def is_over(self) -> bool:
        """True if the sign-in has expired."""
        return datetime.now(UTC) - self.since > SIGNED_IN_FOR


def guarded(store: Store, sign_in: SignIn | None) -> Store:
    """Return a workspace's store for a signed-in visitor. Without a sign-in it refuses everything."""
    identity, since = (None, EVER) if sign_in is None else sign_in
    return store.guarded(MemberGuard(_Policy(sign_in), identity, since))


def who(store: Store, sign_in: SignIn | None) -> Member | None:
    """Return the member who signed in, with current rights. None if the account is unknown.

    It needs the store without a guard, because rights depend on its result.

    Raises
    ------
    SignedOutError
        If nobody signed in, or it was too long ago, or they signed out.
    """
    if sign_in is None or sign_in.is_over:
        raise SignedOutError
    return roles.member(store, *sign_in)


def person_name(person: str) -> str:
    """Return the display name of a person in the logs.

    Examples
    --------
    >>> person_name("Ann Lee"), person_name(PERSON)
    ('Ann Lee', 'this desk')
    """
    return AT_DESK if person == PERSON else person


def roles_of(member: Member) -> tuple[Role, ...]:
    """Return the roles that a person can take, the default one first. Viewers have the editor's menu."""
    if not member.is_director:
        return ("editor",)
    return ("editor", "director") if member.edits else ("director", "editor")


def role_of(store: Store, person: str, otherwise: Role = ROLES[0]) -> Role:
    """Return the role in which a person last used the desk, or the default if they never chose one."""
    kept = preference(store, person, ROLE)
    return next((role for role in ROLES if kept == json.dumps(role)), otherwise)


def take_role(store: Store, person: str, role: Role) -> None:
    """Store the role that a person takes from now on."""
    set_preference(store, person, ROLE, json.dumps(role))


def may(member: Member, right: Right, of: Iterable[str] = ()) -> bool:
    """Return whether a person has a right on all of these reports, or on any report if none is given.

    Examples
    --------
    >>> ann = Member("Ann", edits=frozenset({"lab"}), views=frozenset({"his"}))
    >>> may(ann, Right.EDIT, ["lab"]), may(ann, Right.EDIT, ["his"]), may(ann, Right.SEE, ["lab", "his"])
    (True, False, True)
    >>> may(ann, Right.OWN, ["Ann"]), may(ann, Right.OWN, ["Bo"]), may(ann, Right.MANAGE)
    (True, False, False)
    """
    asked = set(of)
    match right:
        case Right.OWN:
            return asked == {member.name}
        case Right.MANAGE:
            return member.is_director
        case Right.SEE | Right.EDIT:
            some = member.edits if right is Right.EDIT else member.edits | member.views
            return member.is_director or (asked <= some if asked else bool(some))


@dataclass(frozen=True)
class _Policy:
    """Policy that applies `may` while the visitor is signed in."""

    sign_in: SignIn | None

    @property
    def is_over(self) -> bool:
        """True if the sign-in has expired: an open list sends requests for hours."""
        return self.sign_in is None or self.sign_in.is_over

    def demand(self, member: Member | None, right: Right, of: Sequence[str]) -> None:
        if self.is_over:
            raise SignedOutError
        if member is None:
            raise SignedOutError(UNKNOWN)
        if not may(member, right, of):
            what = "a person" if right is Right.OWN else ", ".join(sorted(set(of))) or "the service"
            LOG.warning("Refused somebody who signed in: to %s %s.", right, what)
            raise ForbiddenError(_refusal(right, of))

    def may(self, member: Member, right: Right, of: Sequence[str]) -> bool:
        return not self.is_over and may(member, right, of)


def _refusal(right: Right, of: Sequence[str]) -> str:
    match right:
        case Right.OWN:
            return "That is another person's alone."
        case Right.MANAGE:
            return "That is for directors alone; ask one of them."
        case Right.SEE:
            what = "You have no right to look at"
        case Right.EDIT:
            what = "You have no right to change"
    return f"{what} {', '.join(sorted(set(of))) or 'any report'}; ask a director for it."
