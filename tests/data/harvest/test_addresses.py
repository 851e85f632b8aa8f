"""Requests go only to public addresses, and each host is resolved once."""

import pytest

from presort.data.harvest import addresses, download
from presort.data.harvest.addresses import is_public, split_url
from presort.data.harvest.errors import CutError, HarvestError
from presort.data.harvest.oai import harvest
from presort.data.harvest.stored_harvest import Query, open_harvest
from tests.data.harvest.repository import (
    FakeTime,
    Reply,
    paged,
    repository,
)
from tests.data.harvest.running import FIVE, run


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        pytest.param("93.184.215.14", True, id="open"),
        pytest.param("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True, id="open-6"),
        pytest.param("127.0.0.1", False, id="loopback"),
        pytest.param("0.0.0.0", False, id="any"),
        pytest.param("10.1.2.3", False, id="private-10"),
        pytest.param("172.16.0.1", False, id="private-172"),
        pytest.param("192.168.1.1", False, id="private-192"),
        pytest.param("169.254.169.254", False, id="link-local"),
        pytest.param("100.64.0.1", False, id="carrier"),
        pytest.param("224.0.0.251", False, id="multicast"),
        pytest.param("255.255.255.255", False, id="broadcast"),
        pytest.param("::1", False, id="loopback-6"),
        pytest.param("::", False, id="any-6"),
        pytest.param("fe80::1%1", False, id="link-local-6"),
        pytest.param("fd12:3456::1", False, id="unique-local-6"),
        pytest.param("ff02::1", False, id="multicast-6"),
        pytest.param("::ffff:127.0.0.1", False, id="mapped"),
        pytest.param("::ffff:93.184.215.14", True, id="mapped-open"),
        pytest.param("::127.0.0.1", False, id="compatible"),
        pytest.param("64:ff9b::a00:1", False, id="nat64"),
        pytest.param("2002:7f00:1::", False, id="6to4"),
        pytest.param("2001:0:102:304::", False, id="teredo"),
    ],
)
def test_is_public(address, expected):
    assert is_public(address) == expected


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_private_repositories_are_refused(tmp_path, host):
    with repository(paged(FIVE)) as server:
        url = server.url.replace("127.0.0.1", host)
        with (
            open_harvest(tmp_path, Query(url, "oai_dc")) as stored,
            pytest.raises(HarvestError, match="--allow-private"),
        ):
            harvest(stored, allow_private=False, clock=FakeTime().clock, follow=[].append)
    assert server.asked == []


def test_a_redirect_into_the_private_network_is_not_followed(tmp_path, monkeypatch):
    """The repository first appears to be on the public internet."""
    with (
        repository(paged(FIVE)) as inside,
        repository(lambda asked: Reply(status=302, headers={"Location": inside.url})) as outside,
    ):
        monkeypatch.setattr(addresses, "is_public", lambda address: not outside.asked)
        query = Query(outside.url.replace("127.0.0.1", "localhost"), "oai_dc")
        with open_harvest(tmp_path, query) as stored, pytest.raises(HarvestError, match="private network"):
            harvest(stored, allow_private=False, clock=FakeTime().clock, follow=[].append)
    assert (len(outside.asked), len(inside.asked)) == (1, 0)


def test_a_name_is_looked_up_once(tmp_path, monkeypatch):
    """A second lookup could return an unchecked address."""
    real, asked = addresses.socket.getaddrinfo, []

    def found(host, port, *rest, **options):
        if host == "repository.example":
            asked.append(host)
            return real("127.0.0.1", port, *rest, **options)
        return real(host, port, *rest, **options)

    monkeypatch.setattr(addresses.socket, "getaddrinfo", found)
    with repository(paged(FIVE[:1])) as server:
        assert len(run(tmp_path, server.url.replace("127.0.0.1", "repository.example"))) == 1
    assert asked == ["repository.example"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("ftp://e.org/oai", "is not a web address", id="ftp"),
        pytest.param("file:///etc/passwd", "is not a web address", id="file"),
        pytest.param("e.org/oai", "is not a web address", id="no-scheme"),
        pytest.param("http:///oai", "is not a web address", id="no-host"),
        pytest.param("http://e.org:99999/oai", "is not a web address", id="port"),
        pytest.param("http://[::1/oai", "is not a web address", id="bracket"),
        pytest.param("http://e.org/o ai\r\nX: y", "is not a web address", id="line-break"),
        pytest.param("http://me:word@e.org/oai", "user name or password", id="password"),
        pytest.param("http://me:word@e.org:99999/oai", "user name or password", id="password-and-port"),
        pytest.param("http://me:word@[e.org/oai", "user name or password", id="password-and-bracket"),
        pytest.param("http:/\n/me:word@e.org/oai", "user name or password", id="password-after-line-break"),
    ],
)
def test_invalid_addresses_are_refused(url, reason):
    with pytest.raises(HarvestError, match=reason) as caught:
        split_url(url)
    assert "word" not in str(caught.value).replace("password", "")


def test_an_address_with_an_oai_request_is_refused(tmp_path):
    with pytest.raises(HarvestError, match="OAI-PMH request or a fragment"):
        run(tmp_path, "http://127.0.0.1:1/oai?verb=Identify")


@pytest.mark.parametrize("url", ["http://me:word@e.org/oai", "http://e.org/oai?", "http://e.org/oai#", "oai"])
def test_an_address_that_is_refused_leaves_no_file(tmp_path, url):
    with pytest.raises(HarvestError), open_harvest(tmp_path, Query(url, "oai_dc")):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("http://[2606:4700::1]/oai", ("2606:4700::1", 80), id="no-port"),
        pytest.param("https://[2606:4700::abcd]/oai", ("2606:4700::abcd", 443), id="empty-port-and-letters"),
        pytest.param("http://[2606:4700::1]:8080/oai", ("2606:4700::1", 8080), id="port"),
    ],
)
def test_an_ipv6_address_is_parsed_as_a_whole(monkeypatch, url, expected):
    def connected(host, port, **_):
        raise CutError(f"{(host, port)}")

    monkeypatch.setattr(download, "open_connection", connected)
    with pytest.raises(CutError) as caught:
        download.download(url, allow_private=False)
    assert str(caught.value) == str(expected)


def test_a_name_that_no_host_can_have_is_not_found():
    with pytest.raises(CutError, match="can't be found"):
        addresses.open_connection(f"{'a' * 70}.example", 80, allow_private=False, timeout=1)
