"""Page for users who are signed out, or whose account is unknown."""

import streamlit as st

from presort.data.errors import RefusedError
from presort.data.records import Identity
from presort.data.running import accounts
from presort.desk import access
from presort.desk.text import counted, plain
from presort.desk.ui import visitor
from presort.desk.web.limits import Limit, Rate

INVITATION = "invitation"  # query parameter with the invitation code
TRIES = Limit(Rate(at_once=10, seconds=60))  # attempts per account


def show() -> None:
    """Draw a button to sign in again, or for an unknown account a form to accept an invitation."""
    given = visitor.sign_in()
    if given is None or visitor.is_signed_out():
        access.LOG.warning("Refused a page: the sign-in has ended.")
        st.title("You are signed out", anchor=False)
        st.markdown("Your saved work is safe.")
        st.button("Sign in", type="primary", on_click=st.login)
        return
    access.LOG.warning("Refused a page: unknown account.")
    st.title("Welcome", anchor=False)
    from_link = st.query_params.get(INVITATION, "")
    how = "accept your invitation" if from_link else "enter the code of your invitation"
    st.markdown(f"Your account is not registered here. To join, {how}.")
    with st.form("invitation", border=False, width=480):
        code = st.text_input("Invitation code", from_link).strip()
        if st.form_submit_button("Accept", type="primary"):
            try:
                _accept(code, given.identity)
            except RefusedError as error:
                st.error(plain(str(error)))
            else:
                st.query_params.clear()
                st.rerun()
    st.caption("No invitation? Ask the administrator, or sign in with another account.")
    st.button("Sign out", type="tertiary", on_click=leave)


def _accept(code: str, identity: Identity) -> None:
    if seconds := TRIES.wait(f"{identity.issuer} {identity.subject}"):
        raise RefusedError(f"Too many attempts. Try again in {counted(seconds, 'second')}.")
    accounts.accept(visitor.whole_store(), code, identity)


def leave() -> None:
    """End all sessions of this sign-in, and redirect to the identity provider to sign out there, too."""
    if given := visitor.sign_in():
        accounts.sign_out(visitor.whole_store(), given.identity, given.since)
    access.LOG.info("A user signed out.")
    st.logout()
