"""HTTP client with a rate limit: at most one request per second, with retries if the server is busy."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from presort.data.harvest.download import Answer, download
from presort.data.harvest.errors import CutError, HarvestError
from presort.data.harvest.pages import holds_error

PAUSE = 1.0  # seconds between requests
FIRST_WAIT = 2.0  # seconds after a failure, doubled with each
LONGEST_WAIT = 600.0  # seconds; if the server asks for more, the user has to repeat the harvest
MOST_TRIES = 6
BUSY = (408, 429, 500, 502, 503, 504)  # states of a server that pass


@dataclass(frozen=True)
class Clock:
    """The time (UTC), and how to let it pass (in seconds)."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep


class PoliteClient:
    """Asks one server, never two requests at once.

    Parameters
    ----------
    allow_private : bool
        Allow servers in a private network.
    say : callable
        Callback that receives a message about each wait.
    """

    def __init__(self, *, allow_private: bool, clock: Clock, say: Callable[[str], None]) -> None:
        self.allow_private, self.clock, self.say = allow_private, clock, say
        self._asked_at: datetime | None = None

    def get(self, url: str) -> bytes:
        """Fetch a URL, if need be by several tries. A refusal of OAI-PMH is an answer, whatever the status of HTTP.

        Raises
        ------
        HarvestError
            If the server refuses, asks for too long a wait, or does not answer after all tries.
        """
        for n_tries in range(1, MOST_TRIES + 1):
            self._pause()
            wait = FIRST_WAIT * 2 ** (n_tries - 1)
            try:
                answer = download(url, allow_private=self.allow_private)
                if answer.status == 200 or holds_error(answer.content):
                    return answer.content
                reason = f"{url}: the server answered with {answer.status}."
                if answer.status not in BUSY:
                    raise HarvestError(reason)
                wait = self._asked_for(answer) or wait
            except CutError as error:
                reason = str(error)
            if wait > LONGEST_WAIT:
                raise HarvestError(
                    f"{url}: the server asks for a pause of {wait / 60:,.0f} minutes. Try again after that."
                )
            if n_tries < MOST_TRIES:
                self.say(f"{reason} Trying again in {wait:.0f} seconds.")
                self.clock.sleep(wait)
        raise HarvestError(f"{reason} Gave up after {MOST_TRIES} tries. Try again later.")

    def _pause(self) -> None:
        if self._asked_at:
            passed = (self.clock.now() - self._asked_at).total_seconds()
            if 0 <= passed < PAUSE:
                self.clock.sleep(PAUSE - passed)
        self._asked_at = self.clock.now()

    def _asked_for(self, answer: Answer) -> float:
        """Return the seconds that the server asks us to wait, at least a pause; 0 if it doesn't say."""
        text = answer.retry_after.strip()
        if text.isdecimal() and text.isascii():
            return max(float(text[:12]), PAUSE)
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # of a year or a zone with many digits
            return 0.0
        known = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((known - self.clock.now()).total_seconds(), PAUSE)
