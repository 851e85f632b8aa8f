"""Audit log: each change is listed once, with author, time and origin."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import inspect

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import set_criteria
from presort.data.editing.drafts import save_draft
from presort.data.editing.hints import add_hint
from presort.data.editing.notes import add_notes
from presort.data.editing.publications import reopen
from presort.data.editing.skipping import skip
from presort.data.errors import RefusedError
from presort.data.learning import vectors
from presort.data.learning.rankings import add_rankings
from presort.data.mail import editors, mailings, readers
from presort.data.records import Draft, Editorship, ImportSummary, Note, Report, Role, SentenceModel
from presort.data.running import accounts, people, roles, service
from presort.data.running.audit import audit, people_in_log
from presort.data.running.audit_logs import LOGS
from presort.data.running.holidays import add_holiday, take_away_holiday
from presort.data.tables import guards
from tests.clock import Clock
from tests.data.workspaces import FIRST, SECOND, make_issue, make_ranking, say, send_out, take_in

LOGGED_ELSEWHERE = {
    "read_mark",
    "draw",
    "reranking",
    "listing",
}  # logs of reading and of papers: not changes by a user


@pytest.fixture
def busy(store):
    """Service in which everything was changed once."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    take_in(store, make_issue(3, selected={"his": [1]}), make_issue(2, SECOND))
    add_rankings(store, [make_ranking(order=(3, 1, 2))])
    decisions.decide(store, [say("lab", "a1", "yes", shown=1)])
    add_notes(store, [Note("lab", FIRST, "a1", "note", "Private.", "Ann")])
    add_hint(store, "lab", "mute", "war", person="hints")
    set_criteria(store, "lab", "What people earn.", person="Ann")
    save_draft(store, Draft("lab", FIRST, (1,)), person="Ann")
    send_out(store, "lab", shown=1)
    reopen(store, "lab", FIRST, "One is missing.", person="Bo")
    skip(store, "his", SECOND, person="Bo")
    service.set_rankers(store, "krichel-2007", (), person="Dora")
    people.add_editorship(store, Editorship("lab", "Ann", FIRST), person="Dora")
    roles.grant(store, Role("Vic", "viewer", "lab"), person="Dora")
    readers.add_readers(store, "lab", [("ann@example.org", "")], person="Dora")
    add_holiday(store, FIRST, FIRST, person="Dora")
    with store.writing() as connection:
        service.log_import(connection, "week.csv", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="import")
        service.log_import(connection, "e.org", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="harvest")
    return store


def entries(store, **asked):
    return [(one.kind, one.person, one.place, one.action) for one in audit(store, 99, **asked)]


def test_each_change_is_listed_once_with_author_and_place(busy):
    assert set(entries(busy)) == {
        ("import", "import", "file", "Imported"),
        ("import", "harvest", "command", "Imported"),
        ("decision", "files", "file", "Relevant"),
        ("published", "files", "file", "Published"),
        ("decision", "Ann", "desk", "Relevant"),
        ("decision", "Ann", "rule", "Publish"),
        ("note", "Ann", "desk", "note"),
        ("hint", "hints", "command", "Hint"),
        ("criteria", "Ann", "desk", "Criteria"),
        ("draft", "Ann", "desk", "Draft saved"),
        ("reopened", "Bo", "desk", "Reopened"),
        ("skipped", "Bo", "desk", "Skipped"),
        ("ranker", "Dora", "desk", "Rankers"),
        ("editor", "Dora", "desk", "Editor"),
        ("role", "Dora", "desk", "Role"),
        ("reader", "Dora", "desk", "Reader joined"),
        ("holiday", "Dora", "desk", "Holiday"),
        ("other", "manage", "command", "Added the report"),
    }


def test_changes_name_report_issue_and_paper(busy):
    (one,) = audit(busy, 9, kinds=["decision"], person="Ann", words="relevant")
    assert (one.report, one.issue, one.subject, one.before, one.after) == ("lab", FIRST, "About a1", "", "yes")
    assert datetime.now(UTC) - one.made_at < timedelta(minutes=5)


def test_the_audit_log_can_be_searched(busy):
    assert {kind for kind, *_ in entries(busy, report="his")} == {"decision", "published", "skipped", "other"}
    assert {who for _, who, *_ in entries(busy, person="Bo")} == {"Bo"}
    assert entries(busy, person="Nobody") == []
    assert entries(busy, words="MISSING") == [("reopened", "Bo", "desk", "Reopened")]
    assert entries(busy, words="%") == []
    assert entries(busy, words="HIS") == entries(busy, report="his")
    assert entries(busy, words="hi", kinds=["decision", "skipped"]) == [], "not part of a code"
    assert entries(busy, since=date.today() + timedelta(days=2)) == []
    assert len(entries(busy, since=date.today() - timedelta(days=1))) == len(entries(busy))
    with pytest.raises(RefusedError, match="no report 'mac'"):
        audit(busy, 9, report="mac")


def test_the_search_ignores_case_beyond_ascii(busy):
    reasons = ["École: (étude) 5%", "ÉCOLE: (ÉTUDE) 5%", "école (étude) 5"]
    for reason in reasons:
        send_out(busy, "lab", shown=1)
        reopen(busy, "lab", FIRST, reason, person="Bo")
    assert [one.after for one in audit(busy, 99, words="école: (ÉTUDE) 5%")] == [reasons[1], reasons[0]]
    catalogue.add_reports(busy, [Report("ÉCO", "Économie")])
    assert entries(busy, words="éco", kinds=["other"]) == [("other", "manage", "command", "Added the report")]


def test_changes_are_listed_newest_first_up_to_the_limit(busy):
    times = [one.made_at for one in audit(busy, 99)]
    assert times == sorted(times, reverse=True)
    assert [one.made_at for one in audit(busy, 4)] == times[:4]


def test_changes_without_a_log_of_their_own_are_listed_with_their_author(busy):
    busy.default_author = "Dora"
    catalogue.rename_report(busy, "lab", "Work")
    catalogue.retire_report(busy, "his")
    service.restore_report(busy, "his")
    service.set_colour(busy, "lab", "#0072b2")
    people.set_affiliation(busy, "Ann", "University of X")
    editors.set_address(busy, "Ann", "ann@example.org")
    people.rename_editor(busy, "Ann", "Ann Lee")
    readers.erase_reader(busy, "ann@example.org", person="Dora")
    accounts.invite(busy, "Ann Lee", person="Dora")
    changes = [what for kind, who, _, what in entries(busy) if kind == "other" and who == "Dora"]
    assert {one.subject for one in audit(busy, 99, kinds=["other"])} == {"", "Ann Lee"}
    assert changes[::-1] == [
        "Renamed the report",
        "Retired the report",
        "Restored the report",
        "Colour",
        "Changed affiliation",
        "Changed email address",
        "Renamed",
        "Erased a reader",
        "Invited to sign in",
    ]
    texts = [f"{one.action} {one.before} {one.after}" for one in audit(busy, 99)]
    assert not [what for what in texts if "@" in what or "University" in what]


def test_mailings_and_the_choice_of_a_sentence_model_are_listed(busy):
    busy.default_author = "Dora"
    for address in ("bo@example.org", "cy@example.org"):
        readers.add_readers(busy, "lab", [(address, "")], person="Dora")
    send_out(busy, "lab", SECOND)
    mailings.prepare(busy, "lab", SECOND)
    mailings.give_up(busy, "lab", SECOND, "bo@example.org")
    mailings.send_again(busy, "lab", SECOND, "bo@example.org")
    model = SentenceModel("small", "0" * 64, 16, 4, "")
    for _ in range(2):  # the second call changes nothing
        vectors.use_model(busy, model)
    vectors.forget_vectors(busy)
    changes = [what for kind, who, _, what in entries(busy) if kind == "other" and who == "Dora"]
    assert changes[::-1] == [
        f"Cancelled the mailing of {SECOND} to a reader",
        f"Allowed {SECOND} to be mailed to a reader again",
        "Sentence vectors: by small",
        "Sentence vectors: deleted",
    ]


def test_every_log_is_in_the_audit_log():
    read = {inspect(log.row).local_table.name for log in LOGS.values()}
    assert set(guards.LOGS) - read == LOGGED_ELSEWHERE


def test_authors_in_the_audit_log(busy):
    assert {"Ann", "Bo", "Dora", "files"} <= set(people_in_log(busy))


def test_the_order_of_changes_is_kept_although_the_clock_was_wrong(store, monkeypatch):
    clock = Clock(datetime(2026, 11, 23, 9, tzinfo=UTC)).install(monkeypatch)
    catalogue.add_reports(store, [Report("lab", "Labour")])
    changes = []
    for number, hours in enumerate((0, 365 * 24, -365 * 24, 1, -1, 2)):
        clock.move(hours=hours)
        for change in (set_criteria, lambda *given, person: add_hint(*given[:2], "boost", given[2], person=person)):
            change(store, "lab", f"text {number}", person="Ann")
        changes.append(f"text {number}")
    newest = audit(store, 5)
    assert [one.subject for one in audit(store, 99, kinds=["hint"])] == changes[::-1]
    assert {one.subject for one in newest} >= {changes[-1], changes[-2]}, (
        "what the clock dated a year ahead hides nothing"
    )
    assert len(audit(store, 99)) == 1 + 2 * len(changes)


def test_a_change_has_its_old_and_new_value(busy):
    busy.named = "Dora"
    catalogue.rename_report(busy, "lab", "Work")
    service.set_colour(busy, "lab", "#0072b2")
    service.set_colour(busy, "lab", "")
    set_criteria(busy, "lab", "Wages.", person="Ann")
    add_hint(busy, "lab", "none", "war", person="Ann")
    decisions.decide(busy, [say("lab", "a1", "no", shown=1)])
    service.set_rankers(busy, "presort-2", ["krichel-2007", "arxiv-sanity"], person="Dora")
    people.end_editorship(busy, Editorship("lab", "Ann", FIRST), SECOND, person="Dora")
    roles.revoke(busy, Role("Vic", "viewer", "lab"), person="Dora")
    take_away_holiday(busy, FIRST, person="Dora")

    def newest(kind):
        one = audit(busy, 1, kinds=[kind])[0]
        return one.before, one.after

    colour, cleared, renamed = audit(busy, 3, kinds=["other"])[::-1][1:] + audit(busy, 3, kinds=["other"])[::-1][:1]
    assert (renamed.before, renamed.after) == ("Labour", "Work")
    assert (colour.before, colour.after, cleared.before, cleared.after) == ("", "#0072b2", "#0072b2", "")
    assert newest("criteria") == ("What people earn.", "Wages.")
    assert newest("hint") == ("mute", "none")
    assert newest("decision") == ("yes", "no")
    assert newest("ranker") == ("krichel-2007", "presort-2; shadows: krichel-2007, arxiv-sanity")
    assert newest("editor") == (f"from {FIRST}", f"{FIRST} to {SECOND}")
    assert newest("role") == ("viewer", "")
    assert newest("holiday") == (f"{FIRST} to {FIRST}", "")
    assert [one.after for one in audit(busy, 9, words="wages")] == ["Wages."], "the new value is searched"
