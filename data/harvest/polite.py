"""HTTP client that sends at most one request per second, and retries if the server is busy."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from presort.data.harvest.download import Answer, download
from presort.data.harvest.errors import CutError, HarvestError
from presort.data.harvest.pages import holds_error

PAUSE = 1.0  # minimum number of seconds between requests
FIRST_WAIT = 2.0  # seconds to wait after the first failure; doubled after each further failure
LONGEST_WAIT = 600.0  # maximum wait in seconds; if the server requests a longer one, the harvest fails
MOST_TRIES = 6
BUSY = (408, 429, 500, 502, 503, 504)  # HTTP statuses of temporary errors


@dataclass(frozen=True)
class Clock:
    """Functions that return the current time in UTC and that wait for some seconds. Tests replace both functions."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep


class PoliteClient:
    """Client that sends requests to a server, one at a time.

    Parameters
    ----------
    allow_private : bool
        True if the server may be in a private network.
    clock : Clock
        Clock used for the rate limit and the retries.
    say : callable
        Callback that receives a message before each retry.
    """

    def __init__(self, *, allow_private: bool, clock: Clock, say: Callable[[str], None]) -> None:
        self.allow_private, self.clock, self.say = allow_private, clock, say
        self._last_request_at: datetime | None = None

    def get(self, url: str) -> bytes:
        """Fetch a URL, with retries, and return the content. OAI-PMH errors are returned regardless of the HTTP status.

        Raises
        ------
        HarvestError
            If the server rejects the request, asks for too long a wait, or still fails after all retries.
        """
        for n_tries in range(1, MOST_TRIES + 1):
            self._pause()
            wait = FIRST_WAIT * 2 ** (n_tries - 1)
            try:
                answer = download(url, allow_private=self.allow_private)
                if answer.status == 200 or holds_error(answer.content):
                    return answer.content
                reason = f"{url}: the server responded with status {answer.status}."
                if answer.status not in BUSY:
                    raise HarvestError(reason)
                wait = self._retry_delay(answer) or wait
            except CutError as error:
                reason = str(error)
            if wait > LONGEST_WAIT:
                raise HarvestError(f"{url}: the server is busy. Try again in {wait / 60:,.0f} minutes.")
            if n_tries < MOST_TRIES:
                self.say(f"{reason} Retrying in {wait:.0f} seconds.")
                self.clock.sleep(wait)
        raise HarvestError(f"{reason} Gave up after {MOST_TRIES} tries. Try again later.")

    def _pause(self) -> None:
        if self._last_request_at:
            passed = (self.clock.now() - self._last_request_at).total_seconds()
            if 0 <= passed < PAUSE:
                self.clock.sleep(PAUSE - passed)
        self._last_request_at = self.clock.now()

    def _retry_delay(self, answer: Answer) -> float:
        """Return the Retry-After delay in seconds, at least `PAUSE`, or 0 if the header is missing or invalid."""
        text = answer.retry_after.strip()
        if text.isdecimal() and text.isascii():
            return max(float(text[:12]), PAUSE)
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # OverflowError: the year or time zone has too many digits
            return 0.0
        known = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((known - self.clock.now()).total_seconds(), PAUSE)
