"""Page for users who are signed out or whose account is unknown."""

from datetime import UTC, datetime
from threading import Lock

import streamlit as st

from presort.data.errors import RefusedError
from presort.data.records import GivenRole, Identity
from presort.data.running import accounts
from presort.data.running.given_roles import note_sign_in
from presort.data.store import Store
from presort.desk import access
from presort.desk.limits import Limit, Rate
from presort.desk.text import count_text, escape
from presort.desk.ui import visitor

INVITATION = "invitation"  # query parameter that contains the invitation code
TRIES = Limit(Rate(at_once=10, seconds=60))  # limit on each account's attempts to enter an invitation code


class WaitingRoles:
    """Roles granted by groups to users who have signed in but not yet accepted an invitation.

    They are held in memory, because a cookie must never grant a role, and nothing may be stored about people who don't
    join. If the app restarts before the invitation is accepted, the roles take effect at the next sign-in.
    """

    def __init__(self) -> None:
        self._known: dict[Identity, tuple[frozenset[GivenRole], datetime]] = {}
        self._lock = Lock()

    def put(self, identity: Identity, given: frozenset[GivenRole], until: datetime) -> None:
        """Set an account's roles until its sign-in expires. Expired roles are removed."""
        now = datetime.now(UTC)
        with self._lock:
            self._known = {one: known for one, known in self._known.items() if known[1] > now and one != identity}
            if given:
                self._known[identity] = given, until

    def take(self, identity: Identity) -> tuple[frozenset[GivenRole], datetime] | None:
        """Remove and return an account's roles and the time when its sign-in expires. None if it has no roles."""
        with self._lock:
            return self._known.pop(identity, None)


WAITING = WaitingRoles()  # roles granted by the sign-in provider's groups


def show() -> None:
    """Draw the page for people without access: a sign-in button or, for unknown accounts, a form for an invitation."""
    given = visitor.sign_in()
    if given is None or visitor.is_signed_out():
        access.LOG.warning("Refused to show a page: the sign-in has ended.")
        st.title("You are signed out", anchor=False)
        st.markdown("Your saved work is safe.")
        st.button("Sign in", type="primary", on_click=st.login)
        return
    access.LOG.warning("Refused to show a page: unknown account.")
    st.title("Welcome", anchor=False)
    from_link = st.query_params.get(INVITATION, "")
    how = "accept your invitation" if from_link else "enter your invitation code"
    st.markdown(f"Your account is not registered here. To join, {how}.")
    with st.form("invitation", border=False, width=480):
        code = st.text_input("Invitation code", from_link).strip()
        if st.form_submit_button("Accept", type="primary"):
            try:
                _try(code, given.identity)
            except RefusedError as error:
                st.error(escape(str(error)))
            else:
                st.query_params.clear()
                st.rerun()
    st.caption("No invitation? Ask the administrator, or sign in with another account.")
    st.button("Sign out", type="tertiary", on_click=leave)


def join(store: Store, code: str, identity: Identity) -> None:
    """Accept an invitation, and give the user the roles granted by the groups in this sign-in.

    Raises
    ------
    RefusedError
        If the invitation is not valid, or if the account is already linked to a user.
    """
    accounts.accept(store, code, identity)
    if waiting := WAITING.take(identity):
        given, until = waiting
        note_sign_in(store, identity, given, name="", until=until)


def _try(code: str, identity: Identity) -> None:
    if seconds := TRIES.wait(f"{identity.issuer} {identity.subject}"):
        raise RefusedError(f"Too many attempts. Try again in {count_text(seconds, 'second')}.")
    join(visitor.whole_store(), code, identity)


def leave() -> None:
    """End this session and the account's earlier sessions in all browsers, and redirect to the provider's sign-out."""
    if given := visitor.sign_in():
        accounts.sign_out(visitor.whole_store(), given.identity, given.since)
    access.LOG.info("A user signed out.")
    st.logout()
