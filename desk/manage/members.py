"""People: who can sign in, as what, and an end to it."""

from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.mail.editors import addresses
from presort.data.records import Member, Role, RoleName
from presort.data.running import accounts, roles
from presort.desk import settings
from presort.desk.jobs import background
from presort.desk.manage import member_words as words
from presort.desk.manage.tables import member_table
from presort.desk.sending.invitations import mail_invitation
from presort.desk.text import plain
from presort.desk.ui import cache, confirm, field, table, visitor
from presort.desk.ui.confirm import ask

INVITED = "invited"
EDITOR = "Editor of the reports that they are named for"
DIRECTOR, VIEWER = "Director: may do all", "Viewer of a report"


def show() -> None:
    """Draw who is here, and beside it what can be changed."""
    if not visitor.must_sign_in():
        st.info(words.NO_SIGN_IN)
    members = roles.members(cache.store())
    _draw_invitation()
    left, right = st.columns([3, 2], gap="large")
    with left:
        if members:
            columns = {"name": "Name", "may": "May", "signs_in": "Signs in"}
            table.draw(member_table(cache.store()), columns, "members")
        else:
            st.info(words.NOBODY)
    with right:
        with st.expander("Invite somebody", expanded=True, icon=":material/person_add:", key="box-invite"):
            _draw_new()
        if members:
            with st.expander("End what somebody may", icon=":material/person_off:", key="box-end-of-access"):
                _draw_end(members)


def _draw_new() -> None:
    name = st.text_input("Name", key=field.key_of("invited-name")).strip()
    kind = st.radio("As", [EDITOR, DIRECTOR, VIEWER], key="invited-as")
    codes = [report.code for report in catalogue.reports(cache.store())]
    code = st.selectbox("Report", codes, key="invited-to") if kind == VIEWER and codes else None
    if st.button("Invite", key="invite", disabled=not name or (kind == VIEWER and code is None)):
        named: dict[str, RoleName] = {DIRECTOR: "director", VIEWER: "viewer"}
        new = Role(name, named[kind], code or "") if kind in named else None
        ask(words.invited(name, new), partial(_invite, name, new), clears=["invited-name"], verb="Invite")


def _invite(name: str, new: Role | None) -> None:
    store, person = cache.store(), visitor.person()
    if new is not None and new not in roles.all_roles(store):
        roles.grant(store, new, person=person)
    st.session_state[INVITED] = (name, settings.invitation_link(accounts.invite(store, name, person=person)))


def _draw_invitation() -> None:
    if INVITED not in st.session_state:
        return
    name, link = st.session_state[INVITED]
    with st.container(border=True):
        st.markdown(plain(words.ONCE.format(name=name)))
        st.code(link, language=None)
        if settings.has_mail() and settings.is_link(link):
            _offer_mail(name, link)
        if st.button("I have passed it on", key="passed-on"):
            del st.session_state[INVITED]
            st.rerun()


def _offer_mail(name: str, link: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = addresses(cache.store()).get(name, "")
        address = st.text_input("Mail address", known, key=f"invited-address-{name}").strip()
        st.button("Mail it", key="mail-invitation", disabled=not address, on_click=_mail, args=(name, address, link))


def _mail(name: str, address: str, link: str) -> None:
    try:
        mail_invitation(settings.mail_server(), name, address, link)
    except DataError as error:
        st.session_state[confirm.PROBLEM] = str(error)
    else:
        st.session_state[confirm.DONE] = words.mailed(name, address)
        del st.session_state[INVITED]


def _draw_end(members: list[Member]) -> None:
    store, person = cache.store(), visitor.person()
    known = roles.all_roles(store)
    if known:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            old = st.selectbox("Role", known, format_func=words.role, key="which-role")
            if st.button("Take away", key="take-role-away"):
                ask(words.taken_away(old), partial(roles.take_away, store, old, person=person))
    by_name = {one.name: one for one in members}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox("Person", list(by_name), key="which-member")
        if st.button("Remove", key="remove-member"):
            ask(words.removed(by_name[who]), partial(accounts.remove, store, who, person=person), verb="Remove")
        if st.button("Erase for good", key="erase-member"):
            ask(words.erased(who), partial(_erase, who), verb="Erase")


def _erase(name: str) -> None:
    background.erase(cache.store(), name, person=visitor.person())
