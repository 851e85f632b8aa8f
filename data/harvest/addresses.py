"""Check of addresses: a harvest must not reach computers in a private network by a name, redirect or IP address."""

import ipaddress
import re
import socket
from urllib.parse import SplitResult, urlsplit

from presort.data.harvest.errors import CutError, HarvestError

PRINTABLE = re.compile(r"[!-~]+")
OPEN_IPV6 = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # the last 32 bits are an IPv4 address
HINT = "use --allow-private if it is yours"


def checked_url(url: str) -> SplitResult:
    """Take a URL apart.

    Raises
    ------
    HarvestError
        If it is not of http or https, names no host, or carries a user name or password, which would end up in files.
    """
    if "@" in "".join(url.split()).partition("//")[2].partition("/")[0]:  # seen before anything quotes it
        raise HarvestError("The address holds a user name or a password; only open repositories can be harvested.")
    try:
        parts = urlsplit(url)
        _ = parts.port  # looked at only when asked for
    except ValueError as error:
        raise HarvestError(f"{url} is not an address of the web: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not PRINTABLE.fullmatch(url):
        raise HarvestError(f"{url} is not an address of the web; one looks like https://example.org/oai.")
    return parts


def connected(host: str, port: int, *, allow_private: bool, timeout: float) -> socket.socket:
    """Connect to a host by the address that was checked: asked again, its name could lead elsewhere.

    Parameters
    ----------
    timeout : float
        Seconds for each step.

    Raises
    ------
    HarvestError
        If the host is not in the open internet.
    CutError
        If it can't be found or reached.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:  # of a label that is too long
        raise CutError(f"{host} can't be found: {error}.") from error
    addresses = [str(address[0]) for *_, address in found]
    if not allow_private and not all(map(is_public, addresses)):
        raise HarvestError(f"{host} is in a private network ({', '.join(dict.fromkeys(addresses))}); {HINT}.")
    failure = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout)
        except OSError as error:
            failure = error
    raise CutError(f"{host} can't be reached: {failure}.") from failure


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the open internet, also where an IPv6 address wraps one of IPv4.

    Examples
    --------
    >>> is_public("151.101.1.42"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("fd00::1")
    (True, False, False, False)
    """
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        wrapped = found.ipv4_mapped or found.sixtofour
        if found in NAT64:
            wrapped = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if wrapped is None and found not in OPEN_IPV6:
            return False
        found = wrapped or found
    return found.is_global and not found.is_multicast
