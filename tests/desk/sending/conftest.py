"""A running mail server for tests."""

import pytest

from tests.desk.sending.mail_server import Inbox, running


@pytest.fixture
def inbox(monkeypatch):
    """Mail received by a running server that is configured in the settings."""
    inbox = Inbox()
    with running(inbox) as server:
        monkeypatch.setenv("PRESORT_SMTP_HOST", server.host)
        monkeypatch.setenv("PRESORT_SMTP_PORT", str(server.port))
        monkeypatch.setenv("PRESORT_SMTP_FROM", "The reports <reports@example.org>")
        monkeypatch.setenv("PRESORT_SMTP_STARTTLS", "no")
        inbox.server = server
        yield inbox
