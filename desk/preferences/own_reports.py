"""Reports that a user has selected as their own. The selection only filters lists: all reports remain accessible."""

import json
from collections.abc import Sequence

from presort.data import catalogue
from presort.data.editing.preferences import preference, set_preference
from presort.data.store import Store

NAME = "reports"


def own_reports(store: Store, person: str) -> list[str]:
    """Return the codes of a user's own reports. An empty list means all reports."""
    kept = json.loads(preference(store, person, NAME) or "null")
    codes = [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []
    known = {report.code for report in catalogue.reports(store)}
    return [code for code in codes if code in known]


def set_own_reports(store: Store, person: str, codes: Sequence[str]) -> None:
    """Store the codes of a user's own reports. An empty list means all reports."""
    set_preference(store, person, NAME, json.dumps(list(codes)))
