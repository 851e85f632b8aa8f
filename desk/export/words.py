"""What the box for taking papers along in a file says, and how the file is called."""

import re
from collections.abc import Mapping
from datetime import date

from presort.desk.export.rows import Shown

ORDERS: Mapping[str, str] = {"presort": "presorted", "received": "as received"}
FILTERS: Mapping[str, str] = {  # as the list in the browser names them
    "all": "all",
    "undecided": "undecided",
    "yes": "relevant",
    "maybe": "maybe",
    "no": "no",
    "drawn": "drawn",
}
NOT_SAFE = re.compile(r"[^A-Za-z0-9.]+")  # in the name of a file, on some system


def shown_says(shown: Shown) -> str:
    """State which papers the list shows.

    Examples
    --------
    >>> shown_says(Shown(filter="yes", query=" minimum  wage"))
    "What the list shows now: relevant papers with 'minimum wage', presorted."
    >>> shown_says(Shown(order="received"))
    'What the list shows now: all papers, as received.'
    >>> shown_says(Shown(tag="data"))
    "What the list shows now: all papers tagged 'data', presorted."
    """
    papers = {"drawn": "papers drawn at random", "no": "papers that are not relevant"}
    named = papers.get(shown.filter, f"{FILTERS[shown.filter]} papers")
    searched = f" with '{' '.join(shown.query.split())}'" if shown.query.strip() else ""
    tagged = f" tagged '{shown.tag}'" if shown.tag else ""
    return f"What the list shows now: {named}{tagged}{searched}, {ORDERS[shown.order]}."


def file_name(report: str, issue: date, shown: Shown, ending: str) -> str:
    """Name a file by what is in it, with characters that any system takes.

    Examples
    --------
    >>> file_name("lab", date(2026, 11, 16), Shown(filter="yes"), "ris")
    'lab-2026-11-16-relevant.ris'
    >>> file_name("../a b", date(2026, 11, 16), Shown(query="wage"), "csv")
    'a-b-2026-11-16-all-found.csv'
    """
    safe = NOT_SAFE.sub("-", report).strip("-.") or "report"
    found = "-found" if shown.query.strip() or shown.tag else ""
    return f"{safe}-{issue}-{FILTERS[shown.filter]}{found}.{ending}"
