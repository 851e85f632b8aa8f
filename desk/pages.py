"""Registry of the desk's pages, used by all links, and the menu of each role."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from presort.data.rights import Right
from presort.desk.access import ROLES, Role
from presort.desk.text import plain, shortened


class Page(NamedTuple):
    """Page: its address, the module whose function `show` draws it, and the right needed to open it."""

    address: str
    title: str
    icon: str
    module: str
    right: Right = Right.SEE


PAGES = [
    Page("week", "This week", "inbox", "presort.desk.week.page"),
    Page("review", "Review", "checklist", "presort.desk.review.page"),
    Page("publish", "Publish", "outgoing_mail", "presort.desk.publish.page"),
    Page("report", "My report", "show_chart", "presort.desk.report.page"),
    Page("overview", "Overview", "dashboard", "presort.desk.overview.page", Right.MANAGE),
    Page("compare", "Compare", "balance", "presort.desk.compare.page", Right.MANAGE),
    Page("manage", "Manage", "manage_accounts", "presort.desk.manage.page", Right.MANAGE),
    Page("import", "Import", "upload_file", "presort.desk.importing.page", Right.MANAGE),
    Page("topic", "Try a topic", "travel_explore", "presort.desk.topic.page", Right.MANAGE),
    Page("natural-order", "Natural order", "format_list_numbered", "presort.desk.natural_order.page", Right.MANAGE),
    Page("systems-topics", "Systems and topics", "hub", "presort.desk.systems_topics.page", Right.MANAGE),
    Page("measures", "Measures", "straighten", "presort.desk.measures.page"),
    Page("preferences", "Preferences", "tune", "presort.desk.preferences.page"),
]
NAME = "Presort"
BY_ADDRESS = {page.address: page for page in PAGES}
ROOT = "presort"  # address of what opens where none is given
PLAIN_ADDRESS = re.compile(r"[\w.-]+")

# By heading; "" has none. Preferences are drawn separately, by `presort.desk.ui.frame`.
MENUS: Mapping[Role, Mapping[str, Sequence[str]]] = {
    "editor": {"": ["week", "review", "publish", "report"]},
    "director": {
        "": ["overview", "compare", "manage"],  # which leads on to Import and Try a topic
        "Method": ["natural-order", "systems-topics", "measures"],
    },
}


def menu(role: Role = ROLES[0], url: str = "") -> dict[str, list[StreamlitPage]]:
    """Return all pages for Streamlit's menu. Pages of other roles are hidden, but open by their address.

    At a URL of which there is none, a hidden one says so: Streamlit would open the first in its place.
    """
    shown = {heading: [_in_menu(address) for address in listed] for heading, listed in MENUS[role].items()}
    in_menu = {address for listed in MENUS[role].values() for address in listed}
    hidden = [_in_menu(address, is_hidden=True) for address in BY_ADDRESS if address not in in_menu]
    # The root redirects to a page, so that each page has one address for all roles.
    root = st.Page(partial(_open_start, role), title=NAME, url_path=ROOT, default=True, visibility="hidden")
    return shown | {"": [*shown[""], *hidden, *_unknown(role, url), root]}


def role_at(url: str, role: Role, roles: Sequence[Role]) -> Role:
    """Return the role whose menu belongs to a page: another than the person's present one only on a director's page.

    Examples
    --------
    >>> role_at("http://x/overview", "editor", ["editor", "director"])
    'director'
    >>> role_at("http://x/report", "director", ["editor", "director"]), role_at("http://x/manage", "editor", ["editor"])
    ('director', 'editor')
    """
    address = PurePosixPath(urlsplit(url).path).name
    listed = {one: {page for menu in MENUS[one].values() for page in menu} for one in roles}
    is_of_directors = address in BY_ADDRESS and BY_ADDRESS[address].right is Right.MANAGE
    others = [one for one in roles if is_of_directors and address in listed[one]]
    return others[0] if others and role not in others else role


def heading_place(address: str, role: Role) -> int:
    """Return the place in the menu, from 1, of the heading above a page. 0 if it has none.

    Examples
    --------
    >>> heading_place("measures", "director"), heading_place("overview", "director"), heading_place("manage", "editor")
    (4, 0, 0)
    """
    headings = [heading for heading in MENUS[role] if heading]
    under = next((heading for heading in headings if address in MENUS[role][heading]), None)
    return 0 if under is None else len(MENUS[role][""]) + headings.index(under) + 1


def start(role: Role) -> StreamlitPage:
    """Return the start page of a role, for Streamlit's links."""
    return link(MENUS[role][""][0])


def link(address: str) -> StreamlitPage:
    """Return a page for Streamlit's links.

    Raises
    ------
    KeyError
        If no page has this address.
    """
    return st.Page(_show(address), title=BY_ADDRESS[address].title, url_path=address)


def tab_title(title: str) -> str:
    """Return the title of a page in the browser's tab.

    Examples
    --------
    >>> tab_title("Compare"), tab_title("Presort")
    ('Compare · Presort', 'Presort')
    """
    return title if title == NAME else f"{title} · {NAME}"


def _in_menu(address: str, *, is_hidden: bool = False) -> StreamlitPage:
    page = BY_ADDRESS[address]
    icon = f":material/{page.icon}:"
    return st.Page(
        _show(address), title=page.title, icon=icon, url_path=address, visibility="hidden" if is_hidden else "visible"
    )


def _show(address: str) -> Callable[[], None]:
    show: Callable[[], None] = import_module(BY_ADDRESS[address].module).show
    return show  # loaded when asked for: pages link to each other


def _unknown(role: Role, url: str) -> list[StreamlitPage]:
    address = PurePosixPath(urlsplit(url).path).name
    if address in {*BY_ADDRESS, ROOT} or not PLAIN_ADDRESS.fullmatch(address):
        return []
    return [st.Page(partial(_say_unknown, role, address), title=NAME, url_path=address, visibility="hidden")]


def _say_unknown(role: Role, address: str) -> None:
    first = BY_ADDRESS[MENUS[role][""][0]]
    st.warning(plain(f"There is no page {shortened(address)}."), icon=":material/link_off:")
    st.page_link(start(role), label=first.title, icon=f":material/{first.icon}:")


def _open_start(role: Role) -> None:
    """Go to the page that a role begins on, or to Review if the address is that of a list."""
    query = st.query_params.to_dict()
    st.switch_page(link("review") if "report" in query else start(role), query_params=query)
