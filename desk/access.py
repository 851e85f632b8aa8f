"""Who is at the desk, and as what."""

import json
from typing import Literal, get_args

from data.editing.preferences import preference, set_preference
from data.store import Store

Role = Literal["editor", "director"]

PERSON = "editor"  # one person on this computer; nobody else can reach the server unless it is told otherwise
ROLES: tuple[Role, ...] = get_args(Role)
ROLE = "role"  # name of the preference


def current_person() -> str:
    """Return the name under which the log keeps what is done on the pages."""
    return PERSON


def role_of(store: Store, person: str) -> Role:
    """Return as what a person was last at the desk; an editor unless they chose otherwise."""
    kept = preference(store, person, ROLE)
    return next((role for role in ROLES if kept == json.dumps(role)), ROLES[0])


def take_role(store: Store, person: str, role: Role) -> None:
    """Keep as what a person is at the desk from now on."""
    set_preference(store, person, ROLE, json.dumps(role))
