"""What is made of papers that came in, so that their next ranking is quick and stop advice knows their past."""

from data.errors import RefusedError, WorkspaceError
from data.learning.tokens import keep_tokens
from data.store import Store
from desk.service.past_lists import queue_missing
from desk.service.vectors import add_new_vectors
from desk.service.workflow import score
from ranker.tokens import TOKENISATION, tokenise


def make_ready(store: Store) -> str:
    """Make tokens, vectors and outcomes at once, or return why not: what came in stays, the next ranking makes them.

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
