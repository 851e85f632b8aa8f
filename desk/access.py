"""Who may what at the desk: the one place that decides.

Functions of `data` say what they need where they read or write (`presort.data.rights`), and each asks again. On the
computer itself nobody signs in, and all is allowed. Where people sign in, a director may do everything; an editor what
concerns the reports that they edit on that day, be it as a substitute; a viewer may look at a report.
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

PERSON = "editor"  # under which the log keeps what is done where nobody signs in, be it as a director
AT_DESK = "this desk"  # shown for work at this computer, because the person is unknown
ROLES: tuple[Role, ...] = get_args(Role)
SIGNED_IN_FOR = timedelta(hours=12)
EVER = datetime.min.replace(tzinfo=UTC)

ROLE = "role"  # name of the preference
UNKNOWN = "Nobody here knows the account that you signed in with. Ask whoever runs the desk for an invitation."


class SignIn(NamedTuple):
    """Who signed in by which account, and when."""

    identity: Identity
    since: datetime

    @property
    def is_over(self) -> bool:
        """Whether it was so long ago that they have to sign in again."""
        return datetime.now(UTC) - self.since > SIGNED_IN_FOR


def guarded(store: Store, sign_in: SignIn | None) -> Store:
    """Return a workspace's store for somebody who signed in, or for nobody, to whom all is refused."""
    identity, since = (None, EVER) if sign_in is None else sign_in
    return store.guarded(MemberGuard(_Policy(sign_in), identity, since))


def who(store: Store, sign_in: SignIn | None) -> Member | None:
    """Return who is at the desk, with the rights of now; None if nobody here has the account.

    It takes the whole store, as nobody has a right to ask before that is known.

    Raises
    ------
    SignedOutError
        If nobody signed in, or it was too long ago, or they signed out.
    """
    if sign_in is None or sign_in.is_over:
        raise SignedOutError
    return roles.member(store, *sign_in)


def person_name(person: str) -> str:
    """Name who did something, as the log keeps them.

    Examples
    --------
    >>> person_name("Ann Lee"), person_name(PERSON)
    ('Ann Lee', 'this desk')
    """
    return AT_DESK if person == PERSON else person


def roles_of(member: Member) -> tuple[Role, ...]:
    """Return as what a person can be at the desk, as what they are first; who looks has an editor's menu."""
    if not member.is_director:
        return ("editor",)
    return ("editor", "director") if member.edits else ("director", "editor")


def role_of(store: Store, person: str, otherwise: Role = ROLES[0]) -> Role:
    """Return the role in which a person last used the desk, or the default if they never chose one."""
    kept = preference(store, person, ROLE)
    return next((role for role in ROLES if kept == json.dumps(role)), otherwise)


def take_role(store: Store, person: str, role: Role) -> None:
    """Keep as what a person is at the desk from now on."""
    set_preference(store, person, ROLE, json.dumps(role))


def may(member: Member, right: Right, of: Iterable[str] = ()) -> bool:
    """Return whether a person has a right, for all of these reports; where none is said, for any.

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
    """Asks `may`, of who is still signed in."""

    sign_in: SignIn | None

    @property
    def is_over(self) -> bool:
        """Whether nobody is signed in, by now: a list that stays open asks for hours."""
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
