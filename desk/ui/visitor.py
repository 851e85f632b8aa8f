"""The current browser session's user, and the workspace limited to the user's rights."""

import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.records import Identity, Member
from presort.data.rights import Right, SignedOutError
from presort.data.store import Store, open_store
from presort.desk import access, pages, settings
from presort.desk.access import Role, SignIn

_SNAPSHOT: ContextVar[Store | None] = ContextVar("snapshot", default=None)
_DOOR: Final = {"is closed": False}  # per server and never reset, so that later settings can't disable sign-in


def close_door() -> None:
    """Require sign-in until this server stops."""
    _DOOR["is closed"] = True


def must_sign_in() -> bool:
    """Return True if this desk requires sign-in. A desk without sign-in serves only the local computer."""
    return _DOOR["is closed"]


def store() -> Store:
    """Return this server's workspace, limited to the user's rights."""
    return access.guard_store(whole_store(), sign_in()) if must_sign_in() else whole_store()


def whole_store() -> Store:
    """Return this server's workspace without access checks, for work that serves all users."""
    return _SNAPSHOT.get() or _open(settings.from_environment().workspace.resolve(), settings.database())


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Read the workspace through `store` and `whole_store` in one transaction.

    The app draws each page and its frame in one snapshot. Functions that may be called without the app also need this
    decorator: a page's ``show``, which tests call; functions under `st.fragment` and `st.dialog`, which Streamlit calls
    to redraw only their part; and callbacks with many reads. A nested snapshot joins the outer one.
    """
    with ExitStack() as stack:
        with suppress(DataError):  # if the workspace can't be opened, the first read on the page shows the reason
            found = stack.enter_context(whole_store().snapshot())
            stack.callback(_SNAPSHOT.reset, _SNAPSHOT.set(found))
        yield


def sign_in() -> SignIn | None:
    """Return this window's account and the time of its sign-in. None if signed out, or if the desk has no sign-in."""
    claims = st.user.to_dict() if must_sign_in() else {}
    issuer, subject, since = claims.get("iss"), claims.get("sub"), claims.get("iat")
    if not (claims.get("is_logged_in") and isinstance(issuer, str) and isinstance(subject, str) and issuer and subject):
        return None
    if not isinstance(since, int | float):
        return None
    return SignIn(Identity(issuer, subject), datetime.fromtimestamp(int(since), UTC))


def identity() -> Identity | None:
    """Return this window's account. None if the user is signed out, or if the desk has no sign-in."""
    found = sign_in()
    return None if found is None else found.identity


def member() -> Member | None:
    """Return the signed-in member with their current rights.

    Returns None if the user is signed out, if the account is unknown, or if the desk has no sign-in.
    """
    try:
        return access.current_member(whole_store(), sign_in()) if must_sign_in() else None
    except SignedOutError:
        return None


def is_signed_out() -> bool:
    """Return True if the user has not signed in, or if the sign-in has ended. Call this only if sign-in is required."""
    try:
        access.current_member(whole_store(), sign_in())
    except SignedOutError:
        return True
    return False


def person() -> str:
    """Return the user's name as it is stored in the logs.

    Raises
    ------
    SignedOutError
        If the desk requires sign-in, and the user is signed out or the account is unknown.
    """
    if not must_sign_in():
        return access.PERSON
    found = member()
    if found is None:
        raise SignedOutError
    return found.name


def roles() -> tuple[Role, ...]:
    """Return the user's roles, with the default role first. All roles if there is no signed-in member."""
    found = member()
    return access.roles_of(found) if found else access.ROLES


def may_enter() -> bool:
    """Return True if the user is a member, or if the desk has no sign-in."""
    return not must_sign_in() or member() is not None


def may_open(address: str) -> bool:
    """Return True if the user may open a page. Always True without sign-in."""
    if not must_sign_in():
        return True
    found = member()
    return found is not None and access.has_right(
        found, pages.BY_ADDRESS[address].right if address in pages.BY_ADDRESS else Right.SEE
    )


def may_manage() -> bool:
    """Return True if the user is a director. Always True without sign-in."""
    if not must_sign_in():
        return True
    found = member()
    return found is not None and found.is_director


def may_edit(report: str) -> bool:
    """Return True if the user may change a report's decisions and notes. Always True without sign-in."""
    if not must_sign_in():
        return True
    found = member()
    return found is not None and access.has_right(found, Right.EDIT, [report])


@st.cache_resource(show_spinner=False)
def _open(workspace: Path, url: str) -> Store:
    store = open_store(workspace, url)
    store.default_author = access.PERSON
    if not store.is_read_only:
        catalogue.workspace_id(store)  # a missing id is created now, so that drawing a list never writes
    atexit.register(store.close)  # without this, SQLite would leave its write-ahead log behind
    return store
