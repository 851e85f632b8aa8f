"""Headers of mails: what stands in them means what it says, whatever letters it has."""

import re
from email.header import Header
from email.headerregistry import BaseHeader, HeaderRegistry
from email.policy import SMTP as SMTP_POLICY
from email.policy import Policy
from typing import Any

from presort.data.errors import RefusedError

PLAIN = re.compile(r"(?!.*=\?)[ -~]{1,60}")  # texts that mean what they say in a header
PLAIN_NAME = re.compile(r"[A-Za-z0-9' -]{1,60}")  # also where addresses stand


class AsWritten(BaseHeader):
    """A header that is written as it is given.

    By the usual rule, ``=?utf-8?b?…?=`` in a name would be decoded, whatever line breaks and headers that hides, and a
    long address would be broken up.
    """

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Take it as it is."""
        kwds |= {"parse_tree": None, "decoded": value}

    def fold(self, *, policy: Policy) -> str:
        """Write it, a line for each encoded piece."""
        return f"{self.name}: {self.replace('?= =?', f'?={policy.linesep} =?')}{policy.linesep}"


HEADERS = HeaderRegistry()
for _name in ("subject", "from", "to", "message-id", "list-id", "list-unsubscribe"):
    HEADERS.map_to_type(_name, AsWritten)
POLICY = SMTP_POLICY.clone(header_factory=HEADERS)


def mailbox(header: str, name: str, address: str) -> str:
    """Write who a mail comes from or goes to."""
    if not name:
        return address
    return f"{in_ascii(header, one_line('Name', name), PLAIN_NAME)} <{address}>"


def in_ascii(header: str, text: str, plain: re.Pattern[str] = PLAIN) -> str:
    """Write a text of any letters so that nothing in it means anything in a header (RFC 2047)."""
    if plain.fullmatch(text):
        return text
    return Header(text, "utf-8", header_name=header).encode(linesep="")


def one_line(what: str, text: str) -> str:
    """Return a text; refuse one with a line break."""
    if len(text.splitlines()) > 1:
        raise RefusedError(f"{what} of a mail must be one line, not {text!r}.")
    return text
