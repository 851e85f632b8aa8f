"""A local mail server for tests, which stores received mail and can simulate errors."""

from contextlib import contextmanager
from email import message_from_bytes, policy

from aiosmtpd.controller import Controller

from presort.desk.settings import MailServer


class Inbox:
    """Received mail by address, and configurable responses for some addresses."""

    def __init__(self):
        self.got = {}
        self.envelopes = []
        self.refuses = {}  # responses to RCPT
        self.answers = {}  # responses to the end of DATA
        self.hangs_up_on = ""
        self.sender_answer = ""
        self.on_data = lambda: None

    async def handle_MAIL(self, _server, _session, envelope, address, _options):  # noqa: N802
        if self.sender_answer:
            return self.sender_answer
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, _server, _session, envelope, address, _options):  # noqa: N802
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, _session, envelope):  # noqa: N802
        self.on_data()
        (address,) = envelope.rcpt_tos
        if address == self.hangs_up_on:
            server.transport.abort()
            return "250 never heard"
        if address in self.answers:
            return self.answers[address]
        self.envelopes.append(envelope)
        self.got.setdefault(address, []).append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


class AnyPort(Controller):
    """Controller that chooses a free port."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def running(inbox, **options):
    """Run a server. Yields its connection settings."""
    controller = AnyPort(inbox, hostname="127.0.0.1", port=0, **options)
    controller.start()
    try:
        yield MailServer("127.0.0.1", "reports@example.org", controller.port, "The reports", has_starttls=False)
    finally:
        controller.stop()
