"""Roles granted by the sign-in provider's groups: the setting ``sign_in.roles``, and the groups in a user's claims."""

from collections.abc import Iterator, Mapping
from typing import Any

from presort.data.errors import RefusedError
from presort.data.records import REPORT_CODE, GivenRole

FORM = "Valid roles: director, editor.CODE and viewer.CODE, where CODE is the code of a report."

GroupRoles = Mapping[str, frozenset[GivenRole]]  # roles of each group, by the group's name at the provider


def parse_roles(table: Mapping[str, object], where: str) -> GroupRoles:
    """Parse the roles of each group.

    Parameters
    ----------
    table : mapping
        Group names by role, as in ``{"director": ["admins"], "editor": {"lab": ["lab-editors"]}}``.
    where : str
        Name of the setting, for error messages.

    Raises
    ------
    RefusedError
        If a role is unknown, or a value is not a list of group names.

    Examples
    --------
    >>> roles = parse_roles({"director": ["admins"], "viewer": {"lab": ["staff", "admins"]}}, "sign_in.roles")
    >>> roles["staff"]
    frozenset({GivenRole(role='viewer', report='lab')})
    >>> sorted(roles["admins"])
    [GivenRole(role='director', report=''), GivenRole(role='viewer', report='lab')]
    """
    found: dict[str, set[GivenRole]] = {}
    for name, role, groups in _entries(table, where):
        names = [groups] if isinstance(groups, str) else groups
        if not isinstance(names, list) or not all(isinstance(one, str) and one.strip() for one in names):
            raise RefusedError(f'{where}: {name} must be a list of group names, such as ["presort-{role.role}s"].')
        for group in names:
            found.setdefault(group, set()).add(role)
    return {group: frozenset(roles) for group, roles in found.items()}


def _entries(table: Mapping[str, object], where: str) -> Iterator[tuple[str, GivenRole, object]]:
    """Yield the key, the role and the groups of each entry."""
    for name, value in table.items():
        match name, value:
            case "director", list() | str():
                yield name, GivenRole("director"), value
            case ("editor" | "viewer") as role, dict():
                for code, groups in value.items():
                    if not REPORT_CODE.fullmatch(code):
                        raise RefusedError(f"{where}: {code!r} is not the code of a report. {FORM}")
                    yield f"{role}.{code}", GivenRole(role, code), groups
            case _:
                raise RefusedError(f"{where}: {name} is not a valid role, or has no list of groups. {FORM}")


def claim_of(claims: Mapping[str, Any], path: str) -> object:
    """Return the claim with the given name, or the nested claim at the given path. None if it is missing.

    Examples
    --------
    >>> claim_of({"realm_access": {"roles": ["staff"]}}, "realm_access.roles")
    ['staff']
    >>> claim_of({"https://id.example.org/groups": "staff"}, "https://id.example.org/groups")
    'staff'
    """
    if path in claims:  # some providers use claim names that contain dots
        return claims[path]
    found: object = claims
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def roles_in(claims: Mapping[str, Any], path: str, of_groups: GroupRoles) -> frozenset[GivenRole]:
    """Return the roles granted by the groups in a claim. The claim contains a group name or a list of group names.

    Names must match exactly. A string is never split, because a group's name may contain the names of other groups.

    Examples
    --------
    >>> of_groups = {"admins": frozenset({GivenRole("director")})}
    >>> roles_in({"groups": ["staff", "admins"]}, "groups", of_groups)
    frozenset({GivenRole(role='director', report='')})
    >>> roles_in({"groups": "staff, admins"}, "groups", of_groups)
    frozenset()
    """
    value = claim_of(claims, path)
    groups = value if isinstance(value, list) else [value]
    none: frozenset[GivenRole] = frozenset()
    return none.union(*(of_groups[group] for group in groups if isinstance(group, str) and group in of_groups))
