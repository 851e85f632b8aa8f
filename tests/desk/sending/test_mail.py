"""Mail to readers, through a local mail server."""

import traceback
from collections import Counter
from dataclasses import replace
from datetime import date
from email import message_from_bytes, policy
from smtplib import SMTPDataError, SMTPServerDisconnected

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import save_draft
from presort.data.editing.publications import reopen
from presort.data.errors import DataError, RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.learning.rankings import add_rankings
from presort.data.mail import mailings
from presort.data.mail.readers import add_readers
from presort.data.records import Decision, Draft, ListedPaper, Paper, Ranking, Report
from presort.data.store import open_store
from presort.desk.sending import sender
from presort.desk.sending.letters import Letter
from presort.desk.sending.mail import Recipient, RenderedLetter, create_email, deliver, mail_connection, message
from presort.desk.sending.sender import letter_preview, send, send_draft
from presort.desk.settings import MailServer
from tests.desk.sending.mail_server import Inbox, running
from tests.desk.sending.test_preview import HOSTILE

DAY = date(2026, 11, 16)
ANN, BO, CAT = "ann@example.org", "bo@bücher.example", "cat@example.org"
SERVER = MailServer("localhost", "reports@example.org")
WRITTEN = RenderedLetter("Wages", "<p>Wages")


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def server(inbox):
    with running(inbox) as server:
        yield server


@pytest.fixture
def lab(tmp_path):
    """Workspace with three readers of a report that has two relevant papers and isn't published yet."""
    store = open_store(tmp_path / "workspace")
    papers = [Paper(f"p{number}", title) for number, title in enumerate(["Minimum wages", "Jobs", "Prices"], start=1)]
    commit_import(store, [ListedPaper(paper, DAY) for paper in papers], person="import")
    catalogue.add_reports(store, [Report("lab", "Labour")])
    add_readers(store, "lab", [(ANN, "Ann Lee"), (BO, "Bø"), (CAT, "")], person="Dee")
    decisions.decide(store, [Decision("lab", DAY, paper, "yes", "Ann") for paper in ("p1", "p2")])
    save_draft(store, Draft("lab", DAY, (2, 1), "Read on.", "Ask Bo."), person="Ann")
    yield store
    store.close()


@pytest.fixture
def published(lab):
    publications.publish_report_issue(lab, "lab", DAY, [1, 2, 3], ranking_id=None, person="Ann")
    return lab


def states(store):
    return [one.state for one in mailings.mailings(store, "lab", DAY)]


def test_each_reader_gets_one_mail_with_all_headers(published, inbox, server):
    assert send(published, "lab", DAY, replace(server, unsubscribe="mailto:leave@example.org")) == Counter(sent=3)
    in_ascii = "bo@xn--bcher-kva.example"
    assert list(inbox.got) == [ANN, in_ascii, CAT]
    (mail,) = inbox.got[ANN]
    headers = {name: str(value) for name, value in mail.items()}
    assert mail["Date"].datetime.tzinfo is not None
    assert headers.pop("Date")
    assert headers.pop("Content-Type").startswith("multipart/alternative")
    assert headers == {
        "Subject": "Labour, 2026-11-16",
        "From": "The reports <reports@example.org>",
        "To": "Ann Lee <ann@example.org>",
        "Message-ID": "<2026-11-16.1@lab.example.org>",
        "List-Id": "<lab.example.org>",
        "List-Unsubscribe": "<mailto:leave@example.org?subject=unsubscribe%20lab>",
        "Precedence": "bulk",
        "Auto-Submitted": "auto-generated",
        "MIME-Version": "1.0",
    }
    assert [(envelope.mail_from, envelope.rcpt_tos) for envelope in inbox.envelopes] == [
        ("reports@example.org", [address]) for address in inbox.got
    ]
    assert str(inbox.got[in_ascii][0]["To"]) == f"Bø <{in_ascii}>"
    assert str(inbox.got[CAT][0]["To"]) == CAT
    assert len({str(mails[0]["Message-ID"]) for mails in inbox.got.values()}) == 3

    text, html = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert text.index("two papers, chosen by Ann") < text.index("Read on.") < text.index(" 1. Jobs")
    assert "Minimum wages" in html
    for body in (text, html):
        assert "Ask Bo" not in body
        assert "DRAFT" not in body
        assert "example" not in body
    assert b"\n" not in inbox.envelopes[0].content.replace(b"\r\n", b"")
    assert max(map(len, inbox.envelopes[0].content.split(b"\r\n"))) <= 78
    assert inbox.envelopes[0].content.isascii()


def test_sending_twice_sends_nothing_new(published, inbox, server):
    send(published, "lab", DAY, server)
    assert send(published, "lab", DAY, server) == Counter()
    assert send(published, "lab", DAY, SERVER) == Counter()  # without even connecting to the server
    assert [len(mails) for mails in inbox.got.values()] == [1, 1, 1]


def test_a_rejected_address_does_not_affect_the_other_readers(published, inbox, server):
    inbox.refuses = {ANN: "550 No such reader", CAT: "450 Come again"}
    assert send(published, "lab", DAY, server) == Counter(refused=1, sent=1, pending=1)
    assert states(published) == ["refused", "sent", "pending"]
    assert [one.reason for one in mailings.mailings(published)] == ["550 No such reader", "", "450 Come again"]
    inbox.refuses = {}
    assert send(published, "lab", DAY, server) == Counter(sent=1)
    mailings.send_again(published, "lab", DAY, ANN)
    assert send(published, "lab", DAY, server) == Counter(sent=1)
    assert [len(mails) for mails in inbox.got.values()] == [1, 1, 1]


def test_a_rejection_after_the_data_is_permanent_or_temporary(published, inbox, server):
    inbox.answers = {ANN: "554 Too much", CAT: "452 Full"}
    assert send(published, "lab", DAY, server) == Counter(refused=1, sent=1, pending=1)


def test_any_positive_response_counts_as_sent(published, inbox, server):
    inbox.answers = {ANN: "200 Fine", CAT: "299 Fine"}
    assert send(published, "lab", DAY, server) == Counter(sent=3)


@pytest.mark.parametrize("answer", ["Thanks", "354 More", "999 What", ""])
def test_after_an_invalid_response_delivery_is_unknown(published, inbox, server, answer):
    inbox.answers = {ANN: answer}
    with pytest.raises(DataError, match="may have arrived"):
        send(published, "lab", DAY, server)
    assert states(published) == ["unsure", "pending", "pending"]


def test_after_a_lost_connection_only_the_current_delivery_is_unknown(published, inbox, server):
    inbox.hangs_up_on = "bo@xn--bcher-kva.example"
    with pytest.raises(DataError, match=r"lab 2026-11-16: .* after 1 email .*to bo@bücher\.example may have arrived"):
        send(published, "lab", DAY, server)
    assert states(published) == ["sent", "unsure", "pending"]
    assert [one.address for one in mailings.unsure_mailings(published)] == [BO]
    inbox.hangs_up_on = ""
    assert send(published, "lab", DAY, server) == Counter(sent=1)
    assert list(inbox.got) == [ANN, CAT]  # the director decides on Bo's mail
    mailings.send_again(published, "lab", DAY, BO)
    assert send(published, "lab", DAY, server) == Counter(sent=1)
    assert str(inbox.got["bo@xn--bcher-kva.example"][0]["Message-ID"]) == "<2026-11-16.2@lab.example.org>"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param("550 Who are you", ".550 Who are you.*was not sent", id="sender-refused"),
        pytest.param("421 Closing", ".421 Closing.*was not sent", id="closing"),
    ],
)
def test_a_server_that_accepts_no_mail_rejects_no_reader(published, inbox, server, answer, message):
    inbox.sender_answer = answer
    with pytest.raises(DataError, match=message):
        send(published, "lab", DAY, server)
    assert states(published) == ["pending"] * 3


def test_a_mail_interrupted_before_delivery_is_never_resent_automatically(published, inbox, server, monkeypatch):
    class PowerCutError(Exception):
        pass

    def fail(*_arguments):
        raise PowerCutError

    with monkeypatch.context() as patch:
        patch.setattr(sender, "deliver", fail)
        with pytest.raises(PowerCutError):
            send(published, "lab", DAY, server)
    assert states(published) == ["sending", "pending", "pending"]
    assert send(published, "lab", DAY, server) == Counter(sent=2)
    assert states(published) == ["unsure", "sent", "sent"]
    assert ANN not in inbox.got


def test_two_senders_send_no_mail_twice(published, inbox, server):
    other, messages = open_store(published.folder), []

    def send_too():
        with pytest.raises(RefusedError) as refusal:
            send(other, "lab", DAY, server)
        messages.append(str(refusal.value))

    inbox.on_data = send_too
    assert send(published, "lab", DAY, server) == Counter(sent=3)
    assert messages == ["Another process is sending mail from this workspace. Wait until it has finished."] * 3
    inbox.on_data = lambda: None
    assert send(other, "lab", DAY, server) == Counter()
    assert [len(mails) for mails in inbox.got.values()] == [1, 1, 1]
    other.close()


def test_reopening_during_sending_stops_it(published, inbox, server):
    inbox.on_data = lambda: reopen(published, "lab", DAY, "One is missing.", person="Ann")
    with pytest.raises(RefusedError, match="was reopened in the meantime"):
        send(published, "lab", DAY, server)
    assert list(inbox.got) == [ANN]
    inbox.on_data = lambda: None
    with pytest.raises(RefusedError, match="is not published"):
        send(published, "lab", DAY, server)
    publications.publish_report_issue(published, "lab", DAY, [3, 1, 2], ranking_id=None, person="Ann")
    assert send(published, "lab", DAY, server) == Counter(sent=2)
    assert [len(mails) for mails in inbox.got.values()] == [1, 1, 1]


def test_a_draft_is_marked_and_sent_to_one_address_only(lab, inbox, server):
    send_draft(lab, "lab", DAY, "editor@example.org", server, person="Ann")
    assert list(inbox.got) == ["editor@example.org"]
    (mail,) = inbox.got["editor@example.org"]
    assert str(mail["Subject"]) == "[DRAFT] Labour, 2026-11-16"
    text, html = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert text.count("DRAFT") == html.count("DRAFT") == 2
    assert text.index(" 1. Jobs") < text.index(" 2. Minimum wages")
    assert "Ask Bo" not in text
    assert mailings.mailings(lab) == []

    publications.publish_report_issue(lab, "lab", DAY, [1, 2, 3], ranking_id=None, person="Ann")
    send_draft(lab, "lab", DAY, "editor@example.org", server, person="Ann")
    assert send(lab, "lab", DAY, server) == Counter(sent=3)
    inbox.refuses = {"editor@example.org": "550 No"}
    with pytest.raises(DataError, match="did not accept the draft: 550 No"):
        send_draft(lab, "lab", DAY, "editor@example.org", server, person="Ann")


def test_a_draft_has_the_order_that_publish_opens_with(lab):
    """If the active ranker has no ranking, it is that of another ranker."""
    save_draft(lab, Draft("lab", DAY), person="Ann")
    scores = np.array([3.0, 2.0, 1.0])
    of_another = Ranking("lab", DAY, "krichel-2007", DAY, 0, 20, np.array([2, 3, 1], dtype=np.int32), scores)
    add_rankings(lab, [of_another])
    letter = letter_preview(lab, "lab", DAY, person="Ann")
    assert [paper.title for paper in letter.papers] == ["Jobs", "Minimum wages"]


def test_with_a_wrong_template_or_no_server_all_mail_stays_pending(published, inbox, server):
    folder = published.folder / "templates"
    folder.mkdir()
    (folder / "mail.html.j2").write_text("<p>\n{{ wages }}")
    with pytest.raises(DataError, match=r"mail\.html\.j2, line 2: 'wages' is undefined"):
        send(published, "lab", DAY, server)
    assert states(published) == []
    (folder / "mail.html.j2").unlink()
    with pytest.raises(DataError, match="can't be reached"):
        send(published, "lab", DAY, replace(server, port=1))
    with pytest.raises(DataError, match="STARTTLS extension not supported"):
        send(published, "lab", DAY, replace(server, has_starttls=True))
    assert states(published) == ["pending"] * 3
    assert inbox.got == {}


def test_an_invalid_server_name_is_one_line():
    with pytest.raises(DataError, match=r"a\.\.b:587 can't be reached"), mail_connection(MailServer("a..b", ANN)):
        pass


def test_an_error_does_not_quote_a_non_ascii_password(inbox):
    with (
        running(inbox, auth_require_tls=False) as server,
        pytest.raises(DataError, match="must be plain ASCII") as refusal,
        mail_connection(replace(server, user="ann", password="s3crét-word")),
    ):
        pass
    assert "s3cr" not in "".join(traceback.format_exception(refusal.value))


def test_no_error_message_contains_the_password(inbox, server):
    signed = replace(server, user="ann", password="s3cret-word")
    with pytest.raises(DataError) as refusal, mail_connection(signed):
        pass
    assert "s3cret" not in str(refusal.value) + repr(signed)


@pytest.mark.parametrize(
    "name",
    [
        *(*HOSTILE, "\u202eruobaL", "Lab\u00a0our 労働 " * 20, "{{ 7 * 7 }}", '"Labour" <bo@x.org>,'),
        pytest.param("=?utf-8?B?DQpCY2M6IGJvQHgub3Jn?=", id="encoded-header"),
        pytest.param("é =?utf-8?q?=0ABcc:_bo@x.org?=", id="partly-encoded-header"),
        pytest.param("]" + "x" * 90 + "]<", id="long-word-with-brackets"),
        pytest.param('労, "a\\", <b@x.org>; c: (d)', id="all-special-characters"),
    ],
)
def test_a_hostile_name_stays_in_its_header(name):
    letter = Letter("lab", name, DAY, [], "chosen by Ada")
    made = message(letter, WRITTEN, Recipient(ANN, name, 1), replace(SERVER, sender_name=name))
    content = made.as_bytes()
    assert content.split(b"\r\n\r\n")[0].isascii()
    again = message_from_bytes(content, policy=policy.default)
    assert str(again["Subject"]) == f"{name}, 2026-11-16"
    assert [one.addr_spec for one in again["To"].addresses] == [ANN]
    assert [one.addr_spec for one in again["From"].addresses] == ["reports@example.org"]
    assert again.keys() == made.keys()
    assert [error for value in again.values() for error in value.defects] == []


def test_an_unsubscribe_address_that_looks_encoded_is_unchanged():
    way_out = "https://example.org/=?utf-8?q?=0ABcc:_bo@x.org?="
    made = message(Letter("lab", "Labour", DAY, [], ""), WRITTEN, Recipient(ANN), replace(SERVER, unsubscribe=way_out))
    assert f"\r\nList-Unsubscribe: <{way_out}>\r\n".encode() in made.as_bytes()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\x0b", "\x85"])
def test_a_line_break_in_a_header_is_refused(end):
    broken = f"Labour{end}Bcc: bo@example.org"
    with pytest.raises(RefusedError, match="Subject of an email must not contain line breaks"):
        message(Letter("lab", broken, DAY, [], ""), WRITTEN, Recipient(ANN, "", 1), SERVER)
    with pytest.raises(RefusedError, match="Name of an email must not contain line breaks"):
        message(Letter("lab", "Labour", DAY, [], ""), WRITTEN, Recipient(ANN, broken, 1), SERVER)
    way_out = replace(SERVER, unsubscribe=f"https://example.org/{end}Bcc:bo@example.org")
    with pytest.raises(RefusedError, match="List-Unsubscribe of an email must not contain line breaks"):
        message(Letter("lab", "Labour", DAY, [], ""), WRITTEN, Recipient(ANN, "", 1), way_out)


def test_long_addresses_and_non_ascii_codes_are_complete():
    way_out = f"https://example.org/{'leave/' * 60}"
    letter = Letter("é.労_働", "Labour", DAY, [], "")
    made = message(letter, WRITTEN, Recipient(ANN, "", 1), replace(SERVER, unsubscribe=way_out)).as_bytes()
    assert f"List-Unsubscribe: <{way_out}>\r\n".encode() in made
    assert b"List-Id: <%C3%A9%2E%E5%8A%B4_%E5%83%8D.example.org>\r\n" in made
    assert b"Message-ID: <2026-11-16.1@%C3%A9%2E%E5%8A%B4_%E5%83%8D.example.org>\r\n" in made


class Cut:
    """Connection on which one step fails, as with a lost server or an invalid response."""

    def __init__(self, step, error, answer=(250, b"Fine")):
        self.step, self.error, self.answer = step, error, answer

    def __getattr__(self, name):
        def take(*_):
            if name == self.step:
                raise self.error
            return self.answer

        return take


GONE = SMTPServerDisconnected("gone")


@pytest.mark.parametrize(
    ("client", "state", "is_over"),
    [
        pytest.param(Cut("mail", GONE), "pending", True, id="before-the-mail"),
        pytest.param(Cut("rcpt", GONE), "pending", True, id="at-the-recipient"),
        pytest.param(Cut("data", GONE), "unsure", True, id="during-the-data"),
        pytest.param(Cut("data", SMTPDataError(552, b"Too much")), "refused", False, id="permanent-rejection"),
        pytest.param(Cut("data", SMTPDataError(451, b"Later")), "pending", False, id="temporary-rejection"),
        pytest.param(Cut("rset", GONE, (450, b"Later")), "pending", True, id="before-the-next-mail"),
    ],
)
def test_the_failed_step_determines_the_state_of_a_mail(server, client, state, is_over):
    made = create_email("Papers", Recipient(ANN), server)
    found = deliver(client, "lab@example.org", Recipient(ANN), made)
    assert (found.state, found.is_over) == (state, is_over)
