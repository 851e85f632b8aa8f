"""A mail server for the tests of mail."""

import pytest

from tests.desk.sending.mail_server import Inbox, running


@pytest.fixture
def inbox(monkeypatch):
    """Received mail of a running mail server, which the settings name."""
    inbox = Inbox()
    with running(inbox) as server:
        monkeypatch.setenv("PRESORT_SMTP_HOST", server.host)
        monkeypatch.setenv("PRESORT_SMTP_PORT", str(server.port))
        monkeypatch.setenv("PRESORT_SMTP_FROM", "The reports <reports@example.org>")
        monkeypatch.setenv("PRESORT_SMTP_STARTTLS", "no")
        inbox.server = server
        yield inbox
