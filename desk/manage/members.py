"""Table of users with their accounts and roles, and dialogs to invite, remove, export or erase a user."""

from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.mail.editors import editor_addresses
from presort.data.records import Role, RoleName
from presort.data.running import accounts, roles
from presort.data.running.personal_data import as_json
from presort.desk import settings
from presort.desk.jobs import background
from presort.desk.manage.member_commands import ERASED
from presort.desk.manage.tables import member_table, role_label
from presort.desk.sending.invitations import mail_invitation
from presort.desk.text import escape
from presort.desk.ui import cache, confirm, table, visitor, window
from presort.desk.ui.download import offer_json

INVITED = "invited"
EDITOR, DIRECTOR, VIEWER = "Editor", "Director", "Viewer of a report"
ROLE_HELP = {
    EDITOR: "Can edit their own reports.",
    DIRECTOR: "Can change everything.",
    VIEWER: "Can view one report.",
}
NOBODY = "Nobody has been invited yet. Invite a director first."
NO_SIGN_IN = (
    "Sign-in is not set up, so everyone at this computer has all rights. Roles take effect after the administrator "
    "has set up sign-in."
)
EXPORTED = "All data about this person as a JSON file. The log records the export."
COLUMNS = {"name": "Name", "may": "Role", "signs_in": "Can sign in"}


def show() -> None:
    """Draw the table of users. A click on a row opens the user's dialog."""
    if not visitor.must_sign_in():
        st.info(NO_SIGN_IN)
    _draw_invitation()
    every = member_table(cache.store())
    shown, row = table.head(every, "members")
    if row.button("Invite", key="open-invite", icon=":material/person_add:"):
        window.keep_open("Invite a person", _draw_new)
    if shown.empty:
        st.info(NOBODY if every.empty else "No user matches your search.")
        return
    picked = table.pick(shown, COLUMNS, "members")
    if picked is not None:
        name = shown["name"].iloc[picked]
        window.keep_open(escape(name), _draw_member, name)


def _draw_new() -> None:
    name = st.text_input("Name", key="invited-name").strip()
    kind = st.radio("Role", [EDITOR, DIRECTOR, VIEWER], captions=list(ROLE_HELP.values()), key="invited-as")
    codes = [report.code for report in catalogue.reports(cache.store())]
    code = st.selectbox("Report", codes, key="invited-to") if kind == VIEWER and codes else None
    if st.button("Invite", key="invite", type="primary", disabled=kind == VIEWER and code is None):
        named: dict[str, RoleName] = {DIRECTOR: "director", VIEWER: "viewer"}
        new = Role(name, named[kind], code or "") if kind in named else None
        confirm.make_in_window(f"{name} invited", partial(_invite, name, new))


def _invite(name: str, new: Role | None) -> None:
    person = visitor.person()
    with cache.store().transaction() as store:
        if new is not None and new not in roles.all_roles(store):
            roles.grant(store, new, person=person)
        st.session_state[INVITED] = (name, settings.invitation_link(accounts.invite(store, name, person=person)))


def _draw_invitation() -> None:
    if INVITED not in st.session_state:
        return
    name, link = st.session_state[INVITED]
    with st.container(border=True):
        st.markdown(
            escape(f"Invitation for {name}, valid for two weeks. The link is shown only once. Give it only to {name}.")
        )
        st.code(link, language=None)
        if settings.has_mail() and settings.is_link(link):
            _offer_mail(name, link)
        if st.button("Done", key="passed-on"):
            del st.session_state[INVITED]
            st.rerun()


def _offer_mail(name: str, link: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = editor_addresses(cache.store()).get(name, "")
        address = st.text_input("Email address", known, key=f"invited-address-{name}").strip()
        st.button("Send email", key="mail-invitation", disabled=not address, on_click=_mail, args=(name, address, link))


def _mail(name: str, address: str, link: str) -> None:
    try:
        mail_invitation(settings.mail_server(), name, address, link)
    except DataError as error:
        st.session_state[confirm.PROBLEM] = str(error)
    else:
        st.session_state[confirm.DONE] = f"Invitation for {name} sent to {address}"
        del st.session_state[INVITED]


def _draw_member(name: str) -> None:
    """Draw a user's dialog, with the roles and with buttons to remove, export or erase the user."""
    store, person = cache.store(), visitor.person()
    for number, one in enumerate(role for role in roles.all_roles(store) if role.person == name):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(role_label(one), width="content")
            if st.button("Remove role", key=f"take-role-away-{number}"):
                take, undo = (partial(change, store, one, person=person) for change in (roles.revoke, roles.grant))
                confirm.make_in_window(f"{name} is no longer {role_label(one)}", take, undo)
    found = next((member for member in roles.members(store) if member.name == name), None)
    given = sorted(found.given) if found else []
    for given_role in given:
        st.caption(escape(f"Role from a group: {role_label(given_role)}. To change it, use the sign-in provider."))
    by_group = {one.report for one in given if one.role == "editor"}
    if found and (by_date := found.edits - by_group):
        st.caption(escape(f"Editor of {', '.join(sorted(by_date))}. To change this, open Editors."))
    with st.container(horizontal=True):
        is_removed = st.button(
            "Remove", key="remove-member", help="Removes accounts and roles. The name stays in the log."
        )
        export = partial(background.export_person, store, name, person=person)
        offer_json("Export data", lambda: as_json(export()), "personal-data.json", help=EXPORTED)
        is_erased = st.button("Erase", key="erase-member", help="Removes accounts and roles, and deletes the name.")
    if is_removed:
        says = f"Removes the accounts and roles of {name} immediately. Their decisions remain."
        remove = partial(accounts.remove, store, name, person=person)
        confirm.ask_in_window(f"Remove {name}?", says, f"{name} removed", remove, verb="Remove")
    if is_erased:
        erase = partial(background.erase, store, name, person=person)
        confirm.ask_in_window(f"Erase {name}?", ERASED.format(name=name), "Person erased", erase, verb="Erase")
