"""Preparation of imported papers, so that their next ranking is quick and stop advice can use past issues."""

from data.errors import RefusedError, WorkspaceError
from data.learning.tokens import keep_tokens
from data.store import Store
from desk.service.past_lists import queue_missing
from desk.service.vectors import add_new_vectors
from desk.service.workflow import score
from ranker.tokens import TOKENISATION, tokenise


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
