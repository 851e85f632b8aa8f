"""What Manage and the commands say of who signs in, and as what."""

from presort.data.records import Member, Role
from presort.data.running.accounts import VALID

NOBODY = "Nobody is invited yet. Begin with a director."
NOBODY_TO_INVITE = f"{NOBODY} Run 'presort people invite NAME --director'."
NO_SIGN_IN = (
    "Nobody signs in at this desk: it serves this computer alone, and whoever sits at it may do all. What you set here "
    "holds once whoever runs Presort has set up sign-in."
)
ONCE = "This is shown once, and is good for two weeks. Give it to {name} alone: whoever signs in with it is {name}."


def may(member: Member) -> str:
    """Return what a person may do, in words.

    Examples
    --------
    >>> may(Member("Ann", edits=frozenset({"mac", "lab"}), views=frozenset({"his"})))
    'edits lab, mac; looks at his'
    >>> may(Member("Dora", is_director=True)), may(Member("Nora"))
    ('directs', 'nothing')
    """
    parts = ["directs"] if member.is_director else []
    for does, reports in (("edits", member.edits), ("looks at", member.views - member.edits)):
        if reports:
            parts.append(f"{does} {', '.join(sorted(reports))}")
    return "; ".join(parts) or "nothing"


def signs_in(member: Member) -> str:
    """Return whether a person can sign in, in words.

    Examples
    --------
    >>> signs_in(Member("Ann", n_identities=1)), signs_in(Member("Bo"))
    ('yes', 'not invited')
    """
    if member.n_identities:
        return "yes"
    if member.invited_at is None:
        return "not invited"
    return f"invited until {(member.invited_at + VALID).date()}"


def role(one: Role) -> str:
    """Name a role and who has it.

    Examples
    --------
    >>> role(Role("Dora", "director")), role(Role("Vic", "viewer", "lab"))
    ('Dora directs', 'Vic looks at lab')
    """
    return f"{one.person} directs" if one.role == "director" else f"{one.person} looks at {one.report}"


def invited(name: str, new: Role | None) -> str:
    """Describe what an invitation changes."""
    with_role = (
        f" {role(new)} from now on."
        if new
        else " As an editor they may change what concerns the reports they are named for, and nothing else."
    )
    return f"{name} is invited: whoever signs in with the code is {name}.{with_role}"


def mailed(name: str, address: str) -> str:
    """State that an invitation was mailed."""
    return f"The invitation of {name} was mailed to {address}."


def taken_away(one: Role) -> str:
    """Describe what taking a role away changes."""
    return f"{role(one)} no more; it holds at once, also where they are signed in now."


def removed(member: Member) -> str:
    """Describe what removing a person changes.

    Examples
    --------
    >>> removed(Member("Ann", edits=frozenset({"lab"})))
    'Ann can sign in no more, at once. Ann is still named as editor of lab; end that under Editors.'
    """
    still = f" {member.name} is still named as editor of {', '.join(sorted(member.edits))}; end that under Editors."
    return f"{member.name} can sign in no more, at once.{still if member.edits else ''}"


def erased(name: str) -> str:
    """Describe what erasing a person changes."""
    return (
        f"The name of {name}, their affiliation, address, accounts and preferences are deleted for good. What they "
        "decided stays, as that of a former editor. Backups made before still have the name."
    )
