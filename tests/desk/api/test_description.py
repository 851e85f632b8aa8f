"""The OpenAPI description is valid, and describes the real answers."""

import re
from datetime import date

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

from presort.desk.api.description import description
from presort.desk.api.parameters import MOST
from presort.desk.api.routes import RESOURCES
from presort.desk.limits import Limit, Rate
from tests.desk.api.conftest import METRICS, OTHER, TOKEN


def schema_of(path, status):
    """Return the JSON schema and the media type of an answer, with the schemas that it refers to."""
    whole = description()
    answer = whole["paths"][path]["get"]["responses"][str(status)]
    if "$ref" in answer:
        answer = whole["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    ((kind, content),) = answer["content"].items()
    return {**content["schema"], "components": whole["components"]}, kind


def assert_described(path, answer):
    schema, kind = schema_of(path, answer.status_code)
    assert answer.headers["content-type"] == kind
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(answer.json())


def test_the_description_is_valid_openapi():
    OpenAPIV31SpecValidator(description()).validate()


def test_the_description_lists_the_resources_and_their_parameters():
    described = {}
    for path, methods in description()["paths"].items():
        (found,) = methods.values()
        names = [one.get("$ref", "").rpartition("/")[2] for one in found["parameters"]]
        described[path] = tuple(name for name in names if name)
    assert described == {one.path: one.parameters for one in RESOURCES}


@pytest.mark.parametrize("path", [one.path for one in RESOURCES])
def test_answers_are_as_described(api, newest, path):
    own = path.format(report="lab", issue=newest)
    answer = api.get(own)
    assert answer.status_code == 200
    assert_described(path, answer)
    if "items" in answer.json():
        assert answer.json()["items"]
        assert_described(path, api.get(f"{own}?limit=1"))
    for refused in (api.get(f"{own}?x=1"), api.get(own, token="x"), api.get(own, method="POST")):
        assert_described(path, refused)
    api.door.limit = Limit(Rate(0, 1), lambda: 0.0)
    limited = api.get(own)
    assert limited.status_code == 429
    assert_described(path, limited)


def test_a_response_that_differs_from_its_schema_is_detected(newest):
    schema, _ = schema_of("/issues", 200)
    check = Draft202012Validator(schema, format_checker=FormatChecker())
    assert check.is_valid({"items": [{"date": str(newest), "n_papers": 1}], "next": None})
    assert not check.is_valid({"items": [{"date": "16 November", "n_papers": 1}], "next": None})
    assert not check.is_valid({"items": [{"date": str(date.min), "n_papers": 1, "secret": 1}], "next": None})


def test_the_description_holds_no_secrets(api):
    text = api.get("/openapi.json").text
    for secret in (TOKEN, OTHER, METRICS, "library", "archive"):
        assert secret not in text
    assert re.search(rf'"maximum": {MOST}\b', text)
