"""The Python examples in docs/api.md, executed."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx

from presort.desk.service.webhooks import signature
from presort.desk.settings.api import webhooks
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


def test_a_signature_is_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (setting,) = re.findall(r"^```toml\n(\[\[webhook\]\].*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    (tmp_path / "presort.toml").write_text(setting)
    (hook,) = webhooks()
    (secret,) = re.findall(r'^secret = "(whsec_.*?)"', setting, re.MULTILINE)
    is_genuine, body = example("is_genuine"), b'{"type": "report_issue.published"}'
    headers = signature(hook.secret, "a-b-c", body, datetime.now(UTC))
    assert is_genuine(headers, body, secret)
    assert is_genuine(headers | {"webhook-signature": f"v1,AAAA {headers['webhook-signature']}"}, body, secret)
    assert not is_genuine(headers, body + b" ", secret)
    assert not is_genuine(headers | {"webhook-id": "a-b-d"}, body, secret)
    assert not is_genuine(headers | {"webhook-timestamp": str(int(time.time()) + 1)}, body, secret)
    old = signature(hook.secret, "a-b-c", body, datetime.fromtimestamp(time.time() - 900, UTC))
    assert not is_genuine(old, body, secret)
