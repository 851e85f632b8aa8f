"""The name of a review list, under which a browser keeps what is not saved yet."""

import json
from datetime import date
from hashlib import sha256

from presort.data import catalogue
from presort.data.store import Store


def list_key(store: Store, report: str, issue: date, person: str) -> str:
    """Return a list's name: what the browser keeps unsaved is this workspace's, report's, issue's and person's alone.

    Neither another workspace put in the place of this one nor a copy of it elsewhere gets what was decided here.
    """
    owner = [catalogue.workspace_id(store), str(store.name), report, str(issue), person]
    return sha256(json.dumps(owner).encode()).hexdigest()[:32]
