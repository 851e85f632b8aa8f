"""Mailings of report issues: each reader gets each report issue at most once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing.publications import reopen
from presort.data.errors import RefusedError
from presort.data.mail import mailings
from presort.data.mail.mailings import (
    claim,
    give_up,
    pending_addresses,
    prepare,
    send_again,
    sending,
    settle,
    unsure_mailings,
)
from presort.data.mail.readers import add_readers, erase_reader, remove_reader
from presort.data.records import Report
from presort.data.store import open_store
from presort.data.tables import MailingRow
from tests.data.workspaces import FIRST, SECOND, contents, kill_after, make_issue, send_out, take_in

ADDRESSES = [f"reader{number}@example.org" for number in range(4)]


@pytest.fixture
def published(store):
    """A report with four readers and a published issue."""
    take_in(store, make_issue(3), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    add_readers(store, "lab", [(address, "") for address in ADDRESSES], person="Dee")
    send_out(store, "lab")
    return store


def states(store):
    return {one.address[:7]: one.state for one in mailings.mailings(store, "lab", FIRST)}


def next_one(store, after=0):
    return claim(store, "lab", FIRST, prepare(store, "lab", FIRST), after=after)


def test_each_mailing_is_claimed_once_and_ends_in_one_state(published):
    ends = ["sent", "refused", "unsure", "pending"]
    claimed = None
    for address, end in zip(ADDRESSES, ends, strict=True):
        claimed = next_one(published, claimed.id if claimed else 0)
        assert (claimed.address, claimed.state) == (address, "sending")
        settle(published, claimed, end, "said\nso" if end != "sent" else "")
    assert next_one(published, claimed.id) is None
    assert list(states(published).values()) == ends
    assert [one.reason for one in mailings.mailings(published)] == ["", "said so", "said so", "said so"]
    assert next_one(published).address == ADDRESSES[3]
    with pytest.raises(RuntimeError, match="does not have the state 'sending'"):
        settle(published, mailings.mailings(published)[0], "sent")


def test_the_table_allows_one_mailing_per_reader_and_issue(published):
    prepare(published, "lab", FIRST)
    again = {"report_id": 1, "issue_id": 1, "reader_id": 1, "state": "pending", "changed_at": datetime.now(UTC)}
    with pytest.raises(IntegrityError, match=r"(?i)unique"), published.writing() as connection:
        connection.execute(insert(MailingRow).values(**again))


def test_the_recipients_are_fixed_when_it_is_first_sent(published):
    assert pending_addresses(published, "lab", FIRST) == ADDRESSES
    prepare(published, "lab", FIRST)
    add_readers(published, "lab", [("new@example.org", "")], person="Dee")
    remove_reader(published, "lab", ADDRESSES[1], person="Dee")
    assert pending_addresses(published, "lab", FIRST) == [ADDRESSES[0], *ADDRESSES[2:]]
    send_again(published, "lab", FIRST, "new@example.org")
    assert pending_addresses(published, "lab", FIRST) == [ADDRESSES[0], *ADDRESSES[2:], "new@example.org"]
    first = next_one(published)
    assert next_one(published, first.id).address == ADDRESSES[2]
    with pytest.raises(RefusedError, match="is not a reader of lab"):
        send_again(published, "lab", FIRST, ADDRESSES[1])


def test_an_unpublished_report_issue_is_not_sent(published):
    before = contents(published)
    with pytest.raises(RefusedError, match="lab 2026-11-09 is not published"):
        prepare(published, "lab", SECOND)
    assert contents(published) == before


def test_a_reopened_issue_is_not_sent_and_after_republication_only_to_remaining_readers(published):
    published_at = prepare(published, "lab", FIRST)
    settle(published, claim(published, "lab", FIRST, published_at), "sent")
    reopen(published, "lab", FIRST, "One is missing.", person="Bo")
    with pytest.raises(RefusedError, match="was reopened in the meantime"):
        claim(published, "lab", FIRST, published_at)
    send_out(published, "lab")
    with pytest.raises(RefusedError, match="was reopened in the meantime"):
        claim(published, "lab", FIRST, published_at)
    assert pending_addresses(published, "lab", FIRST) == ADDRESSES[1:]
    assert next_one(published).address == ADDRESSES[1]


def test_only_one_process_sends_and_each_mailing_is_claimed_once(published, tmp_path):
    other = open_store(tmp_path / "workspace")
    with sending(published), pytest.raises(RefusedError, match="Another process is sending"), sending(other):
        pass
    with sending(other):
        assert unsure_mailings(published) == []
    published_at = prepare(published, "lab", FIRST)

    def claim_all(store):
        found = iter(lambda: claim(store, "lab", FIRST, published_at), None)
        return [one.address for one in found]

    with ThreadPoolExecutor(2) as pool:  # even without that lock
        claimed = [address for found in pool.map(claim_all, [published, other]) for address in found]
    assert sorted(claimed) == ADDRESSES
    other.close()


KILLED = """
from presort.data.mail import mailings
day = date.fromisoformat(sys.argv[4])
with mailings.sending(store):
    mailings.claim(store, "lab", day, mailings.prepare(store, "lab", day))
    with store.reading() as connection:
        connection.exec_driver_sql("SELECT 'the mail server is asked'")
"""


def test_a_process_killed_before_the_mail_leaves_an_unsure_mailing(published, tmp_path):
    published.close()
    kill_after(tmp_path / "workspace", "SELECT 'the mail server", 1, KILLED, FIRST)
    assert list(states(published).values()) == ["sending", "pending", "pending", "pending"]
    with sending(published):
        assert states(published)["reader0"] == "unsure"
        assert next_one(published).address == ADDRESSES[1]
    (left, found) = unsure_mailings(published)  # the result of the second one is also unknown
    assert (left.address, left.reason) == (ADDRESSES[0], mailings.CUT_OFF)
    assert found.address == ADDRESSES[1]


@pytest.mark.parametrize(
    ("end", "kept"), [("sent", "sent"), ("refused", "refused"), ("pending", "given up"), ("unsure", "given up")]
)
def test_erasing_a_reader_during_sending_also_erases_the_reply(published, end, kept):
    claimed = next_one(published)
    erase_reader(published, ADDRESSES[0], person="Dee")
    settle(published, claimed, end, f"550 No such reader {ADDRESSES[0]}")
    assert (mailings.mailings(published)[0].state, mailings.mailings(published)[0].reason) == (kept, "")


def test_an_interrupted_mailing_to_an_erased_reader_is_given_up(published):
    first = next_one(published)
    next_one(published, first.id)
    erase_reader(published, ADDRESSES[0], person="Dee")
    assert [one.address for one in unsure_mailings(published)] == [ADDRESSES[1]]
    assert mailings.mailings(published)[0].state == "given up"


def test_the_director_decides_on_unsure_mailings(published):
    with sending(published):
        first = next_one(published)
        next_one(published, first.id)
    assert [one.address for one in unsure_mailings(published)] == ADDRESSES[:2]
    give_up(published, "lab", FIRST, ADDRESSES[0])
    send_again(published, "lab", FIRST, ADDRESSES[1])
    assert unsure_mailings(published) == []
    assert list(states(published).values()) == ["given up", "pending", "pending", "pending"]
    settle(published, next_one(published), "sent")
    with pytest.raises(RefusedError, match="Nothing is sent twice"):
        send_again(published, "lab", FIRST, ADDRESSES[1])
    for address in (*ADDRESSES[:2], "nobody@example.org"):
        with pytest.raises(RefusedError, match="There is nothing to cancel"):
            give_up(published, "lab", FIRST, address)
    send_again(published, "lab", FIRST, ADDRESSES[0])
    assert states(published)["reader0"] == "pending"
