"""OpenAPI 3.1 description of the API."""

from importlib.metadata import version
from typing import Any

from presort.desk.api.parameters import MOST, USUAL
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.desk.settings.api import api_url

Schema = dict[str, Any]
ABOUT = (
    "Read-only access to issues, reports, published report issues and their ranking quality. Every request needs the "
    "token of an API client."
)
DAY: Schema = {"type": "string", "format": "date"}
TIME: Schema = {"type": "string", "format": "date-time"}
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNT: Schema = {"type": "integer", "minimum": 0}
ADDRESS: Schema = {"type": "string", "format": "uri-reference"}
PROBLEMS = {
    400: "A parameter is unknown, repeated or invalid.",
    401: "The token is missing or wrong.",
    404: "The resource does not exist, or the API is disabled.",
    405: "The method is neither GET nor HEAD.",
    429: "Too many requests. The header Retry-After gives the number of seconds to wait.",
    503: "The workspace can't be read at the moment.",
}


def description() -> dict[str, Any]:
    """Return the OpenAPI description. It contains no secrets."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Presort", "version": version("presort"), "description": ABOUT},
        "servers": [{"url": api_url()}],
        "security": [{"token": []}],
        "paths": {
            "/issues": _list("Issues, newest first.", "Issue", "from", "to"),
            "/reports": _list("Reports, sorted by code.", "Report"),
            "/report-issues": _list(
                "Published report issues, newest issue first.", "ReportIssue", "report", "from", "to"
            ),
            "/report-issues/{report}/{issue}": _path(
                "One published report issue, with its papers in the editor's order.",
                _reference("ReportIssueWithPapers"),
                [_parameter("report", TEXT, where="path"), _parameter("issue", DAY, where="path")],
            ),
            "/quality": _list(
                "Quality of the ranking shown to the editor, for each published report issue.",
                *("Quality", "report", "from", "to"),
            ),
            "/openapi.json": _path("This OpenAPI description.", {"type": "object"}, []),
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": _parameters(),
            "responses": {str(status): _problem(status, text) for status, text in PROBLEMS.items()},
            "schemas": _schemas(),
        },
    }


def _list(summary: str, schema: str, *filters: str) -> dict[str, Any]:
    content = _object(
        items={"type": "array", "items": _reference(schema), "maxItems": MOST},
        next={**ADDRESS, "type": ["string", "null"], "description": "Address of the next page. Null on the last page."},
    )
    names = (*filters, "limit", "cursor")
    return _path(summary, content, [{"$ref": f"#/components/parameters/{name}"} for name in names])


def _path(summary: str, content: Schema, parameters: list[Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {
        "200": {
            "description": "Content of the resource.",
            "headers": {"ETag": {"schema": TEXT, "description": "Version of the content, for If-None-Match."}},
            "content": {"application/json": {"schema": content}},
        },
        "304": {"description": "The content has not changed since the version in If-None-Match."},
    }
    answers |= {str(status): {"$ref": f"#/components/responses/{status}"} for status in PROBLEMS}
    return {"get": {"summary": summary, "parameters": parameters, "responses": answers}}


def _parameters() -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}
    return {
        "report": _parameter("report", TEXT, "Code of a report."),
        "from": _parameter("from", DAY, "Only issues on or after this date."),
        "to": _parameter("to", DAY, "Only issues on or before this date."),
        "limit": _parameter("limit", limit, "Maximum number of items."),
        "cursor": _parameter("cursor", TEXT, "Position in the list. It is part of the address of the next page."),
    }


def _parameter(name: str, schema: Schema, text: str = "", *, where: str = "query") -> dict[str, Any]:
    found = {"name": name, "in": where, "schema": schema, "required": where == "path"}
    return {**found, "description": text} if text else found


def _schemas() -> dict[str, Schema]:
    report_issue = {"report": TEXT, "issue": DAY, "published_at": TIME, "n_papers": COUNT, "url": ADDRESS}
    measures = {name: {"type": ["number", "null"], "description": MEASURES[name].label} for name in MEASURED}
    return {
        "Issue": _object(date=DAY, n_papers=COUNT),
        "Report": _object(code=TEXT, name=TEXT, is_retired={"type": "boolean"}),
        "ReportIssue": _object(**report_issue),
        "ReportIssueWithPapers": _object(
            **report_issue,
            name={**TEXT, "description": "Name of the report."},
            editors={"type": "array", "items": _object(name=TEXT, affiliation=TEXT)},
            note={**TEXT, "description": "Note to the readers."},
            papers={"type": "array", "items": _reference("Paper")},
        ),
        "Paper": _object(
            **dict.fromkeys(("paper_id", "title", "abstract", "series", "date", "type", "doi"), TEXT),
            **dict.fromkeys(("authors", "codes", "links"), TEXTS),
        ),
        "Quality": _object(
            report=TEXT,
            issue=DAY,
            ranker=TEXT,
            was_shown={
                "type": "boolean",
                "description": "False if the ranking was computed later, for example by a replay.",
            },
            n_papers=COUNT,
            n_relevant=COUNT,
            measures=_object(**measures),
        ),
        "Problem": _object(type=TEXT, title=TEXT, status={"type": "integer"}, detail=TEXT),
    }


def _problem(status: int, text: str) -> dict[str, Any]:
    headers = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
    found = {"description": text, "content": {"application/problem+json": {"schema": _reference("Problem")}}}
    return {**found, "headers": {headers[status]: {"schema": TEXT}}} if status in headers else found


def _object(**properties: Schema) -> Schema:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _reference(schema: str) -> Schema:
    return {"$ref": f"#/components/schemas/{schema}"}
