"""Commands that send report issues to readers, and the mail settings."""

import json
from datetime import date

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.errors import RefusedError, UnreadableFileError
from presort.data.importers.addresses import read_addresses
from presort.data.intake.commit_import import commit_import
from presort.data.mail import mailings
from presort.data.mail.readers import add_readers, readers
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.settings import MailServer, mail_server, validate_site_url
from tests.desk.command_line import invoke

DAY = date(2026, 11, 16)
ANN, BO = "ann@example.org", "bo@example.org"


@pytest.fixture
def presort(tmp_path):
    """Run a command on one workspace."""

    def call(*words, **options):
        return invoke(["--workspace", str(tmp_path / "workspace"), *map(str, words)], **options)

    return call


@pytest.fixture
def lab(tmp_path):
    """A workspace with a report that has published one paper."""
    store = open_store(tmp_path / "workspace")
    commit_import(store, [ListedPaper(Paper("p1", "Wages"), DAY)], person="import")
    catalogue.add_reports(store, [Report("lab", "Labour")])
    decisions.decide(store, [Decision("lab", DAY, "p1", "yes", "Ann")])
    publications.publish_report_issue(store, "lab", DAY, [1], ranking_id=None, person="Ann")
    yield store
    store.close()


def output(result):
    assert result.exit_code == 0, result.stderr
    return result.stdout.strip()


def refused(result):
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    return result.stderr


def test_the_data_of_a_reader_with_an_international_domain_is_exported(presort, lab, tmp_path):
    output(presort("readers", "add", "lab", "bo@bücher.example"))
    for name, address in (("ascii.json", "bo@xn--bcher-kva.example"), ("unicode.json", "Bo@BÜCHER.example")):
        output(presort("readers", "export", address, tmp_path / name))
        (row,) = json.loads((tmp_path / name).read_text())["tables"]["reader"]["rows"]
        assert row["address"] == "bo@bücher.example"


def test_readers_are_added_listed_removed_and_erased(presort, lab, tmp_path):
    assert output(presort("readers", "list")).startswith("No readers yet.")
    assert output(presort("readers", "add", "lab", ANN, "--name", "Ann [b]Lee")).startswith(f"{ANN} will receive lab")
    path = tmp_path / "readers.csv"
    path.write_text(f"name,e-mail\nAnn,{ANN}\nBo,{BO}\n")
    assert output(presort("readers", "import-file", "lab", path)) == "lab: 1 new reader out of 2 in the file."
    rows = json.loads(output(presort("readers", "list", "lab", "--json")))
    assert [(row["address"], row["name"], row["left"]) for row in rows] == [(ANN, "Ann", None), (BO, "Bo", None)]
    assert "no longer receives lab" in output(presort("readers", "remove", "lab", BO))
    assert BO not in output(presort("readers", "list"))
    assert BO in output(presort("readers", "list", "--left"))
    assert str(tmp_path / "bo.json") in output(presort("readers", "export", BO, tmp_path / "bo.json"))
    left, joined = json.loads((tmp_path / "bo.json").read_text())["tables"]["readership"]["rows"][::-1]
    assert (joined["is_reading"], left["is_reading"]) == (True, False)
    assert "can't be undone" in output(presort("readers", "erase", BO))
    assert "There is no reader" in refused(presort("readers", "export", BO, tmp_path / "again.json"))
    assert BO not in output(presort("readers", "list", "--left"))
    assert "is not a reader of lab" in refused(presort("readers", "remove", "lab", BO))
    assert "is not an email address" in refused(presort("readers", "add", "lab", f"Bo <{BO}>"))
    assert "There is no report 'lob'" in refused(presort("readers", "add", "lob", ANN))


def test_a_report_issue_is_sent_once(presort, lab, inbox):
    add_readers(lab, "lab", [(ANN, ""), (BO, "")], person="Dee")
    dry = output(presort("send", "lab", DAY, "--dry-run"))
    assert dry.splitlines() == ["lab 2026-11-16 will be sent to 2 readers.", ANN, BO]
    assert (inbox.got, mailings.mailings(lab)) == ({}, [])
    assert "only" in output(presort("send", "lab", DAY, "--draft-to", "editor@example.org"))
    assert output(presort("send", "lab", DAY)) == "Sent to 2 readers."
    assert output(presort("send", "lab", DAY)) == "All readers have already received lab 2026-11-16."
    assert json.loads(output(presort("send", "lab", DAY, "--json"))) == {"sent": 0, "refused": 0, "later": 0}
    assert {address: len(mails) for address, mails in inbox.got.items()} == {"editor@example.org": 1, ANN: 1, BO: 1}
    assert "Nothing is sent twice" in refused(presort("send", "lab", DAY, "--again", ANN))


def test_the_director_decides_on_an_interrupted_mail(presort, lab, inbox):
    add_readers(lab, "lab", [(ANN, ""), (BO, "")], person="Dee")
    assert "No interrupted emails" in output(presort("send", "--unsure"))
    for inbox.hangs_up_on in (ANN, BO):
        assert "see Manage, or 'presort send --unsure'" in refused(presort("send", "lab", DAY))
    inbox.hangs_up_on = ""
    assert [line.split()[3].rstrip(",") for line in output(presort("send", "--unsure")).splitlines()] == [ANN, BO]
    assert [one["state"] for one in json.loads(output(presort("send", "--unsure", "--json")))] == ["unsure"] * 2
    assert "not be sent to bo@example.org again" in output(presort("send", "lab", DAY, "--give-up", BO))
    assert output(presort("send", "lab", DAY, "--again", ANN)) == "Sent to 1 reader."
    assert list(inbox.got) == [ANN]
    assert "No interrupted emails" in output(presort("send", "--unsure"))


def test_an_interrupted_command_says_where_to_check(presort, lab, inbox, monkeypatch):
    add_readers(lab, "lab", [(ANN, ""), (BO, "")], person="Dee")

    def stop(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("presort.desk.sending.sender.deliver", stop)
        stopped = presort("send", "lab", DAY)
    assert (stopped.exit_code, stopped.stderr.count("\n")) == (130, 1)
    assert "'presort send --unsure' lists it" in stopped.stderr
    assert ANN in output(presort("send", "--unsure"))
    assert output(presort("send", "lab", DAY)) == "Sent to 1 reader."
    assert list(inbox.got) == [BO]


def test_at_a_terminal_sending_asks_first(presort, lab, inbox, monkeypatch):
    add_readers(lab, "lab", [(ANN, "")], person="Dee")
    monkeypatch.setattr("presort.desk.sending.commands.is_terminal", lambda: True)
    assert presort("send", "lab", DAY, input="n\n").exit_code == 1
    assert (inbox.got, mailings.mailings(lab)) == ({}, [])
    assert "lab 2026-11-16 will be sent to 1 reader." in output(presort("send", "lab", DAY, input="y\n"))
    assert list(inbox.got) == [ANN]


def test_an_error_of_sending_is_one_line(presort, lab, monkeypatch):
    assert presort("send").exit_code == 2
    assert presort("send", "lab").exit_code == 2
    assert "PRESORT_SMTP_HOST" in refused(presort("send", "lab", DAY))
    assert "There is no issue of 2026-11-17" in refused(presort("send", "lab", "2026-11-17", "--dry-run"))
    assert "is not an email address" in refused(presort("readers", "add", "lab", "a@b@c"))


def test_the_public_pages_are_written(presort, lab, tmp_path, monkeypatch):
    monkeypatch.setenv(settings.SITE_URL, "https://example.org/reports/")
    assert output(presort("site", tmp_path / "site")).startswith("Pages of 1 report issue written to ")
    assert "https://example.org/reports/lab/2026-11-16.html" in (tmp_path / "site/lab/rss.xml").read_text()
    assert "is not a web address" in refused(presort("site", tmp_path / "site", "--url", "javascript:alert(1)"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(f"{ANN}\n\n{BO}\n", [(ANN, ""), (BO, "")], id="a-line-each"),
        pytest.param(f"\ufeff{ANN},Ann Lee\r\n{BO}\r\n", [(ANN, "Ann Lee"), (BO, "")], id="names-after"),
        pytest.param(f'Name,x,Email\n"Lee, Ann",1,{ANN}\n', [(ANN, "Lee, Ann")], id="columns-by-name"),
        pytest.param(f"address\n{ANN}\n", [(ANN, "")], id="no-names"),
        pytest.param("", [], id="empty"),
    ],
)
def test_readers_are_read_from_a_file(tmp_path, text, found):
    path = tmp_path / "readers.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_addresses(path) == found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_reader_files_may_have_any_encoding(tmp_path, encoding):
    path = tmp_path / "readers.csv"
    path.write_text(f"address,name\n{ANN},Jörg Müller\n", encoding=encoding)
    assert read_addresses(path) == [(ANN, "Jörg Müller")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(f"{ANN}\nbo\n".encode(), "readers.csv, line 2: 'bo' is not an email address", id="no-address"),
        pytest.param(
            b"name,phone\nAnn,1\n",
            "readers.csv, line 1: no email address found. Write one address per line",
            id="no-column",
        ),
        pytest.param(b"address,name\nx\n", "readers.csv, line 2: 'x' is not an email address", id="short-row"),
        pytest.param(f'{ANN}\n"bo'.encode(), "readers.csv, line 2: malformed table", id="open-quote"),
        pytest.param(b"ann@example.org\x00\n", "readers.csv, line ", id="nul"),
    ],
)
def test_an_invalid_line_is_named_and_no_reader_is_added(presort, lab, tmp_path, content, message):
    path = tmp_path / "readers.csv"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError) as refusal:
        read_addresses(path)
    assert str(refusal.value).startswith(message)
    refused(presort("readers", "import-file", "lab", path))
    assert readers(lab) == []


GOOD = {"SMTP_HOST": "mail.example.org", "SMTP_FROM": "The reports <reports@bücher.example>"}


@pytest.fixture
def set_up(monkeypatch):
    """Set these environment variables, and remove all other settings."""

    def change(**given):
        for name in ("HOST", "PORT", "FROM", "USER", "PASSWORD", "STARTTLS"):
            monkeypatch.delenv(f"PRESORT_SMTP_{name}", raising=False)
        for name, value in given.items():
            monkeypatch.setenv(f"PRESORT_{name}", value)

    return change


def test_the_mail_server_is_read_from_the_environment(set_up):
    set_up(**GOOD)
    assert mail_server() == MailServer("mail.example.org", "reports@xn--bcher-kva.example", 587, "The reports")
    way_out = "https://example.org/leave"
    set_up(**GOOD, SMTP_PORT="25", SMTP_USER="ann", SMTP_PASSWORD="s3cret", UNSUBSCRIBE=way_out)
    assert mail_server().password == "s3cret"
    assert "s3cret" not in repr(mail_server())
    assert (mail_server().port, mail_server().has_starttls, mail_server().unsubscribe) == (25, True, way_out)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"SMTP_HOST": ""}, "Set PRESORT_SMTP_HOST", id="no-host"),
        pytest.param({"SMTP_FROM": ""}, "Set PRESORT_SMTP_FROM", id="no-sender"),
        pytest.param({"SMTP_FROM": "reports"}, "is not an email address", id="no-address"),
        pytest.param({"SMTP_FROM": "a@example.org, b@example.org"}, "is not an email address", id="two-senders"),
        pytest.param({"SMTP_PORT": "smtp"}, "PRESORT_SMTP_PORT is 'smtp'", id="port"),
        pytest.param({"SMTP_PORT": "70000"}, "PRESORT_SMTP_PORT is '70000'", id="large-port"),
        pytest.param({"SMTP_STARTTLS": "maybe"}, "must be yes or no", id="starttls"),
        pytest.param({"SMTP_USER": "ann"}, "PRESORT_SMTP_PASSWORD, or neither", id="no-password"),
        pytest.param({"SMTP_USER": "ann", "SMTP_PASSWORD": "s3cret", "SMTP_STARTTLS": "no"}, "unencrypted", id="open"),
        pytest.param({"UNSUBSCRIBE": "http://example.org"}, "must begin with https:// or mailto:", id="no-https"),
        pytest.param({"UNSUBSCRIBE": "https://example.org/>\r\nBcc: x"}, "must begin with https://", id="line-break"),
    ],
)
def test_an_invalid_mail_setting_is_named(set_up, changed, message):
    set_up(**{**GOOD, **changed})
    with pytest.raises(RefusedError) as refusal:
        mail_server()
    assert message in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize("url", ["ftp://x", "javascript:alert(1)", "https://", "https://x/<b>", "https://x y", "x"])
def test_an_invalid_site_address_is_refused(url):
    with pytest.raises(RefusedError):
        validate_site_url(url)
