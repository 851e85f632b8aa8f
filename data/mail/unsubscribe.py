"""Links that let readers unsubscribe from a report without signing in (one-click unsubscribe, RFC 8058).

A link contains a token: the encrypted and authenticated ids of the report and the reader. The token doesn't reveal the
ids, and it can't be guessed or changed. A reader always gets the same token for a report, so links in old mails stay
valid. The key is stored in the database, because it must survive the restore of a backup.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from struct import Struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from sqlalchemy import Connection, select

from presort.data.catalogue import read_setting, report_id, setting, write_setting
from presort.data.mail.readers import end_subscription, is_reading
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import ReportRow

KEY = "unsubscribe-key"  # name of the setting that contains the key
KEY_BITS = 512  # two 256-bit keys, as required by AES-SIV
PURPOSE = [b"unsubscribe"]  # authenticated with each token, so that tokens from other uses of the key are invalid
IDS = Struct(">QQ")  # database ids of the report and the reader
FORM = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64: 16 bytes for authentication and 16 bytes for the ids
PERSON = "reader"  # name that the log gives as the author if a reader unsubscribes


@dataclass(frozen=True)
class Subscription:
    """Subscription that an unsubscribe link refers to: the report, and whether the reader still receives it."""

    code: str
    name: str
    is_reading: bool


class Tokens:
    """Unsubscribe tokens for one report's readers. The workspace's key is created on first use."""

    def __init__(self, store: Store, report: str) -> None:
        with store.reading(Right.EDIT, report) as connection:
            self._report = report_id(connection, report)
        self._cipher = AESSIV(_key(store))

    def token(self, reader: int) -> str:
        """Return the token for the reader with this id."""
        encrypted = self._cipher.encrypt(IDS.pack(self._report, reader), PURPOSE)
        return urlsafe_b64encode(encrypted).decode().rstrip("=")


def subscription(store: Store, token: str) -> Subscription | None:
    """Return the subscription that a token refers to, or None if the token is invalid."""
    ids = _ids(setting(store, KEY), token)
    if ids is None:
        return None
    with store.reading() as connection:
        return _subscription(connection, *ids)


def unsubscribe(store: Store, token: str) -> Subscription | None:
    """End the subscription that a token refers to, and log that the reader ended it.

    Changes nothing if the subscription has already ended.

    Returns
    -------
    Subscription or None
        The ended subscription. None if the token is invalid.
    """
    known = subscription(store, token)
    ids = _ids(setting(store, KEY), token)
    if known is None or ids is None or not known.is_reading:
        return known
    with store.writing() as connection:
        if connection.execute(select(is_reading(*ids))).scalar():  # checked again, because requests may be repeated
            end_subscription(connection, *ids, person=PERSON)
        return _subscription(connection, *ids)


def _subscription(connection: Connection, report: int, reader: int) -> Subscription | None:
    row = connection.execute(select(ReportRow.code, ReportRow.name).where(ReportRow.id == report)).first()
    is_current = bool(connection.execute(select(is_reading(report, reader))).scalar())
    return None if row is None else Subscription(row.code, row.name, is_current)


def _ids(key: str | None, token: str) -> tuple[int, int] | None:
    """Decrypt a token, and return the ids of its report and reader. Returns None if the token is not authentic."""
    if key is None or not FORM.fullmatch(token):
        return None
    try:
        report, reader = IDS.unpack(AESSIV(bytes.fromhex(key)).decrypt(urlsafe_b64decode(f"{token}="), PURPOSE))
    except InvalidTag:
        return None
    return report, reader


def _key(store: Store) -> bytes:
    known = setting(store, KEY)
    if known is None:
        with store.writing(Right.SEE) as connection:
            # Read the key again under the lock, because another process may have created it in the meantime.
            known = read_setting(connection, KEY) or AESSIV.generate_key(KEY_BITS).hex()
            write_setting(connection, KEY, known)
    return bytes.fromhex(known)
