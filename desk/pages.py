"""Registry of the desk's pages, and each role's menu. All links between pages use this registry."""

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
from presort.desk.settings import path_of_pages
from presort.desk.text import escape, shorten


class Page(NamedTuple):
    """Page of the desk.

    Attributes
    ----------
    address : str
        Path in the URL.
    title, icon : str
        Menu label, and name of the Material icon.
    module : str
        Import path of the module whose function `show` draws the page.
    right : Right
        Right required to open the page.
    """

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
ROOT = "presort"  # address of the default page, which redirects to the role's start page
PLAIN_ADDRESS = re.compile(r"[\w.-]+")

# Pages by menu heading. Pages under "" are shown without a heading. `presort.desk.ui.frame` draws the link to
# Preferences.
MENUS: Mapping[Role, Mapping[str, Sequence[str]]] = {
    "editor": {"": ["week", "review", "publish", "report"]},
    "director": {
        "": ["overview", "compare", "manage"],  # Manage contains links to Import and Try a topic
        "Method": ["natural-order", "systems-topics", "measures"],
    },
}


def menu(role: Role = ROLES[0], url: str = "") -> dict[str, list[StreamlitPage]]:
    """Return all pages for Streamlit's menu. Other roles' pages are hidden but can be opened by address.

    If the URL is unknown, a hidden page that shows a warning is added, because Streamlit would open the default page.
    """
    shown = {heading: [_menu_page(address) for address in listed] for heading, listed in MENUS[role].items()}
    in_menu = {address for listed in MENUS[role].values() for address in listed}
    hidden = [_menu_page(address, is_hidden=True) for address in BY_ADDRESS if address not in in_menu]
    # The root only redirects to the role's start page. If the start page were the default page itself, its address
    # would depend on the role.
    root = st.Page(partial(_redirect_to_start, role), title=NAME, url_path=ROOT, default=True, visibility="hidden")
    return shown | {"": [*shown[""], *hidden, *_unknown_pages(role, url), root]}


def role_at(url: str, role: Role, roles: Sequence[Role]) -> Role:
    """Return the role whose menu is shown on a page. It can differ from the current role only on a director's page.

    Examples
    --------
    >>> role_at("http://x/overview", "editor", ["editor", "director"])
    'director'
    >>> role_at("http://x/report", "director", ["editor", "director"]), role_at("http://x/manage", "editor", ["editor"])
    ('director', 'editor')
    """
    address = _address_of(url)
    listed = {one: {page for menu in MENUS[one].values() for page in menu} for one in roles}
    is_of_directors = address in BY_ADDRESS and BY_ADDRESS[address].right is Right.MANAGE
    others = [one for one in roles if is_of_directors and address in listed[one]]
    return others[0] if others and role not in others else role


def heading_place(address: str, role: Role) -> int:
    """Return the 1-based menu position of the heading above a page, or 0 if the page has no heading.

    Examples
    --------
    >>> heading_place("measures", "director"), heading_place("overview", "director"), heading_place("manage", "editor")
    (4, 0, 0)
    """
    headings = [heading for heading in MENUS[role] if heading]
    under = next((heading for heading in headings if address in MENUS[role][heading]), None)
    return 0 if under is None else len(MENUS[role][""]) + headings.index(under) + 1


def start_page(role: Role) -> StreamlitPage:
    """Return a role's start page, for use in Streamlit's links."""
    return link(MENUS[role][""][0])


def link(address: str) -> StreamlitPage:
    """Return the page at an address, for use in Streamlit's links.

    Raises
    ------
    KeyError
        If no page has this address.
    """
    return st.Page(_page_function(address), title=BY_ADDRESS[address].title, url_path=address)


def tab_title(title: str) -> str:
    """Return a page's title for the browser tab.

    Examples
    --------
    >>> tab_title("Compare"), tab_title("Presort")
    ('Compare · Presort', 'Presort')
    """
    return title if title == NAME else f"{title} · {NAME}"


def _menu_page(address: str, *, is_hidden: bool = False) -> StreamlitPage:
    page = BY_ADDRESS[address]
    icon = f":material/{page.icon}:"
    return st.Page(
        _page_function(address),
        title=page.title,
        icon=icon,
        url_path=address,
        visibility="hidden" if is_hidden else "visible",
    )


def _page_function(address: str) -> Callable[[], None]:
    # Imported here because pages link to each other, which would make top-level imports circular.
    show: Callable[[], None] = import_module(BY_ADDRESS[address].module).show
    return show


def _address_of(url: str) -> str:
    return PurePosixPath(urlsplit(url).path.removeprefix(path_of_pages())).name


def _unknown_pages(role: Role, url: str) -> list[StreamlitPage]:
    address = _address_of(url)
    if address in {*BY_ADDRESS, ROOT} or not PLAIN_ADDRESS.fullmatch(address):
        return []
    return [st.Page(partial(_show_unknown, role, address), title=NAME, url_path=address, visibility="hidden")]


def _show_unknown(role: Role, address: str) -> None:
    first = BY_ADDRESS[MENUS[role][""][0]]
    st.warning(escape(f"There is no page {shorten(address)}."), icon=":material/link_off:")
    st.page_link(start_page(role), label=first.title, icon=f":material/{first.icon}:")


def _redirect_to_start(role: Role) -> None:
    """Redirect to the role's start page, or to Review if the URL names a report."""
    query = st.query_params.to_dict()
    st.switch_page(link("review") if "report" in query else start_page(role), query_params=query)
