"""Preparation of imported papers, so that their next ranking is quick and stop advice can use past issues."""

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.learning.tokens import keep_tokens
from presort.data.store import Store
from presort.desk.service.past_lists import queue_missing
from presort.desk.service.vectors import add_new_vectors
from presort.desk.service.workflow import score
from presort.ranker.tokens import TOKENISATION, tokenise


def make_ready(store: Store) -> str:
    """Compute tokens, vectors and outcomes. If that fails, return why: the next ranking computes them.

    The past lists that stop advice needs are ranked in the background.
    """
    try:
        keep_tokens(store, tokenise, TOKENISATION)
        score(store)
        add_new_vectors(store)
        queue_missing(store)
    except (WorkspaceError, RefusedError) as error:
        return str(error)
    return ""
