"""The *Overview* page in `AppTest`."""

from dataclasses import replace
from datetime import UTC, date, datetime
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.pending import pending
from presort.data.editing.read_papers import add_draw
from presort.data.learning import rankings
from presort.data.learning.stop_audits import read_stop_audits, spot_checked_lists
from presort.data.mail.editors import set_address
from presort.data.records import AuditedRanking, Decision, Draw, Editorship, StopAudit
from presort.data.running import people, service, weekly
from presort.data.running.alerts import alert_log
from presort.desk.overview.alerts import KINDS
from presort.desk.overview.figures import Selection
from presort.desk.overview.reports import DECLINED, LATE, NO_EDITOR, NOT_TESTED, sort_by_urgency
from presort.desk.overview.stop_audit import MISSED_BELOW_STOP, audits_of
from presort.desk.scores import alarms, shifts, stop_audit
from presort.desk.scores.effort import BASELINE, READING_EFFORT, SAVED_OVER_BASELINE, SAVED_PER_LIST
from presort.desk.scores.outcomes import not_evaluable_note
from presort.desk.scores.sorters import SORTED, active_by_issue
from presort.desk.scores.stop_audit import estimate_missed_share
from presort.desk.scores.table import scores
from presort.desk.service import workflow
from presort.desk.service.webhooks import Delivery, failure_lines, write_deliveries
from presort.desk.settings.api import webhooks
from presort.desk.text import escape
from presort.desk.ui import cache
from presort.desk.ui.mail_link import mail_link
from presort.desk.weekly.director_mail import headline_figures
from presort.metrics import Outcome, score
from presort.ranker.versions import DEFAULT, RECIPES

WEEKS = pd.date_range("2025-11-24", periods=shifts.NEW + shifts.OLD, freq="7D")


def overview_page():
    from presort.desk.overview import page

    page.show()


def links(page):
    """Targets of the links, by their text."""
    return {link.proto.label: (link.proto.page, link.proto.query_string) for link in page.get("page_link")}


def cards(page):
    """Values of the metric cards by label."""
    return {metric.label: metric.value for metric in page.metric}


def rows(page):
    """Table of all reports."""
    return next(table.value for table in page.dataframe if "trend" in table.value)


def columns(page):
    """Columns that the table of all reports shows."""
    return next(list(table.proto.column_order) for table in page.dataframe if "trend" in table.value)


def show_only(page, name):
    page.pills(key="show").set_value(name).run()
    return rows(page)


def alert_reports(page, kind):
    """Reports with an open alert of a kind, found by their buttons."""
    prefix = f"acknowledge-{kind}-"
    return [button.key.removeprefix(prefix) for button in page.button if button.key.startswith(prefix)]


def a_year(report, scale, seed=1):
    """Return scores of a year in which the last relevant papers moved down by a factor."""
    rng = np.random.default_rng(seed)
    lasts = np.clip(
        60 * rng.gamma(3, 1 / 3, len(WEEKS)) * np.where(np.arange(len(WEEKS)) < shifts.OLD, 1, scale), 3, 600
    )
    outcomes = [Outcome([1, 2, int(last)], 600) for last in lasts]
    described = {
        "report": report,
        "issue": WEEKS,
        "ranker": "krichel-2007",
        "replay": pd.array([None] * len(WEEKS), dtype="Int64"),
        "was_shown": False,
        "is_trained": True,
        "n_papers": 600,
        "n_relevant": 3,
        "outcome": outcomes,
    }
    return pd.concat([pd.DataFrame(described), score(outcomes)], axis="columns")


@pytest.fixture
def two_years(store, monkeypatch):
    """Service in which mac declined and lab did not."""
    table = pd.concat([a_year("lab", 1), a_year("mac", 5)], ignore_index=True)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    saved = table.assign(in_list_order=500.0, papers=400.0, minutes=8.0, is_timed=False, was_read=False)
    monkeypatch.setattr(cache, "effort", lambda replay, ranker: saved)

    def depths(replay, ranker):
        return alarms.add_depth(table[table["report"].isin({report.code for report in catalogue.reports(store)})])

    monkeypatch.setattr(cache, "depths", depths)
    return table


def test_cards_have_the_figures_of_all_report_issues(replayed, open_page):
    page = open_page(overview_page, replayed, ranker="arxiv-sanity")
    assert not page.exception
    table = scores(replayed).query("ranker == 'arxiv-sanity'")
    assert cards(page)[READING_EFFORT] == f"{100 * table['relative_last_position'].mean():.1f} %"
    saved = cache.effort(None, "arxiv-sanity")
    assert cards(page)[SAVED_PER_LIST] == f"{saved['minutes'].mean():.1f} min"
    (card,) = [metric for metric in page.metric if metric.label == SAVED_PER_LIST]
    assert f"{saved['papers'].mean():.0f} papers" in card.delta
    assert f"{100 * (saved['in_list_order'] / saved['n_papers']).mean():.1f}\N{NO-BREAK SPACE}%" in card.delta
    n_cases = (table["n_relevant"] > 0).sum()
    assert any(f"{n_cases:,} report issues" in caption.value for caption in page.caption)


def test_a_service_without_a_relevant_paper_has_no_basis_but_counts_the_lists_left_out(replayed, open_page):
    with replayed.writing() as connection:
        connection.exec_driver_sql("UPDATE outcome SET places = x''")
        scored = "SELECT report_id, issue_id FROM ranking JOIN outcome ON ranking.id = ranking_id LIMIT 1"
        connection.exec_driver_sql(f"UPDATE report_issue SET ended = 'early' WHERE (report_id, issue_id) = ({scored})")
    page = open_page(overview_page, replayed)
    assert not page.exception
    assert not any("NaT" in caption.value for caption in page.caption)
    assert not_evaluable_note(1) in [caption.value for caption in page.caption]


def test_a_summary_is_offered_only_if_the_ranker_has_a_list_with_a_relevant_paper(replayed, open_page):
    def is_offered(ranker):
        page = open_page(overview_page, replayed, ranker=ranker)
        return any("summary" in button.proto.label for button in page.get("download_button"))

    with replayed.writing() as connection:
        of_ranker = "SELECT id FROM ranking WHERE ranker = 'krichel-2007'"
        connection.exec_driver_sql(f"UPDATE outcome SET places = x'' WHERE ranking_id IN ({of_ranker})")
    assert is_offered("arxiv-sanity")
    assert not is_offered("krichel-2007")


def test_savings_over_the_baseline_are_shown_unless_the_baseline_is_selected(replayed, open_page):
    page = open_page(overview_page, replayed, ranker="arxiv-sanity")
    assert not page.exception
    last, every = "last_relevant_position", scores(replayed).dropna(subset="last_relevant_position")
    of = {name: every[every["ranker"] == name].set_index(["report", "issue"]) for name in ("arxiv-sanity", BASELINE)}
    papers = of[BASELINE][last] - of["arxiv-sanity"][last]
    (card,) = [metric for metric in page.metric if metric.label == SAVED_OVER_BASELINE]
    assert card.value == f"{(14.5 * papers / of[BASELINE]['n_papers']).mean():.1f} min"
    effort = of[BASELINE]["relative_last_position"].mean()
    assert card.delta == f"{papers.mean():.0f} papers · {BASELINE} {100 * effort:.1f}\N{NO-BREAK SPACE}%"
    assert SAVED_OVER_BASELINE not in cards(open_page(overview_page, replayed, ranker=BASELINE))


def test_another_ranker_changes_the_figures_and_the_address(replayed, open_page):
    page = open_page(overview_page, replayed, ranker="arxiv-sanity")
    before = cards(page)[READING_EFFORT]
    page.selectbox(key="ranker").set_value("krichel-2007").run()
    assert page.query_params["ranker"] == "krichel-2007"
    assert cards(page)[READING_EFFORT] != before


def test_every_active_report_has_one_row_and_filters_are_in_the_address(replayed, open_page):
    codes = {report.code for report in catalogue.reports(replayed)}
    page = open_page(overview_page, replayed)
    assert set(rows(page)["report"]) == codes
    assert set(show_only(page, NOT_TESTED)["report"]) == codes, "eight issues are too few"
    assert page.query_params["show"] == NOT_TESTED
    assert (rows(page)["lacks"] != "").all()
    assert "lacks" in columns(page)
    late = {one.report for one in pending(replayed, sorted(codes), today=date.today()) if one.days_counted >= 14}
    assert set(show_only(page, LATE)["report"]) == late != set()
    assert set(show_only(open_page(overview_page, replayed, show=NO_EDITOR), NO_EDITOR)["report"]) == codes


def test_the_window_in_the_address_applies_to_the_table(store, two_years, open_page):
    rows_by_window = {}
    for window, days in (("13 v 13", WEEKS[-26:-13]), ("13 v 39", WEEKS[:-13])):
        page = open_page(overview_page, store, window=window)
        found = rows_by_window[window] = rows(page).set_index("report")
        expected = two_years[two_years["issue"].isin(days)].groupby("report")["relative_last_position"].mean()
        assert found.loc["lab", "before"] == pytest.approx(100 * expected["lab"])
    assert rows_by_window["13 v 13"].loc["lab", "now"] == rows_by_window["13 v 39"].loc["lab", "now"]


def test_a_declined_report_is_filtered_alerted_and_acknowledged(store, two_years, open_page):
    page = open_page(overview_page, store)
    assert not page.exception
    assert alert_reports(page, "declined") == ["mac"]
    assert links(page)["**mac**"] == ("report", "report=mac")
    assert show_only(page, DECLINED)["report"].tolist() == ["mac"]
    assert "lacks" not in columns(page), "no report in the table has too few lists"
    page.text_input(key="note-declined-mac").set_value("Asked Ann.")
    page.button(key="save-declined-mac").click().run()
    assert alert_reports(page, "declined") == ["mac"], "a note acknowledges nothing"
    page.button(key="acknowledge-declined-mac").click().run()
    assert not page.exception
    assert alert_reports(page, "declined") == []
    (entry,) = alert_log(store)
    assert (entry.report, entry.kind, entry.is_acknowledged, entry.note) == ("mac", "declined", True, "Asked Ann.")
    history = next(table.value for table in page.dataframe if "made_at" in table.value)
    assert history[["report", "kind", "note"]].to_numpy().tolist() == [["mac", KINDS["declined"], "Asked Ann."]]
    (undo,) = [button for button in page.button if button.key.startswith("undo-declined-mac")]
    undo.click().run()
    assert alert_reports(page, "declined") == ["mac"]


def history_of(page, report):
    """States of a report's alerts in the history."""
    (found,) = [table.value for table in page.dataframe if "made_at" in table.value]
    return found.loc[found["report"] == report, "state"].tolist()


def test_an_alert_that_nobody_acted_on_stays_in_the_history(store, two_years, open_page, monkeypatch):
    open_page(overview_page, store)
    assert alert_log(store) == [], "of a ranker that no editor was shown"
    table = two_years.assign(ranker=DEFAULT)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    st.cache_resource.clear()
    assert history_of(open_page(overview_page, store).run(), "mac") == ["open"]
    calm = alarms.add_depth(two_years[two_years["report"] != "mac"])
    monkeypatch.setattr(cache, "depths", lambda replay, ranker: calm)
    st.cache_resource.clear()
    page = open_page(overview_page, store)
    assert alert_reports(page, "declined") == []
    assert history_of(page, "mac") == ["ended"]
    assert [one.report for one in alert_log(store)].count("mac") == 1


def test_a_retired_report_raises_no_alert(store, two_years, open_page):
    before = cards(open_page(overview_page, store))[READING_EFFORT]
    catalogue.retire_report(store, "mac")
    page = open_page(overview_page, store)
    assert alert_reports(page, "declined") == []
    assert "mac" not in set(rows(page)["report"])
    assert cards(page)[READING_EFFORT] == before


def test_a_silent_report_is_an_alert_that_opens_its_first_issue(replayed, open_page, monkeypatch):
    days = [issue.date for issue in catalogue.issues(replayed)]
    decided = {"lab": days[:-3], "mac": days, "gone": days[:1]}
    monkeypatch.setattr("presort.desk.overview.page.decided_issues", lambda store: decided)
    monkeypatch.setattr("presort.desk.overview.page.date", Today(days[-1]))
    page = open_page(overview_page, replayed)
    assert alert_reports(page, "silent") == ["lab"]
    assert links(page)["**lab**"] == ("review", f"report=lab&issue={days[-3]}")


class Today:
    """Replacement for `datetime.date` with a fixed today."""

    def __init__(self, day):
        self.day = day

    def today(self):
        return self.day


def test_an_editor_who_stops_early_and_underestimates_are_alerts(store, two_years, open_page, monkeypatch):
    way = np.where(np.arange(len(WEEKS)) < shifts.OLD, 1.0, 0.3) - np.arange(len(WEEKS)) / 1000
    monkeypatch.setattr(cache, "work", lambda since: a_year("lab", 1).assign(way_to_stop=way, minutes=0.0, n_read=0))
    kept = [AuditedRanking("mac", day.date(), "krichel-2007", None, StopAudit(1, 90, 1.0, 6, 50)) for day in WEEKS]
    audits = stop_audit.table(kept, None)
    monkeypatch.setattr(cache, "stop_audits", lambda replay, ranker: audits)
    page = open_page(overview_page, store)
    assert alert_reports(page, "stops early") == ["lab"]
    assert alert_reports(page, "missed") == ["mac"]
    assert cards(page)[MISSED_BELOW_STOP] == "12.0 %"


def test_late_reports_come_first_in_order_of_lateness():
    reports = pd.DataFrame(
        {"report": list("abcdef"), "p": [0.5, 0.2, np.nan, 0.001, 0.9, 0.2], "change": [0.1, 0, np.nan, 0.2, 0.3, 0.1]}
    )
    late = {"a": [Overdue(20)], "e": [Overdue(40), Overdue(15)]}
    table = sort_by_urgency(reports, late, {"b": ["Ann", "Bo"]}, ["c"])
    assert table["report"].tolist() == ["e", "a", "c", "d", "f", "b"]
    assert table.set_index("report").loc[["e", "b"], "late"].tolist() == [2, 0]
    assert table.set_index("report").loc["b", "editor"] == "Ann, Bo"


class Overdue:
    """Pending issue with a given age."""

    def __init__(self, days, issue=date(2026, 11, 2)):
        self.days_counted, self.issue = days, issue


def test_mail_goes_to_the_editors_with_report_and_pending_issues_in_the_subject(replayed, open_page):
    first = catalogue.issues(replayed)[0].date
    for name in ("Ann Lee", "Bo & Co"):
        people.add_editorship(replayed, Editorship("lab", name, first), person="ada")
    set_address(replayed, "Ann Lee", "ann+x@example.org")
    mail = rows(open_page(overview_page, replayed)).set_index("report")["mail"]
    assert mail.drop("lab").isna().all()
    link = urlsplit(mail["lab"])
    assert (link.scheme, link.path) == ("mailto", "ann%2Bx@example.org")
    (subject,) = parse_qs(link.query)["subject"]
    assert "lab" in subject
    assert all(str(one.issue) in subject for one in pending(replayed, ["lab"], today=date.today()))


def test_a_mail_link_is_never_longer_than_mail_programs_accept():
    issues = [Overdue(20, day.date()) for day in WEEKS] * 4
    assert len(mail_link("lab", ["ann@example.org"], issues)) < 1_000


def test_a_new_active_ranker_changes_no_past_figure(replayed, open_page, newest):
    service.set_rankers(replayed, "krichel-2007", [], person="ada")
    list(workflow.rank(replayed, [RECIPES["krichel-2007"]], reports=["spo"]))
    before, mailed = cards(open_page(overview_page, replayed)), headline_figures(replayed)
    service.set_rankers(replayed, "arxiv-sanity", [], person="ada")
    assert cards(open_page(overview_page, replayed)) == before
    assert headline_figures(replayed) == mailed
    chosen = active_by_issue(replayed, [pd.Timestamp(newest), pd.Timestamp(newest) + pd.Timedelta(weeks=1)])
    assert list(chosen.values()) == ["krichel-2007", "arxiv-sanity"]


def test_the_state_of_the_service_is_the_last_line(ranked, open_page, newest):
    page = open_page(overview_page, ranked)
    n_reports = len(catalogue.reports(ranked))
    (label,) = [label for label in links(page) if str(newest) in label]
    assert f"ranked for 2 of {n_reports}" in label
    assert any(target == ("manage", "part=readers") for target in links(page).values())
    assert [label for label, target in links(page).items() if target == ("manage", "part=imports")]


def test_a_failed_weekly_job_is_a_warning(ranked, open_page):
    week = date(2026, 11, 23)
    weekly.begin(ranked, week, "papers")
    weekly.begin(ranked, week, "rank")
    weekly.end(ranked, week, "papers", "failed", "*a.csv* is empty.")
    (warning,) = open_page(overview_page, ranked).warning
    assert r"\*a.csv\* is empty." in warning.value
    weekly.end(ranked, week, "papers", "passed over", "No new files.")
    weekly.end(ranked, week, "rank", "done", "12 lists ranked.")
    page = open_page(overview_page, ranked)
    assert not page.warning
    assert any(str(week) in caption.value for caption in page.caption)


def test_failed_webhooks_are_one_warning(ranked, open_page, tmp_path, monkeypatch):
    path = tmp_path / "presort.toml"
    tables = [
        f'[[webhook]]\nurl = "https://{host}/*hook*"\nsecret = "whsec_{"a" * 32}"\n' for host in ("a.org", "b.org")
    ]
    path.write_text("".join(tables))
    monkeypatch.setenv("PRESORT_CONFIG", str(path))
    assert not open_page(overview_page, ranked).warning
    first, second = hooks = webhooks()
    retried = Delivery("lab 2026-11-09", 1, datetime.now(UTC).isoformat(), error="status 500")
    ended = replace(retried, about="lab 2026-11-16", is_over=True)
    well = replace(ended, error="")
    write_deliveries(ranked.folder, {first.key: {"1": retried, "2": ended, "3": well}, second.key: {"1": well}})
    (warning,) = open_page(overview_page, ranked).warning
    assert warning.value == "".join(map(escape, failure_lines(ranked.folder, hooks)))
    assert "a.org" in warning.value
    assert ended.about in warning.value
    assert "hook*" not in warning.value  # the address may contain a secret
    assert "b.org" not in warning.value
    write_deliveries(ranked.folder, {first.key: {"3": well}})
    assert not open_page(overview_page, ranked).warning


def test_wrong_settings_of_webhooks_leave_the_page_whole(ranked, open_page, tmp_path, monkeypatch):
    path = tmp_path / "presort.toml"
    path.write_text('[[webhook]]\nurl = "ftp://a.org"\n')
    monkeypatch.setenv("PRESORT_CONFIG", str(path))
    page = open_page(overview_page, ranked)
    assert not page.exception
    assert not page.error
    assert len(page.warning) == 1


def test_an_empty_desk_begins_with_three_steps(empty_store, open_page):
    assert list(links(open_page(overview_page, empty_store)))[:2] == ["**Import papers**", "**Add a report**"]


def test_missed_below_stop_is_estimated_from_enough_spot_checks(finished, open_page, newest, monkeypatch):
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    order, papers = shown.ranking.positions, catalogue.papers(finished, newest)
    checked = int(order[24])
    words = {int(order[0]): "yes", int(order[19]): "no", checked: "yes"}
    for position, word in words.items():
        one = Decision("lab", newest, papers[position - 1].paper_id, word, "ada", ranking_id=shown.id)
        decisions.decide(finished, [replace(one, is_alone=position == checked)])
    add_draw(finished, "lab", newest, Draw(shown.id, 20, len(order) - 20, [checked]), person="ada")
    workflow.publish_report_issue(finished, "lab", newest, shown, person="ada")
    workflow.score(finished)
    (one,) = spot_checked_lists(finished)
    monkeypatch.setattr("presort.desk.overview.stop_audit.FEWEST_LISTS", 1)
    page = open_page(overview_page, finished)
    assert cards(page)[MISSED_BELOW_STOP] == f"{100 * estimate_missed_share([one]).share:.1f} %"


@pytest.mark.parametrize(("n_lists", "used"), [(0, "replay"), (19, "replay"), (20, "own")])
def test_a_few_lists_do_not_replace_the_audits_of_a_replay(monkeypatch, n_lists, used):
    audits = {None: pd.DataFrame({"found": [4] * n_lists}), 3: pd.DataFrame({"found": [9] * 28})}
    monkeypatch.setattr(cache, "stop_audits", lambda replay, ranker: audits[replay])
    selection = Selection(None, SORTED, 13, 13, ("lab",))
    found = audits_of(selection, pd.DataFrame({"replay": [None, 3.0]}))
    assert found is audits[{"own": None, "replay": 3}[used]]


def test_missed_papers_are_counted_in_lists_read_beyond_the_stop_point(replayed, open_page):
    audits = stop_audit.table(read_stop_audits(replayed), 1).query("ranker == 'krichel-2007'")
    page = open_page(overview_page, replayed, replay=1, ranker="krichel-2007")
    expected = 100 * audits["found_below"].sum() / audits["found"].sum()
    assert cards(page)[MISSED_BELOW_STOP] == f"{expected:.1f} %"
    with replayed.writing() as connection:
        connection.exec_driver_sql("DELETE FROM stop_audit")
    assert "%" not in cards(open_page(overview_page, replayed, replay=1))[MISSED_BELOW_STOP]
