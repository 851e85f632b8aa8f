"""Check URLs and hosts, to keep a harvest from reaching a private network through a name, redirect or IP address."""

import ipaddress
import re
import socket
from urllib.parse import SplitResult, urlsplit

from presort.data.harvest.errors import CutError, HarvestError

PRINTABLE = re.compile(r"[!-~]+")
OPEN_IPV6 = ipaddress.IPv6Network("2000::/3")  # range of public IPv6 addresses
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # the last 32 bits are an IPv4 address
HINT = "Use --allow-private if it is your own"


def split_url(url: str) -> SplitResult:
    """Validate a URL and split it into its parts.

    Raises
    ------
    HarvestError
        If the scheme is not http or https, the host is missing, or the URL contains a user name or password, which
        would end up in files.
    """
    # Checked first, because the other error messages quote the URL and would show the password.
    if "@" in "".join(url.split()).partition("//")[2].partition("/")[0]:
        raise HarvestError("The URL contains a user name or password. Only public repositories can be harvested.")
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if the port is invalid
    except ValueError as error:
        raise HarvestError(f"{url} is not a web address: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not PRINTABLE.fullmatch(url):
        raise HarvestError(f"{url} is not a web address. A web address looks like https://example.org/oai.")
    return parts


def open_connection(host: str, port: int, *, allow_private: bool, timeout: float) -> socket.socket:
    """Resolve a host name, check its IP addresses, and connect to one of them.

    The name is resolved only once, because a second lookup could return an address that was not checked.

    Parameters
    ----------
    allow_private : bool
        True if the host may be in a private network.
    timeout : float
        Timeout in seconds for connecting, and for each read.

    Raises
    ------
    HarvestError
        If the host is in a private network and `allow_private` is False.
    CutError
        If the host can't be found or reached.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:  # UnicodeError: part of the host name is too long
        raise CutError(f"{host} can't be found: {error}.") from error
    addresses = [str(address[0]) for *_, address in found]
    if not allow_private and not all(map(is_public, addresses)):
        raise HarvestError(f"{host} is in a private network ({', '.join(dict.fromkeys(addresses))}). {HINT}.")
    failure = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout)
        except OSError as error:
            failure = error
    raise CutError(f"{host} can't be reached: {failure}.") from failure


def is_public(address: str) -> bool:
    """Return True if an IP address is public. If an IPv6 address embeds an IPv4 address, that address is checked.

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
