"""Access policy of the desk: the only module that grants rights.

Functions in `data` check the user's rights on every read and write (`presort.data.rights`). A local desk has no sign-in
and grants everything. With sign-in, directors have all rights, editors have rights to the reports that they edit today
(including as a substitute), and viewers can read their reports. The same roles can be granted through groups at the
sign-in provider.
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

PERSON = "editor"  # name logged for every user, including directors, on a desk without sign-in
AT_DESK = "this desk"  # display name for `PERSON`
ROLES: tuple[Role, ...] = get_args(Role)
SIGNED_IN_FOR = timedelta(hours=12)
EVER = datetime.min.replace(tzinfo=UTC)

ROLE = "role"  # name of the preference that stores the chosen role
UNKNOWN = "The account you signed in with is not registered here. Ask the administrator for an invitation."


class SignIn(NamedTuple):
    """Signed-in account, with the time of the sign-in."""

    identity: Identity
    since: datetime

    @property
    def is_over(self) -> bool:
        """True if the sign-in has expired."""
        return datetime.now(UTC) - self.since > SIGNED_IN_FOR


def guard_store(store: Store, sign_in: SignIn | None) -> Store:
    """Return a store that checks a signed-in visitor's rights. If there is no sign-in, the store refuses all access."""
    identity, since = (None, EVER) if sign_in is None else sign_in
    return store.with_guard(MemberGuard(_Policy(sign_in), identity, since))


def current_member(store: Store, sign_in: SignIn | None) -> Member | None:
    """Return the member who signed in, with their current rights, or None if the account is unknown.

    Parameters
    ----------
    store : Store
        Unguarded store. It must be unguarded because the guard needs this function's result.
    sign_in : SignIn or None

    Raises
    ------
    SignedOutError
        If there is no sign-in, the sign-in has expired, or the member has signed out.
    """
    if sign_in is None or sign_in.is_over:
        raise SignedOutError
    return roles.member(store, *sign_in)


def person_name(person: str) -> str:
    """Return the display name for a logged name.

    Examples
    --------
    >>> person_name("Ann Lee"), person_name(PERSON)
    ('Ann Lee', 'this desk')
    """
    return AT_DESK if person == PERSON else person


def roles_of(member: Member) -> tuple[Role, ...]:
    """Return the roles to which a member can switch, default role first. Viewers get the editor's menu."""
    if not member.is_director:
        return ("editor",)
    return ("editor", "director") if member.edits else ("director", "editor")


def role_of(store: Store, person: str, otherwise: Role = ROLES[0]) -> Role:
    """Return the role that a member last switched to. Defaults to `otherwise`."""
    kept = preference(store, person, ROLE)
    return next((role for role in ROLES if kept == json.dumps(role)), otherwise)


def switch_role(store: Store, person: str, role: Role) -> None:
    """Store the role that a member switched to."""
    set_preference(store, person, ROLE, json.dumps(role))


def has_right(member: Member, right: Right, of: Iterable[str] = ()) -> bool:
    """Return True if a member has a right to all the given reports. Without reports, a right to any report is enough.

    Examples
    --------
    >>> ann = Member("Ann", edits=frozenset({"lab"}), views=frozenset({"his"}))
    >>> has_right(ann, Right.EDIT, ["lab"]), has_right(ann, Right.EDIT, ["his"])
    (True, False)
    >>> has_right(ann, Right.SEE, ["lab", "his"])
    True
    >>> has_right(ann, Right.OWN, ["Ann"]), has_right(ann, Right.OWN, ["Bo"]), has_right(ann, Right.MANAGE)
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
    """Access policy for one visitor. It applies `has_right` until the sign-in expires."""

    sign_in: SignIn | None

    @property
    def is_over(self) -> bool:
        """True if the sign-in has expired.

        This is checked on every request, because a review list can stay open for hours.
        """
        return self.sign_in is None or self.sign_in.is_over

    def demand(self, member: Member | None, right: Right, of: Sequence[str]) -> None:
        if self.is_over:
            raise SignedOutError
        if member is None:
            raise SignedOutError(UNKNOWN)
        if not has_right(member, right, of):
            what = "a person" if right is Right.OWN else ", ".join(sorted(set(of))) or "the service"
            LOG.warning("Access denied: a signed-in user lacks the right to %s %s.", right, what)
            raise ForbiddenError(_refusal(right, of))

    def may(self, member: Member, right: Right, of: Sequence[str]) -> bool:
        return not self.is_over and has_right(member, right, of)


def _refusal(right: Right, of: Sequence[str]) -> str:
    match right:
        case Right.OWN:
            return "Access denied: this data belongs to another user."
        case Right.MANAGE:
            return "Access denied: only directors can do this. Ask a director."
        case Right.SEE:
            what = "You don't have permission to view"
        case Right.EDIT:
            what = "You don't have permission to edit"
    return f"{what} {', '.join(sorted(set(of))) or 'any report'}. Ask a director for access."
