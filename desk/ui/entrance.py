"""Page for visitors who are signed out or unknown."""

import streamlit as st

from presort.data.errors import RefusedError
from presort.data.records import Identity
from presort.data.running import accounts
from presort.desk import access
from presort.desk.text import counted, plain
from presort.desk.ui import visitor
from presort.desk.web.limits import Limit, Rate

INVITATION = "invitation"  # in the address, and the code typed
TRIES = Limit(Rate(at_once=10, seconds=60))  # of an account


def show() -> None:
    """Draw the ways in: sign in again, or accept an invitation."""
    given = visitor.sign_in()
    if given is None or visitor.is_signed_out():
        access.LOG.warning("Refused a page: the sign-in has ended.")
        st.title("You are signed out", anchor=False)
        st.markdown("What you saved is kept.")
        st.button("Sign in", type="primary", on_click=st.login)
        return
    access.LOG.warning("Refused a page: nobody here knows the account.")
    st.title("Welcome", anchor=False)
    st.markdown("Nobody at this desk knows the account that you signed in with. Do you have an invitation?")
    with st.form("invitation", border=False, width=480):
        code = st.text_input("The code of your invitation", st.query_params.get(INVITATION, "")).strip()
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
        raise RefusedError(f"You tried too often; try again in {counted(seconds, 'second')}.")
    accounts.accept(visitor.whole_store(), code, identity)


def leave() -> None:
    """Sign out here and everywhere else the same sign-in is used, and go to the provider to sign out there."""
    if given := visitor.sign_in():
        accounts.sign_out(visitor.whole_store(), given.identity, given.since)
    access.LOG.info("Somebody signed out.")
    st.logout()
