"""One-click unsubscribe on a running server: the link in a mail, its page, and attacks on both."""

import http.client
import re
from contextlib import closing
from datetime import date

import pytest
from lxml import html

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.intake.commit_import import commit_import
from presort.data.mail import unsubscribe as links
from presort.data.mail.readers import add_readers, erase_reader, readers, remove_reader
from presort.data.mail.unsubscribe import PERSON, Tokens, subscription, unsubscribe
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.running.audit import audit
from presort.data.running.people import IN_LOGS
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.sending import sender
from presort.desk.sending.letters import published_letter
from presort.desk.sending.sender import letter_preview
from presort.desk.sending.texts import FOR_TEMPLATES
from presort.desk.settings import MailServer
from presort.desk.web import launch, request_log
from presort.desk.web import unsubscribe as pages
from presort.desk.web.guard import RATES
from tests.desk.sending.mail_server import Inbox, running
from tests.desk.web.test_guard import ask, served
from tests.desk.web.test_sign_in import DESK, HOST, SIGN_IN

DAY = date(2026, 11, 16)
ANN, BO = "ann@example.org", "bo@example.org"
ONE_CLICK = "List-Unsubscribe=One-Click"  # RFC 8058, section 3.1
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def store(tmp_path):
    """Two reports, one of them with a published issue. Ann reads both, and Bo reads one."""
    store = open_store(tmp_path / "workspace")
    commit_import(store, [ListedPaper(Paper("p1", "Wages"), DAY)], person="import")
    catalogue.add_reports(store, [Report("lab", "Labour <b>"), Report("his", "History")])
    decisions.decide(store, [Decision("lab", DAY, "p1", "yes", "Ann")])
    publications.publish_report_issue(store, "lab", DAY, [1], ranking_id=None, person="Ann")
    add_readers(store, "lab", [(ANN, ""), (BO, "")], person="Dee")
    add_readers(store, "his", [(ANN, "")], person="Dee")
    yield store
    store.close()


def of(store, report="lab"):
    return [one.address for one in readers(store, report)]


def token(store, report="lab", reader=1):
    return Tokens(store, report).token(reader)


@pytest.fixture
def sent(store, monkeypatch):
    """Return a function that sends the report issue with some settings, and returns the mail to each reader."""

    def send(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        inbox = Inbox()
        with running(inbox) as server:
            own = {"HOST": server.host, "PORT": str(server.port), "FROM": server.sender, "STARTTLS": "no"}
            for name, value in own.items():
                monkeypatch.setenv(f"PRESORT_SMTP_{name}", value)
            sender.send(store, "lab", DAY, settings.mail_server())
        return {address: mails[0] for address, mails in inbox.got.items()}

    return send


def test_each_mail_has_its_own_opaque_link(store, sent):
    mails = sent(**SIGN_IN)
    found = {}
    for address, mail in mails.items():
        assert mail["List-Unsubscribe-Post"] == ONE_CLICK
        web, post = mail["List-Unsubscribe"].split(", ")
        assert post == "<mailto:reports@example.org?subject=unsubscribe%20lab>"
        found[address] = re.fullmatch(rf"<{DESK}{settings.UNSUBSCRIBE_PATH}/([A-Za-z0-9_-]{{43}})>", web)[1]
        assert subscription(store, found[address]).code == "lab"
    assert found[ANN] != found[BO]
    assert len({*found.values(), token(store, "his")}) == 3
    assert found[ANN] == token(store)  # links in old mails stay valid


def footers(mail):
    """Return the link to unsubscribe in the text of a mail, and that in its HTML part."""
    words = FOR_TEMPLATES["UNSUBSCRIBE"]
    text, page = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    links = html.document_fromstring(page).xpath(f"//a[.='{words}']/@href")
    lines = [line for line in text.splitlines() if line.startswith(f"{words}: ")]
    assert not lines or text.rstrip().endswith(lines[0])
    return [line.partition(": ")[2] for line in lines], links


def test_the_footer_of_a_mail_has_the_link_of_its_header(store, sent):
    for mail in sent(**SIGN_IN).values():
        link = mail["List-Unsubscribe"].split(">")[0].lstrip("<")
        assert footers(mail) == ([link], [link])


def test_the_footer_has_a_web_address_of_the_settings(sent):
    address = "https://lists.example.org/leave?a=1&b=2"
    assert footers(sent(PRESORT_UNSUBSCRIBE=address)[ANN]) == ([address], [address])


@pytest.mark.parametrize("address", ["", "mailto:leave@example.org"])
def test_without_a_web_address_there_is_no_footer(sent, address):
    assert footers(sent(PRESORT_UNSUBSCRIBE=address)[ANN]) == ([], [])


def test_a_draft_has_no_link_of_a_reader(store):
    server = MailServer("localhost", "reports@example.org", one_click=f"{DESK}{pages.ADDRESS}")
    written = sender.write(store, letter_preview(store, "lab", DAY, person="Ann"), server, is_draft=True)
    assert pages.ADDRESS not in f"{written.text} {written.html}"


def test_a_paper_cannot_contain_the_link_of_a_reader(store):
    """The link is put in after rendering, so its placeholder must differ from mail to mail."""
    server = MailServer("localhost", "reports@example.org", one_click=f"{DESK}{pages.ADDRESS}")
    letter = published_letter(store, "lab", DAY)
    first, second = (sender.write(store, letter, server, is_draft=False) for _ in range(2))
    assert first.placeholder != second.placeholder
    assert len(first.placeholder) == len(token(store))


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({}, id="no-address"),
        pytest.param({"PRESORT_DESK_URL": DESK}, id="no-sign-in"),
        pytest.param({**SIGN_IN, "PRESORT_DESK_URL": "http://localhost:8501"}, id="not-encrypted"),
        pytest.param({**SIGN_IN, "PRESORT_UNSUBSCRIBE": "https://lists.example.org/leave"}, id="another-address"),
        pytest.param({"PRESORT_SIGN_IN_CLIENT": "presort"}, id="sign-in-is-incomplete"),
    ],
)
def test_without_a_public_desk_mails_have_no_link_to_it(sent, variables):
    mail = sent(**variables)[ANN]
    assert mail["List-Unsubscribe-Post"] is None
    assert DESK not in mail["List-Unsubscribe"]
    assert "List-Unsubscribe" in mail


def test_the_reader_leaves_only_that_report_and_the_log_names_the_reader_as_author(store):
    assert not unsubscribe(store, token(store)).is_reading
    assert (of(store), of(store, "his")) == ([BO], [ANN])
    unsubscribe(store, token(store))
    entries = [entry for entry in audit(store, 20, kinds=["reader"]) if entry.action == "Reader left"]
    assert [(entry.person, entry.report) for entry in entries] == [(PERSON, "lab")]


def test_a_link_works_again_after_the_reader_rejoins(store):
    unsubscribe(store, token(store))
    add_readers(store, "lab", [(ANN, "")], person="Dee")
    unsubscribe(store, token(store))
    assert of(store) == [BO]


def test_former_and_erased_readers_get_the_same_response(store):
    remove_reader(store, "lab", ANN, person="Dee")
    erase_reader(store, BO, person="Dee")
    assert [unsubscribe(store, token(store, reader=reader)).is_reading for reader in (1, 2)] == [False, False]


def test_no_changed_or_foreign_token_is_valid(store, tmp_path):
    good = token(store)
    changed = [good[:place] + ("A" if good[place] != "A" else "B") + good[place + 1 :] for place in range(42)]
    with closing(open_store(tmp_path / "other")) as other:
        catalogue.add_reports(other, [Report("lab", "Labour")])
        changed.append(token(other))
    changed += ["", good[:-1], f"{good}A", f"{good}=", "A" * 43, "é" * 43, f"{good[:-1]}\n"]
    assert {subscription(store, one) for one in changed} == {None}
    assert {unsubscribe(store, one) for one in changed} == {None}
    assert set(of(store)) == {ANN, BO}


def test_before_the_first_mail_no_token_is_valid(store):
    assert subscription(store, "A" * 43) is None
    assert catalogue.setting(store, links.KEY) is None


def test_no_account_can_have_the_readers_name_in_the_log(store):
    assert PERSON in IN_LOGS


def test_the_request_log_has_no_token():
    assert request_log.template(f"{pages.ADDRESS}secret") == f"{pages.ADDRESS}…"


@pytest.fixture
def desk(store):
    """Serve a desk behind sign-in, and return a function that asks it about a link."""
    own = f"{pages.ADDRESS}{token(store)}"
    with served(store.folder, **SIGN_IN) as (port, _):

        def request(method, path=own, body=None, host=HOST, **headers):
            connection = http.client.HTTPConnection(launch.LOCALHOST, port, timeout=30)
            with closing(connection):
                connection.request(method, path, body, {"Host": host, **headers})
                answer = connection.getresponse()
                return answer.status, answer.headers, answer.read().decode()

        yield request


@pytest.mark.whole
def test_opening_a_link_shows_a_button_and_one_post_unsubscribes(store, desk):
    status, headers, text = desk("GET")
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert "Labour &lt;b&gt;" in text
    assert "example.org" not in text
    assert 'value="One-Click"' in text
    assert desk("HEAD")[0] == 200
    assert set(of(store)) == {ANN, BO}
    # As a mail provider does: no cookie, another origin, and a proxy in between.
    foreign = {**FORM, "Origin": "https://mail.example.com", "X-Forwarded-For": "203.0.113.9"}
    status, headers, text = desk("POST", body=ONE_CLICK, **foreign)
    assert (status, pages.ENDED in text, headers["Set-Cookie"]) == (200, True, None)
    store.end_snapshot()
    assert of(store) == [BO]
    assert desk("POST", body=ONE_CLICK, **FORM)[0] == 200
    assert pages.ENDED in desk("GET")[2]


@pytest.mark.whole
def test_attacks_on_the_page_change_nothing_and_open_nothing_else(store, desk):
    good, path = token(store), f"{pages.ADDRESS}{token(store)}"
    other = token(store, "his", reader=2)  # Bo doesn't read this report
    wrong = ("A" if good[5] != "A" else "B").join((good[:5], good[6:]))
    for one in (wrong, "A" * 43, "x", "", good[:-1], f"{good}/", f"{good}/../../review", "../review", f"x/{good}"):
        for method in ("GET", "POST"):
            status, _, text = desk(method, f"{pages.ADDRESS}{one}", ONE_CLICK if method == "POST" else None)
            assert (status, pages.INVALID in text) == (404, True), one
    assert desk("POST", f"{pages.ADDRESS}{other}", ONE_CLICK)[0] == 200
    assert desk("POST", body="")[0] == 400  # a scanner that posts
    assert desk("POST", body="List-Unsubscribe=Two-Clicks")[0] == 400
    assert desk("POST", body=f"{ONE_CLICK}&{'x' * pages.LARGEST}")[0] == 413
    assert desk("POST", body=iter([b"x" * 1_000] * 100))[0] == 413  # without a length
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert desk(method, body=ONE_CLICK)[0] in (404, 405)
    assert desk("POST", body=ONE_CLICK, host="evil.example")[0] == 403
    assert desk("POST", body=ONE_CLICK, host=f"localhost:{launch.LOCALHOST}")[0] == 403
    for elsewhere in ("/", "/review", "/unsubscribe", f"/review{path}", f"/static{path}"):
        assert desk("GET", elsewhere)[0] == 401, "only the exact address needs no sign-in"
        assert desk("POST", elsewhere, ONE_CLICK, Origin="https://mail.example.com")[0] == 403
    store.end_snapshot()
    assert (set(of(store)), of(store, "his")) == ({ANN, BO}, [ANN])
    boundary = 'multipart/form-data; boundary="b"'
    parts = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
    assert desk("POST", body=parts, **{"Content-Type": boundary})[0] == 200
    store.end_snapshot()
    assert of(store) == [BO]


@pytest.mark.whole
def test_guesses_are_limited(desk):
    n_allowed = RATES["unsubscribe"].at_once
    statuses = [desk("GET", f"{pages.ADDRESS}x")[0] for _ in range(n_allowed + 20)]
    assert statuses[:n_allowed] == [404] * n_allowed
    assert 429 in statuses


@pytest.mark.whole
def test_a_desk_without_sign_in_has_no_such_page(store):
    with served(store.folder) as (port, _):
        path = f"{pages.ADDRESS}{token(store)}"
        assert ask(port, path)[0] == 403
        assert ask(port, path, "POST", **{"X-Forwarded-For": "203.0.113.9"})[0] == 403
    assert set(of(store)) == {ANN, BO}


@pytest.mark.whole
def test_below_a_path_of_its_host_the_link_includes_the_path(store, sent):
    variables = {**SIGN_IN, "PRESORT_DESK_URL": f"{DESK}/tools/presort"}
    link = sent(**variables)[BO]["List-Unsubscribe"].partition(">")[0].lstrip("<")
    assert link.startswith(f"{DESK}/tools/presort{pages.ADDRESS}")
    with served(store.folder, **variables) as (port, _):
        assert ask(port, link.removeprefix(DESK), host=HOST)[0] == 200
        assert pages.ENDED.encode() not in ask(port, link.removeprefix(f"{DESK}/tools/presort"), host=HOST)[2]
