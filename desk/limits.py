"""Limits on the size of uploads and the rate of requests.

Rates are tracked in the server's memory, only for the clients that sent the most recent requests.
"""

import math
import time
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from threading import Lock
from typing import NamedTuple

LARGEST_UPLOAD = 200  # megabytes; limited because uploads are held in memory
MOST = 10_000  # maximum number of clients to track
NETWORK = 64  # leading bits of an IPv6 address that identify a subscriber's network


class Rate(NamedTuple):
    """Request rate: a burst of `at_once` requests, then one request every `seconds` seconds."""

    at_once: int
    seconds: float


class Limit:
    """Rate limit per client. It is a token bucket that stores only the time at which it will be full again.

    Parameters
    ----------
    rate : Rate
        Allowed rate.
    clock : callable
        Monotonic clock in seconds.

    Examples
    --------
    >>> now = 0.0
    >>> limit = Limit(Rate(at_once=2, seconds=30), lambda: now)
    >>> [limit.wait("Ann"), limit.wait("Ann"), limit.wait("Ann"), limit.wait("Bo")]
    [0, 0, 30, 0]
    >>> now = 29.5
    >>> limit.wait("Ann")
    1
    >>> now = 30.0
    >>> limit.wait("Ann")
    0
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.clock = rate, clock
        self._full_at: dict[str, float] = {}  # by client, most recent client last
        self._lock = Lock()

    def wait(self, who: str) -> int:
        """Count a request and return 0. If it exceeds the limit, return the seconds to wait without counting it."""
        with self._lock:
            now = self.clock()
            full_at = max(now, self._full_at.pop(who, now))
            over = full_at + self.rate.seconds - now - self.rate.at_once * self.rate.seconds
            self._full_at[who] = full_at if over > 0 else full_at + self.rate.seconds
            if len(self._full_at) > MOST:
                del self._full_at[next(iter(self._full_at))]
            return max(0, math.ceil(over))


def network_of(address: str) -> str:
    """Return the key that identifies a client for rate limits: the /64 network of an IPv6 address, or else the address.

    Examples
    --------
    >>> network_of("203.0.113.7"), network_of("2001:db8:1:2:3::4"), network_of("nobody")
    ('203.0.113.7', '2001:db8:1:2::/64', 'nobody')
    """
    try:
        is_long = ip_address(address).version == 6
    except ValueError:
        return address
    return str(ip_network((address, NETWORK), strict=False)) if is_long else address
