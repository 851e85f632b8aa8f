"""Readers and mail on *Publish* and *Manage*: recipients, and the state of each delivery."""

import threading
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import update

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.intake.commit_import import commit_import
from presort.data.mail import mailings
from presort.data.mail.readers import add_readers, remove_reader
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.data.tables import ReportIssueRow
from presort.desk import access, settings
from presort.desk.manage.readers import STATES
from presort.desk.sending import box, sender
from presort.desk.service.delivery import NEWS
from tests.desk.manage.managing import page_of_manage, pick, press

DAY = date(2026, 11, 16)
ANN, BO, EVE = "ann@example.org", "bo@example.org", "eve@example.org"
PASSWORD = "open sesame"


def page_of_publish():
    from presort.desk.publish import page as publish

    publish.show()


@pytest.fixture
def store(tmp_path):
    """Workspace with a report that has one relevant paper."""
    store = open_store(tmp_path / "workspace")
    commit_import(store, [ListedPaper(Paper("p1", "Wages"), DAY)], person="import")
    catalogue.add_reports(store, [Report("lab", "Labour")])
    decisions.decide(store, [Decision("lab", DAY, "p1", "yes", "Ann")])
    yield store
    store.close()


@pytest.fixture
def published(store):
    issue(store)
    return store


def issue(store):
    publications.publish_report_issue(store, "lab", DAY, [1], ranking_id=None, person="Ann")


def join(store, *addresses):
    add_readers(store, "lab", [(address, "") for address in addresses], person="Dee")


@pytest.fixture
def publish(open_page):
    return lambda store: open_page(page_of_publish, store, report="lab", issue=DAY)


@pytest.fixture
def manage(open_page):
    return lambda store: open_page(page_of_manage, store, part="readers", report="lab")


def keys(page):
    return {button.key for button in page.button}


def everything(page):
    """Return all texts of the page, on one line."""
    assert not page.exception
    kinds = (page.markdown, page.caption, page.success, page.info, page.warning, page.error)
    return " ".join(shown.value for kind in kinds for shown in kind).replace("\\", "").replace("\u2060", "")


def mail_it(page):
    """Mail the report issue, and return the page's text after that."""
    page.button(key="mail-it").click().run()
    assert "This can't be undone." in everything(page)
    return confirm(page)


def confirm(page):
    page.button(key="mail-it-now").click().run()
    return ended(page)


def ended(page):
    if jobs := page.session_state[box.JOBS]:
        for job in jobs.values():
            job.exception(timeout=30)
        page.run()
    return everything(page)


def counts(inbox):
    return {address: len(mails) for address, mails in inbox.got.items()}


def test_without_a_mail_server_the_page_says_what_to_do_or_to_configure(published, publish, manage, monkeypatch):
    monkeypatch.delenv("PRESORT_SMTP_HOST", raising=False)
    page = publish(published)
    assert "not mailed" in everything(page)
    assert box.MAIL_NOT_SET_UP in everything(page)
    assert "PRESORT" not in everything(page)
    assert "Mail is not configured. Set PRESORT_SMTP_HOST" in everything(manage(published))
    assert "mail-it" not in keys(page)
    join(published, ANN)
    assert box.readers_text({}, 1) in everything(page.run())
    assert "mail-it" not in keys(page)
    access.switch_role(published, access.PERSON, "director")
    page_text = everything(publish(published)).replace("\\", "")
    assert f"{box.MAIL_NOT_SET_UP} Mail is not configured. Set PRESORT_SMTP_HOST" in page_text


def test_an_error_in_the_settings_never_shows_the_password(published, manage, inbox, monkeypatch):
    join(published, ANN)
    monkeypatch.setenv("PRESORT_SMTP_PASSWORD", PASSWORD)
    page = manage(published)
    assert "Set both PRESORT_SMTP_USER and PRESORT_SMTP_PASSWORD" in everything(page)
    assert PASSWORD not in str(page.main) + everything(page)


def test_without_readers_there_is_nothing_to_mail(published, publish, inbox):
    page = publish(published)
    assert box.readers_text({}, 0) in everything(page)
    assert "mail-it" not in keys(page)


def test_a_report_issue_is_mailed_once_and_the_readers_are_counted(published, publish, inbox):
    join(published, ANN, BO)
    page, other, third = (publish(published) for _ in range(3))
    other.button(key="mail-it").click().run()
    assert box.readers_text({}, 2) in everything(page)
    text = mail_it(page)
    assert "Sent to 2 readers." in text
    assert box.readers_text({"sent": 2}, 0) in text
    assert "mail-it" not in keys(page)
    assert "Sent to 2 readers." not in everything(page.run())
    assert "All readers have already received lab 2026-11-16." in confirm(other)
    third.button(key="mail-it").click().run()
    assert "All readers have already received lab 2026-11-16." in everything(third)
    assert "mail-it-now" not in keys(third)
    assert counts(inbox) == {ANN: 1, BO: 1}


def test_mailing_requires_confirmation(published, publish, inbox):
    join(published, ANN)
    page = publish(published)
    page.button(key="mail-it").click().run()
    page.button(key="leave-it").click().run()
    assert everything(page)
    assert (inbox.got, mailings.mailings(published)) == ({}, [])


def test_the_page_shows_the_progress_of_mailing(published, publish, inbox):
    """The first mail waits until the page has been checked."""
    join(published, ANN, BO)
    is_seen, inbox.on_data = threading.Event(), lambda: is_seen.wait(30)
    page = publish(published)
    try:
        page.button(key="mail-it").click().run()
        page.button(key="mail-it-now").click().run()
        assert "mail-it" not in keys(page)
        (progress,) = page.get("progress")
        assert progress.proto.text in ("Mailing: 0 of 0 readers", "Mailing: 0 of 2 readers")
    finally:
        is_seen.set()
    assert "Sent to 2 readers." in ended(page)
    assert counts(inbox) == {ANN: 1, BO: 1}


def press_publish(page):
    page.button(key="publish-it").click().run()
    asked = everything(page)
    page.button(key="publish-now").click().run()
    return asked, everything(page)


def test_publishing_names_the_time_of_the_mail_and_can_be_undone_until_then(store, publish, inbox):
    join(store, ANN)
    page = publish(store)
    asked, told = press_publish(page)
    assert "Mail to 1 reader: " in asked
    assert ", in 10 minutes." in asked
    assert "You can undo publishing for 10 minutes." in asked
    assert "Mail to 1 reader: " in told
    assert (inbox.got, mailings.mailings(store)) == ({}, [])
    page.button(key="undo-publishing").click().run()
    assert not publications.published(store, "lab")
    assert "publish-it" in keys(page)


def test_no_mail_is_announced_for_a_report_issue_that_is_too_old(published, publish, inbox):
    join(published, ANN)
    assert "Mail to 1 reader: " in everything(publish(published))
    with published.writing() as connection:
        connection.execute(update(ReportIssueRow).values(published_at=datetime.now(UTC) - NEWS))
    page = publish(published)
    assert "Mail to 1 reader: " not in everything(page)
    assert box.readers_text({}, 1) in everything(page)
    assert "mail-it" in keys(page)


def test_publishing_cannot_be_undone_after_the_mail_was_sent(store, publish, inbox):
    join(store, ANN)
    page = publish(store)
    press_publish(page)
    sender.send(store, "lab", DAY, inbox.server)
    page.button(key="undo-publishing").click().run()
    assert "has already begun" in page.error[0].value
    assert publications.published(store, "lab")
    assert "undo-publishing" not in keys(page.run())


@pytest.mark.parametrize(("timing", "expected"), [("weekly", "with the next weekly job"), ("daily", ":00 UTC")])
def test_later_mail_is_announced(store, publish, inbox, monkeypatch, timing, expected):
    monkeypatch.setenv(settings.MAIL_READERS, timing)
    monkeypatch.setenv(settings.MAIL_DELAY, "0")
    join(store, ANN)
    page = publish(store)
    for said in press_publish(page):
        assert expected in said
    assert "undo-publishing" not in keys(page)
    assert "mail-it" in keys(page)


def test_without_readers_or_with_wrong_settings_publishing_announces_no_mail(store, publish, inbox, monkeypatch):
    page = publish(store)
    asked, told = press_publish(page)
    assert "undo" not in asked
    assert "No mail will be sent: there are no readers." in asked
    assert "Mail to" not in told
    monkeypatch.setenv(settings.MAIL_DELAY, "soon")
    assert "undo-publishing" not in keys(page.run())
    assert not page.exception


def test_the_demo_announces_no_mail(store, publish, inbox):
    catalogue.set_setting(store, DEMO, "1")
    join(store, ANN)
    asked, told = press_publish(publish(store))
    assert "No mail will be sent: the demo sends no mail." in asked
    assert "Mail to" not in asked + told


def test_another_sending_process_is_reported(published, publish, inbox):
    join(published, ANN)
    page = publish(published)
    with mailings.sending(published):
        assert "Another process is sending mail from this workspace" in mail_it(page)
    assert "Sent to 1 reader." in mail_it(page)


def test_an_editor_sees_counts_of_failed_mails_but_no_addresses(published, publish, inbox):
    join(published, ANN, BO, EVE)
    inbox.refuses = {ANN: f"550 no <{ANN}> here"}
    inbox.hangs_up_on = BO
    page = publish(published)
    text = mail_it(page)
    assert "the mail server stopped accepting mail after" in page.error[0].value
    assert "a reader may have arrived" in text
    assert box.readers_text({"refused": 1, "unsure": 1}, 1) in text
    assert "Sent to 1 reader." in (text := text + mail_it(page))
    assert box.readers_text({"sent": 1, "refused": 1, "unsure": 1}, 0) in text
    assert not any(address in text for address in (ANN, BO, EVE))
    assert counts(inbox) == {EVE: 1}


def test_an_unreachable_server_is_one_line(published, publish, inbox, monkeypatch):
    join(published, ANN)
    monkeypatch.setenv("PRESORT_SMTP_PORT", "1")
    page = publish(published)
    assert "can't be reached" in mail_it(page)
    assert "\n" not in page.error[0].value
    assert [one.state for one in mailings.mailings(published)] == ["pending"]


def test_after_the_end_of_the_process_delivery_is_unknown(published, publish):
    join(published, ANN)
    published_at = mailings.prepare(published, "lab", DAY)
    mailings.claim(published, "lab", DAY, published_at)
    assert box.readers_text({"unsure": 1}, 0) in everything(publish(published))


def test_a_bug_is_not_shown_as_a_mail_error(published, publish, inbox, monkeypatch):
    def fail(*_arguments):
        raise ZeroDivisionError

    join(published, ANN)
    monkeypatch.setattr(sender, "send", fail)
    page = publish(published)
    page.button(key="mail-it").click().run()
    page.button(key="mail-it-now").click().run()
    if not page.exception:
        page.run()
    assert "ZeroDivisionError" in str(page.exception)


def test_the_result_is_shown_even_if_the_report_issue_was_reopened(published, publish, inbox):
    join(published, ANN, BO)
    page = publish(published)
    inbox.on_data = lambda: published and _reopen_once(published)
    text = mail_it(page)
    assert "was reopened in the meantime" in text
    assert "publish-it" in keys(page.run())
    issue(published)
    assert box.readers_text({"sent": 1}, 1) in everything(page.run())


def _reopen_once(store):
    if publications.published(store, "lab"):
        reopen(store, "lab", DAY, "wrong", person="Ann")


@pytest.mark.parametrize("is_published", [False, True], ids=["in-the-making", "issued"])
def test_a_test_mail_is_a_draft_to_one_address(store, publish, inbox, is_published):
    join(store, ANN)
    if is_published:
        issue(store)
    page = publish(store)
    (send,) = (button for button in page.button if button.label == "Send")
    send.click().run()
    assert "Enter an address." in everything(page)
    page.text_input(key="test-address").set_value("not an address")
    next(button for button in page.button if button.label == "Send").click().run()
    assert "is not an email address" in everything(page)
    page.text_input(key="test-address").set_value(f" {EVE} ")
    next(button for button in page.button if button.label == "Send").click().run()
    assert f"Draft sent to {EVE} only." in everything(page)
    ((mail,),) = inbox.got.values()
    assert mail["To"] == EVE
    assert mail["Subject"].startswith("[DRAFT]")
    assert mailings.mailings(store) == []


def test_the_director_resends_undelivered_mail(published, manage, publish, inbox):
    join(published, ANN, BO, EVE)
    inbox.refuses = {ANN: "550 nobody here"}
    inbox.hangs_up_on = BO
    mail_it(publish(published))
    page = manage(published)
    lost = page.dataframe[1].value[["address", "state"]].values.tolist()
    assert lost == [[BO, STATES["unsure"]], [ANN, STATES["refused"]]]
    press(pick(page, "lost-mail", 0), "send-again")
    page = pick(manage(published), "lost-mail", 1)
    assert page.button(key="let-be").disabled
    press(page, "send-again")
    inbox.refuses, inbox.hangs_up_on = {}, ""
    assert "Sent to 3 readers." in mail_it(publish(published))
    assert counts(inbox) == {ANN: 1, BO: 1, EVE: 1}
    assert len(manage(published).dataframe) == 1


def test_a_mail_of_unknown_delivery_can_be_given_up(published, manage, publish, inbox):
    join(published, ANN)
    inbox.hangs_up_on = ANN
    mail_it(publish(published))
    page = pick(manage(published), "lost-mail", 0)
    press(page, "let-be")
    press(page, "change-it")
    assert len(page.dataframe) == 1
    assert box.readers_text({"given up": 1}, 0) in everything(publish(published))
    assert inbox.got == {}


def test_mail_to_a_former_reader_is_not_pending(published, publish, inbox):
    join(published, ANN, BO)
    mailings.prepare(published, "lab", DAY)
    remove_reader(published, "lab", BO, person="Dee")
    text = mail_it(publish(published))
    assert box.readers_text({"sent": 1}, 0) in text
    assert counts(inbox) == {ANN: 1}
