"""Error responses of the API: problem details (RFC 9457)."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

PROBLEM = "application/problem+json"


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error response. `detail` is a message to the client's developer."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return Response(json.dumps(content), status, {"Cache-Control": "no-store", **(headers or {})}, PROBLEM)
