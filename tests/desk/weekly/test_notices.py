"""Notices of the weekly job to editors and the director: for new, late and very late issues, each only once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.mail import notices
from presort.data.mail.editors import editor_addresses, set_address
from presort.data.records import Editorship, Notice, Report
from presort.data.running import people
from presort.data.running.holidays import add_holiday
from presort.desk.settings import Week
from presort.desk.weekly.director_mail import _summary
from presort.desk.weekly.notices import notify_editors
from tests import forked
from tests.desk.weekly.conftest import ANN, BO, DEE


def texts(inbox, address):
    return [mail.get_content() for mail in inbox.got.get(address, [])]


def subjects(inbox, address):
    return [mail["Subject"] for mail in inbox.got.get(address, [])]


def test_an_editor_gets_one_mail_with_links_to_pending_issues(weekly, inbox):
    notify_editors(weekly.job(3))
    (mail,) = inbox.got[ANN]
    assert (mail["Subject"], mail["To"], mail["Auto-Submitted"]) == (
        "2 issues pending",
        f"Ann <{ANN}>",
        "auto-generated",
    )
    text = mail.get_content().replace("\r\n", "\n")
    assert text.startswith("Dear Ann,")
    n_papers = len(catalogue.papers(weekly.store, weekly.newest))
    assert f"- lab, {weekly.newest}: {n_papers} papers, no decision yet.\n" in text
    assert f"https://desk.example.org/review?report=lab&issue={weekly.newest}\n" in text
    assert "late" not in text
    notify_editors(weekly.job(13))
    assert len(inbox.envelopes) == 1


@pytest.mark.parametrize(("days", "message"), [(13, ""), (14, "late"), (27, "late"), (28, "very late")])
def test_notices_are_due_at_two_weeks_and_to_the_director_at_four(weekly, inbox, days, message):
    notify_editors(weekly.job(days))
    late = {"": "2 issues pending"}.get(message, "2 issues pending, 2 late")
    assert subjects(inbox, ANN) == [late]
    assert ("due within 2 weeks" in texts(inbox, ANN)[0]) == (message == "late")
    assert ("The director is also notified" in texts(inbox, ANN)[0]) == (message == "very late")
    # All twelve reports are very late then, even those without an editor.
    assert subjects(inbox, DEE) == (["12 issues at least four weeks old"] if message == "very late" else [])


def test_each_notice_is_sent_once(weekly, inbox):
    for days in (1, 8, 15, 22, 29, 36):
        notify_editors(weekly.job(days))
    assert subjects(inbox, ANN) == [
        "2 issues pending",
        "2 issues pending, 2 late",
        "2 issues pending, 2 late",
    ]
    assert len(subjects(inbox, DEE)) == 1
    assert "Editor: Ann." in texts(inbox, DEE)[0]
    assert "No editor." in texts(inbox, DEE)[0]


def test_holidays_don_t_count(weekly, inbox):
    first = weekly.newest + timedelta(days=1)
    add_holiday(weekly.store, first, first + timedelta(days=6), "Fair", person="Dee")
    notify_editors(weekly.job(20))
    assert subjects(inbox, ANN) == ["2 issues pending"]


def test_a_substitute_is_notified_instead(weekly, inbox):
    today = weekly.newest + timedelta(days=3)
    away = Editorship("lab", "Bo", today, today + timedelta(days=7), away="Ann")
    people.add_editorship(weekly.store, away, person="Dee")
    set_address(weekly.store, "Bo", BO)
    notify_editors(weekly.job(3))
    assert subjects(inbox, ANN) == [f"mac {weekly.newest} is pending"]
    assert subjects(inbox, BO) == ["2 issues pending"]  # lab, and edu, which is Bo's own


def test_without_the_directors_address_only_editors_are_notified(weekly, inbox):
    notify_editors(weekly.job(28, week=Week()))
    assert list(inbox.got) == [ANN]
    assert "https://" not in texts(inbox, ANN)[0]


def test_a_rejected_mail_is_named_and_retried(weekly, inbox):
    inbox.refuses[ANN] = "451 later"
    with pytest.raises(DataError, match=f"The email to {ANN} was not delivered: 451 later"):
        notify_editors(weekly.job(28))
    assert len(inbox.got[DEE]) == 1
    inbox.refuses.clear()
    notify_editors(weekly.job(28))
    assert [len(inbox.got[address]) for address in (ANN, DEE)] == [1, 1]


def test_if_the_mail_server_is_unreachable_no_notice_counts_as_sent(weekly, inbox):
    with pytest.raises(DataError, match="can't be reached"):
        notify_editors(weekly.job(server=replace(weekly.server, port=1)))
    notify_editors(weekly.job())
    assert len(inbox.got[ANN]) == 1


@pytest.mark.whole
@pytest.mark.parametrize("at", ["deliver", "notices.settle"])
def test_a_killed_process_causes_no_duplicate_notice(weekly, inbox, at):
    """The process is killed before delivery, or after delivery but before recording it."""
    script = f"""
import os, sys
from contextlib import closing
from datetime import date
from pathlib import Path
from presort.data.store import open_store
from presort.desk.settings import MailServer, Week
from presort.desk.weekly import notices
from presort.desk.weekly.job import WeeklyRun

notices.{at} = lambda *_: os._exit(9)
with closing(open_store(Path({str(weekly.store.folder)!r}))) as store:
    day = date({weekly.newest.year}, {weekly.newest.month}, {weekly.newest.day})
    server = MailServer("127.0.0.1", "reports@example.org", {weekly.server.port}, has_starttls=False)
    notices.notify_editors(WeeklyRun(store, day, day, Week(), server, None))
"""
    assert forked.run(script)[0] == 9
    arrived = len(inbox.envelopes)
    assert arrived == (1 if at == "notices.settle" else 0)
    again = notify_editors(weekly.job(0))
    assert again.startswith(
        "Not sent again to Ann: sending was interrupted, so the email may have arrived. No email address: "
    )
    assert "Interrupted" not in notify_editors(weekly.job(0)), "it is said once"
    notify_editors(weekly.job(14, week=Week()))  # a new stage is notified again
    assert len(inbox.envelopes) == arrived + 1
    with weekly.store.reading() as connection:
        states = connection.exec_driver_sql("SELECT kind, state FROM notice ORDER BY id").all()
    assert states == [("pending", "unsure"), ("pending", "unsure"), ("late", "sent"), ("late", "sent")]


def test_an_address_is_validated_and_belongs_to_an_editor(weekly):
    with pytest.raises(DataError, match="There is no editor 'Eve'"):
        set_address(weekly.store, "Eve", "eve@example.org")
    with pytest.raises(DataError):
        set_address(weekly.store, "Bo", "bo@example.org\nBcc: all@example.org")
    set_address(weekly.store, "Ann", "")
    assert editor_addresses(weekly.store) == {"Ann": "", "Bo": ""}


def test_notices_to_the_director_and_to_an_editor_are_separate(weekly):
    of_both = [Notice("very late", weekly.newest, "lab", person) for person in ("", "Ann")]
    claimed = notices.claim(weekly.store, of_both[:1])
    assert notices.unsent_notices(weekly.store, of_both) == of_both[1:]
    notices.settle(weekly.store, claimed, "pending", "later")
    assert notices.unsent_notices(weekly.store, of_both) == of_both
    assert notices.claim(weekly.store, of_both[:1]) == claimed


def test_a_new_editor_is_not_late_with_issues_from_before_joining(weekly, inbox):
    """Ann leaves with an issue pending, and Cy takes over. Cy's notice says pending, the director's very late."""
    store, newest = weekly.store, weekly.newest
    (ann,) = [one for one in people.editorships(store) if (one.report, one.editor) == ("lab", "Ann")]
    people.end_editorship(store, ann, newest + timedelta(days=9), person="Dee")
    people.add_editorship(store, Editorship("lab", "Cy", newest + timedelta(days=10)), person="Dee")
    set_address(store, "Cy", "cy@example.org")
    notify_editors(weekly.job(20))
    assert subjects(inbox, "cy@example.org") == [f"lab {newest} is pending"]
    assert "late" not in texts(inbox, "cy@example.org")[0]
    assert subjects(inbox, ANN) == [f"mac {newest} is late"]
    notify_editors(weekly.job(29))
    assert len(subjects(inbox, "cy@example.org")) == 1
    assert f"Editor: Cy since {newest + timedelta(days=10)}." in texts(inbox, DEE)[0]


def test_the_editor_and_not_the_substitute_is_notified_of_lateness(weekly, inbox):
    store, newest = weekly.store, weekly.newest
    first, last = newest + timedelta(days=13), newest + timedelta(days=20)
    people.add_editorship(store, Editorship("lab", "Bo", first, last, away="Ann"), person="Dee")
    set_address(store, "Bo", BO)
    notify_editors(weekly.job(15))
    assert subjects(inbox, BO) == ["2 issues pending, 1 late"], "edu is Bo's own"
    assert subjects(inbox, ANN) == [f"mac {newest} is late"]
    notify_editors(weekly.job(21))
    assert subjects(inbox, ANN)[1:] == [f"lab {newest} is late"]


def test_a_report_added_today_is_late_in_no_mail_and_no_summary(weekly, inbox):
    catalogue.add_reports(weekly.store, [Report("new", "New")])
    people.add_editorship(weekly.store, Editorship("new", "Ann", weekly.newest), person="Dee")
    notify_editors(weekly.job(400))
    (line,) = [line for line in texts(inbox, ANN)[0].splitlines() if line.startswith("- New,")]
    assert "late" not in line
    assert "readers expect it" not in line
    assert not any(line.startswith("- New,") for line in texts(inbox, DEE)[0].splitlines())
    assert "Late: 12 of 13 reports" in _summary(weekly.job(400)).text
