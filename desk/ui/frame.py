"""Frame around every page: logo, role, sign-out, access check and errors."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from presort.data.errors import DataError
from presort.data.running import service
from presort.desk import access, pages
from presort.desk.access import ROLES, Role
from presort.desk.components.page_frame import redraw_on_reconnect, turn_page
from presort.desk.text import escape
from presort.desk.ui import cache, entrance, visitor
from presort.desk.ui.choice import keep_report

ICON = Path(__file__).with_name("icon.svg")  # a local file, because Streamlit would load a named icon from another host
NAME = Path(__file__).with_name("name.svg")  # the icon together with the name
ROLE = "kept-role"
SWITCH = "role"


LIT = """
<style>
[data-testid="stTopNav"] > :nth-child({place}) > [data-testid="stTopNavSection"] {{
    background: color-mix(in srgb, currentColor 10%, transparent); border-radius: .4rem; }}
[data-testid="stTopNav"] > :nth-child({place}) > [data-testid="stTopNavSection"] p {{ font-weight: 600; }}
</style>
"""


def role(url: str = "") -> Role:
    """Return the user's role in this window.

    Defaults to the role that the user last switched to or, if there is none, to the first of the user's roles. A
    director who opens the address of a director's page gets the director's role. The result is always one of the user's
    roles. Without sign-in, every user has all roles. If the roles can't be read, the result is the first role.
    """
    try:
        roles = visitor.roles()
        if ROLE not in st.session_state:
            kept = access.role_of(cache.store(), visitor.person(), roles[0])
            st.session_state[ROLE] = pages.role_at(url, kept, roles)
    except DataError:
        return ROLES[0]  # the page shows the error
    found: Role = st.session_state[ROLE]
    return found if found in roles else roles[0]


def show(page: StreamlitPage, role: Role) -> None:
    """Draw a page. A `DataError` is shown as one line. Other exceptions are bugs and are raised."""
    if place := pages.heading_place(page.url_path, role):  # in the menu, Streamlit highlights pages but not headings
        st.html(LIT.format(place=place))
    st.logo(str(NAME))
    turn_page(page.url_path)
    redraw_on_reconnect()
    keep_report()
    try:
        if not visitor.may_enter():
            entrance.show()
            return
        _draw_corner(role)
        if service.is_demo(cache.store()):
            with st.container(key="made-up", width="content"):
                st.badge("Demo: papers, authors and editors are made up", color="orange")
        if visitor.may_open(page.url_path):
            page.run()
        else:
            st.info("This page is for directors.", icon=":material/lock:")
    except DataError as error:
        st.error(escape(str(error)))


def _draw_corner(role: Role) -> None:
    """Draw the right end of the menu: the role switch, *Preferences* and *Sign out*."""
    roles, chosen = visitor.roles(), role
    with st.container(key="corner", horizontal=True, vertical_alignment="center", gap="small"):
        if len(roles) > 1:
            chosen = st.segmented_control(
                "Menu for",
                roles,
                format_func=str.capitalize,
                default=role,
                required=True,
                key=SWITCH,
                label_visibility="collapsed",
            )
        st.page_link(pages.link("preferences"), label="Preferences", icon=":material/tune:")
        if visitor.must_sign_in():
            sign_out_help = f"Signed in as {visitor.person()}. Signs you out in all windows."
            st.button(
                "Sign out",
                key="sign-out",
                icon=":material/logout:",
                help=escape(sign_out_help),
                on_click=entrance.leave,
            )
    if chosen != role:
        access.switch_role(cache.store(), visitor.person(), chosen)
        st.session_state[ROLE] = chosen
        st.switch_page(pages.start_page(chosen))
