"""The Python examples in docs/api.md, executed."""

import re
from pathlib import Path

import httpx

from tests.desk.api.conftest import TOKEN

GUIDE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def example(name):
    """Return a function that the guide defines."""
    (code,) = [code for code in EXAMPLES if f"def {name}(" in code]
    found = {}
    exec(code, found)
    return found[name]


def test_all_pages_of_a_list_are_read(api, monkeypatch):
    asked = []

    def get(url, *, headers):
        asked.append(url)
        answer = api.get(url.removeprefix("/api/v1"), token=None, **headers)
        return httpx.Response(answer.status_code, content=answer.content, request=answer.request)

    monkeypatch.setattr(httpx, "get", get)
    items = list(example("every")("/api/v1/report-issues?limit=7", TOKEN))
    assert items == api.get("/report-issues?limit=500").json()["items"]
    assert len(asked) > 1
