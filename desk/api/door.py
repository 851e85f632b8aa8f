"""Authentication of API requests by the client's bearer token, with a rate limit per client.

Tokens are accepted only in the Authorization header, because addresses end up in logs and browser histories.
"""

import hmac
import time
from collections.abc import Callable, Sequence

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Scope

from presort.data.records import Identity
from presort.desk.api.problems import problem
from presort.desk.limits import Limit, Rate
from presort.desk.settings.api import API, Client
from presort.desk.text import count_text

RATE = Rate(at_once=120, seconds=0.5)  # per client
DISABLED = "The API is disabled. Set api.client in presort.toml to enable it."
UNKNOWN = "Send the token of an API client in the header: Authorization: Bearer TOKEN."
TOO_OFTEN = "Too many requests from {who}. Try again in {time}."


def is_api(scope: Scope) -> bool:
    """Return True if a request is addressed to the API."""
    path: str = scope["path"]
    return scope["type"] == "http" and (path == API or path.startswith(f"{API}/"))


def rate_limit_response(who: str, seconds: int) -> Response:
    """Return the response to a request that exceeds the rate limit."""
    detail = TOO_OFTEN.format(who=who, time=count_text(seconds, "second"))
    return problem(429, detail, {"Retry-After": str(seconds)})


class ApiDoor:
    """Access check that lets through only requests from API clients.

    Parameters
    ----------
    clients : sequence of Client
        Clients with their tokens. If there are none, the API is disabled.
    clock : callable
        Monotonic clock in seconds, for the rate limits.
    """

    def __init__(self, clients: Sequence[Client], clock: Callable[[], float] = time.monotonic) -> None:
        self.tokens = [(client.name, client.token.encode()) for client in clients]
        self.limit = Limit(RATE, clock)

    def answer(self, request: HTTPConnection, own: str) -> Response | None:
        """Return an error response if the request must be refused. Returns None if it is allowed."""
        if not self.tokens:
            return problem(404, DISABLED)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        client = self._client_of(token.strip()) if scheme.lower() == "bearer" else None
        if client is None:
            error = ', error="invalid_token"' if token else ""
            return problem(401, UNKNOWN, {"WWW-Authenticate": f'Bearer realm="Presort API"{error}'})
        seconds = self.limit.wait(client)
        return rate_limit_response(f"the client {client!r}", seconds) if seconds else None

    def identity(self, request: HTTPConnection) -> Identity | None:
        """Return None, because API clients have no account."""
        return None

    def _client_of(self, token: str) -> str | None:
        """Return the client with this token, or None if the token is unknown.

        The token is compared with every configured token in constant time, so that the response time doesn't reveal
        anything about a token.
        """
        found = [name for name, known in self.tokens if hmac.compare_digest(token.encode(), known)]
        return found[0] if found else None
