"""Readers of a report."""

import time
from datetime import UTC, datetime

import pytest

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.mail import mailings
from presort.data.mail.addresses import ascii_address, validate_address
from presort.data.mail.readers import add_readers, erase_reader, readers, remove_reader
from presort.data.records import Report
from tests.clock import Clock
from tests.data.workspaces import FIRST, contents, make_issue, send_out, take_in

ANN, BO = ("ann@example.org", "Ann Lee"), ("bo@example.org", "")


@pytest.fixture
def begun(store):
    """Two reports. One of them has published an issue."""
    take_in(store, make_issue(3))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    send_out(store, "lab")
    return store


def reading(store, report=None, **options):
    return [(one.report, one.address, one.name) for one in readers(store, report, **options)]


def test_readers_join_leave_and_join_again(begun):
    assert add_readers(begun, "lab", [BO, ANN], person="Dee") == 2
    assert add_readers(begun, "his", [ANN], person="Dee") == 1
    assert reading(begun) == [("his", *ANN), ("lab", *ANN), ("lab", *BO)]
    first = readers(begun, "lab")[0]
    assert first.left is None

    remove_reader(begun, "lab", "ANN@example.org", person="Dee")
    assert reading(begun, "lab") == [("lab", *BO)]
    gone = readers(begun, "lab", left=True)[0]
    assert (gone.address, gone.joined) == (ANN[0], first.joined)
    assert gone.left >= gone.joined

    assert add_readers(begun, "lab", [ANN], person="Dee") == 1
    back = readers(begun, "lab")[0]
    assert (back.joined >= gone.left, back.left) == (True, None)
    assert [row[3] for row in contents(begun)["readership"]] == [True, True, True, False, True]


def test_an_existing_reader_stays_and_gets_the_new_name(begun):
    assert add_readers(begun, "lab", [BO, BO], person="Dee") == 1
    assert add_readers(begun, "lab", [("BO@Example.ORG", "Bo\tChen ")], person="Dee") == 0
    assert add_readers(begun, "lab", [BO], person="Dee") == 0
    assert reading(begun) == [("lab", "bo@example.org", "Bo Chen")]


def test_several_readers_are_added_together_or_not_at_all(begun):
    before = contents(begun)
    with pytest.raises(RefusedError, match="'bo' is not an email address"):
        add_readers(begun, "lab", [ANN, ("bo", "")], person="Dee")
    with pytest.raises(RefusedError, match="has 201 characters"):
        add_readers(begun, "lab", [ANN, ("bo@example.org", "x" * 201)], person="Dee")
    with pytest.raises(RefusedError, match="There is no report 'lob'"):
        add_readers(begun, "lob", [ANN], person="Dee")
    assert contents(begun) == before


def test_nobody_joins_a_retired_report(begun):
    catalogue.retire_report(begun, "lab")
    with pytest.raises(RefusedError, match="lab is retired"):
        add_readers(begun, "lab", [("ann@example.org", "")], person="Dee")
    assert readers(begun) == []


def test_a_non_reader_can_not_be_removed(begun):
    add_readers(begun, "lab", [ANN], person="Dee")
    with pytest.raises(RefusedError, match=r"ann@example\.org is not a reader of his"):
        remove_reader(begun, "his", ANN[0], person="Dee")
    with pytest.raises(RefusedError, match=r"bo@example\.org is not a reader of lab"):
        remove_reader(begun, "lab", BO[0], person="Dee")


def test_an_erased_reader_leaves_no_address_and_no_name_but_the_log_stays(begun):
    add_readers(begun, "lab", [ANN, BO], person="Dee")
    published_at = mailings.prepare(begun, "lab", FIRST)
    claimed = mailings.claim(begun, "lab", FIRST, published_at)
    mailings.settle(begun, claimed, "unsure", "550 <ann@example.org> Ann Lee is not here")
    erase_reader(begun, "Ann@example.org", person="Dee")
    assert reading(begun, left=True) == [("lab", *BO)]
    kept = contents(begun)
    assert not [row for rows in kept.values() for row in rows if "ann@" in repr(row) or "Ann Lee" in repr(row)]
    assert [row[3] for row in kept["readership"]] == [True, True, False]
    assert [(one.address, one.name, one.state) for one in mailings.mailings(begun, "lab")] == [
        ("", "", "given up"),
        (*BO, "pending"),
    ]
    assert mailings.unsure_mailings(begun) == []
    with pytest.raises(RefusedError, match="Nothing is stored about that address"):
        erase_reader(begun, ANN[0], person="Dee")
    assert add_readers(begun, "lab", [ANN], person="Dee") == 1
    assert mailings.pending_addresses(begun, "lab", FIRST) == [BO[0]]  # the recipients are fixed now


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("ann", id="no-domain"),
        pytest.param("@example.org", id="no-name"),
        pytest.param("ann@localhost", id="one-label"),
        pytest.param("ann@10.0.0.1", id="number"),
        pytest.param("ann@[10.0.0.1]", id="literal"),
        pytest.param("ann@-example.org", id="hyphen-first"),
        pytest.param("ann@example..org", id="empty-label"),
        pytest.param("ann@example.org.", id="dot-last"),
        pytest.param(f"ann@{'x' * 64}.org", id="long-label"),
        pytest.param(f"{'a' * 65}@example.org", id="long-name"),
        pytest.param(f"ann@{'x' * 60}.{'x' * 60}.{'x' * 60}.{'x' * 60}.example.org", id="long"),
        pytest.param("ann..lee@example.org", id="two-dots"),
        pytest.param("änn@example.org", id="accepted-by-few-servers"),
        pytest.param("Ann Lee <ann@example.org>", id="display-name"),
        pytest.param('"bo@example.org" <ann@example.org>', id="display-name-that-looks-like-an-address"),
        pytest.param("ann@example.org, bo@example.org", id="two"),
        pytest.param("ann@bo@example.org", id="two-at"),
        pytest.param("ann@example.org (bo)", id="comment"),
        pytest.param("ann@example.org\r\nBcc: bo@example.org", id="header"),
        pytest.param("ann\n@example.org", id="line-break"),
        pytest.param("ann@exam\u202eple.org", id="right-to-left"),
        pytest.param("ann@exam\u200bple.org", id="unseen"),
        pytest.param("ann@example。org", id="other-dot"),
        pytest.param("ann@straße.example", id="another-domain-under-older-rules"),
    ],
)
def test_anything_but_a_single_plain_address_is_refused(text):
    with pytest.raises(RefusedError):
        validate_address(text)


@pytest.mark.parametrize("domain", ["e" + "\u0323\u0301" * 60_000, "é." * 60_000])
def test_a_very_long_address_is_checked_quickly(domain):
    began = time.perf_counter()
    with pytest.raises(RefusedError, match="longer than 254 characters"):
        validate_address(f"ann@{domain}.org")
    assert time.perf_counter() - began < 0.1


@pytest.mark.parametrize(
    ("text", "kept", "sent"),
    [
        pytest.param(" A.B+c'd@Example.ORG\n", "A.B+c'd@example.org", "A.B+c'd@example.org", id="plain"),
        pytest.param("a@Bu\u0308cher.de", "a@bücher.de", "a@xn--bcher-kva.de", id="letters"),
        pytest.param("a@XN--bcher-kva.de", "a@bücher.de", "a@xn--bcher-kva.de", id="normalised-by-servers"),
        pytest.param("a@xn--strae-oqa.de", "a@xn--strae-oqa.de", "a@xn--strae-oqa.de", id="newer-rule"),
    ],
)
def test_an_address_keeps_the_letters_of_its_domain(text, kept, sent):
    assert validate_address(text) == kept
    assert ascii_address(kept) == sent


def test_the_last_subscription_counts_although_the_clock_was_ahead(begun, monkeypatch):
    clock = Clock(datetime(2027, 11, 23, 9, tzinfo=UTC)).install(monkeypatch)
    add_readers(begun, "lab", [(ANN[0], "")], person="Dee")
    remove_reader(begun, "lab", ANN[0], person="Dee")
    clock.move(days=-365)
    add_readers(begun, "lab", [(ANN[0], "")], person="Dee")
    (ann,) = [one for one in readers(begun, "lab") if one.address == ANN[0]]
    assert ann.joined == clock.now
