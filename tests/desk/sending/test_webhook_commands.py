"""The command `presort webhooks test`, and what `presort doctor` says about webhooks."""

import base64
import json

import pytest

from presort.desk.doctor.delivery_checks import webhook_messages
from presort.desk.sending.webhook_commands import TEST
from tests.desk.command_line import invoke
from tests.desk.service.webhook_receiver import receiver

SECRET = f"whsec_{base64.b64encode(bytes(range(32))).decode()}"


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with receiver() as running:
        setting = f"[[webhook]]\nurl = '{running.url}'\nsecret = '{SECRET}'\nprivate = true\n"
        (tmp_path / "presort.toml").write_text(setting)
        yield running


def test_each_webhook_gets_a_test_message(there):
    done = invoke(["webhooks", "test"])
    assert (done.exit_code, done.output) == (0, "127.0.0.1: delivered\n")
    ((_, headers, body),) = there.got
    assert json.loads(body)["type"] == TEST
    assert headers["webhook-signature"].startswith("v1,")


def test_a_failure_is_named_without_the_address(there):
    there.statuses = [404]
    done = invoke(["webhooks", "test"])
    assert (done.exit_code, done.output) == (1, "127.0.0.1: status 404\n")


def test_without_webhooks_the_command_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke(["webhooks", "test"])
    assert done.exit_code == 1
    assert "[[webhook]]" in done.output
    assert webhook_messages(tmp_path)[0] == "missing"


def test_doctor_names_the_hosts(there, tmp_path):
    assert webhook_messages(tmp_path) == ("ok", "Messages go to 127.0.0.1.")
