"""Overview as `AppTest` sees it."""

from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.pending import pending
from presort.data.editing.read_papers import add_draw
from presort.data.learning import rankings
from presort.data.learning.stop_audits import read_stop_audits, spot_checked_lists
from presort.data.records import AuditedRanking, Decision, Draw, Editorship, StopAudit
from presort.data.running import people, service, weekly
from presort.desk.scores import alarms, stop_audit
from presort.desk.scores.sorters import active_by_issue
from presort.desk.scores.stop_audit import Underestimate, missed
from presort.desk.scores.table import scores
from presort.desk.scores.words import share
from presort.desk.service import workflow
from presort.desk.text import about
from presort.desk.ui import cache
from presort.desk.weekly.summing_up import sentences
from presort.metrics import Outcome, score
from presort.ranker.versions import RECIPES


def overview_page():
    from presort.desk.overview import page

    page.show()


def links(page, start=""):
    """Where each link leads whose text begins so, by that text."""
    return {
        link.proto.label: (link.proto.page, link.proto.query_string)
        for link in page.get("page_link")
        if link.proto.label.startswith(start)
    }


def pictures(page):
    """The reports that have a small picture, in order."""
    return [label for label, (_, query) in links(page).items() if query.startswith(f"report={label}&")]


def captions(page):
    return " ".join(caption.value for caption in page.caption)


TOO_FEW = "0 of 13 earlier issues."
UNTOLD = (
    "Too early to tell whether more is missed than expected: "
    "too few lists were read or spot-checked below the stop point."
)
WEEKS = pd.date_range("2025-11-24", periods=alarms.NEW + alarms.OLD, freq="7D")


def a_year(report, scale, seed=1):
    """What `desk.scores.table.scores` gives of a year in which the last relevant papers moved down by a factor."""
    rng = np.random.default_rng(seed)
    lasts = np.clip(
        60 * rng.gamma(3, 1 / 3, len(WEEKS)) * np.where(np.arange(len(WEEKS)) < alarms.OLD, 1, scale), 3, 600
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


def way_read(report, part):
    """What `work_done` gives of an editor who read that part of the way to the stop; None where nobody knows it."""
    n = len(WEEKS)
    return pd.DataFrame(
        {
            "report": report,
            "issue": WEEKS,
            "ranker": "krichel-2007",
            "n_papers": 600,
            "n_read": 60,
            "read_up_to": 60,
            "stop_at": 60.0,
            "way_to_stop": np.full(n, np.nan if part is None else part),
            "minutes": 5.0,
        }
    )


@pytest.mark.parametrize(
    ("read", "n_expected", "expected"),
    [
        pytest.param(1.0, 1.0, "No alarm.", id="all-could-be-raised"),
        pytest.param(1.0, 0.1, f"No report got worse. No editor stops too soon. {UNTOLD}", id="two-could-be-raised"),
        pytest.param(
            None,
            1.0,
            f"No report got worse. Too early to tell whether an editor stops too soon: {TOO_FEW} No report misses more "
            "than expected.",
            id="others-could-be-raised",
        ),
    ],
)
def test_no_alarm_is_said_of_what_could_be_found_and_how(store, open_page, monkeypatch, read, n_expected, expected):
    kept = [AuditedRanking("lab", day.date(), "krichel-2007", None, StopAudit(1, 9, n_expected, 1, 5)) for day in WEEKS]
    table = stop_audit.table(kept, None)
    monkeypatch.setattr("presort.desk.ui.cache.stop_audits", lambda replay, ranker: table)
    monkeypatch.setattr(cache, "all_scores", lambda replay: a_year("lab", 1))
    monkeypatch.setattr("presort.desk.overview.glance._work", lambda *_: way_read("lab", read))
    days = [issue.date for issue in catalogue.issues(store)]
    monkeypatch.setattr("presort.desk.overview.verdicts.decided_issues", lambda store: {"lab": days})
    page = open_page(overview_page, store, report="lab")
    assert [text.value for text in page.markdown if "alarm" in text.value or "too soon" in text.value] == [expected]
    assert "oo early to tell" not in captions(page)
    assert "fewer than one week of twenty" in captions(page)
    assert "medians of the newest 13 issues, and of the 39 before." in captions(page)


def test_where_no_alarm_could_be_raised_it_is_too_early_to_tell(replayed, open_page, monkeypatch):
    days = [issue.date for issue in catalogue.issues(replayed)]
    monkeypatch.setattr("presort.desk.overview.verdicts.decided_issues", lambda store: {"lab": days})
    page = open_page(overview_page, replayed, report="lab")
    kinds = ("a report got worse", "an editor stops too soon")
    too_early = " ".join(f"Too early to tell whether {kind}: {TOO_FEW}" for kind in kinds)
    assert f"{too_early} {UNTOLD}" in [text.value for text in page.markdown]
    n_issues = scores(replayed)["issue"].nunique()
    assert f"over {n_issues} issues" in captions(page)
    assert f"medians of the newest {n_issues} issues." in captions(page)


def test_a_silent_report_is_named(replayed, open_page, monkeypatch):
    days = [issue.date for issue in catalogue.issues(replayed)]
    decided = {"lab": days[:-3], "mac": days, "gone": days[:1]}
    monkeypatch.setattr("presort.desk.overview.verdicts.decided_issues", lambda store: decided)
    monkeypatch.setattr("presort.desk.overview.verdicts.date", Today(days[-1]))
    page = open_page(overview_page, replayed, report="lab")
    (alarm,) = [label for label in links(page) if "nothing decided since" in label]
    assert f"**lab** nothing decided since {days[-3]}: 3 issues passed" in alarm


class Today:
    """Stands for `datetime.date` on a day."""

    def __init__(self, day):
        self.day = day

    def today(self):
        return self.day


def test_an_editor_who_stops_early_is_named(store, open_page, monkeypatch):
    table = a_year("lab", 1)
    way = np.where(np.arange(len(WEEKS)) < alarms.OLD, 1.0, 0.3) - np.arange(len(WEEKS)) / 1000
    work = table[["report", "issue", "ranker", "n_papers"]].assign(
        read_up_to=100, n_read=100, stop_at=100, way_to_stop=way, minutes=10.0
    )
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    monkeypatch.setattr("presort.desk.overview.glance._work", lambda *_: work)
    people.add_editorship(store, Editorship("lab", "Ann *Lee*", WEEKS[0].date()), person="ada")
    page = open_page(overview_page, store, report="lab")
    (alarm,) = [label for label in links(page) if "stops early" in label]
    assert r"**lab \(Ann \*Lee\*\)** reading stops early since 2026-08-24" in alarm


def test_a_report_that_got_worse_is_named_first_with_a_link_to_it(store, open_page, monkeypatch):
    table = pd.concat([a_year("lab", 1), a_year("mac", 5)], ignore_index=True)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(overview_page, store)
    ((alarm, target),) = [(label, to) for label, to in links(page).items() if "worse since" in label]
    assert "**mac** worse since 2026-08-24" in alarm
    assert target == ("report", "report=mac")
    assert pictures(page) == ["mac", "lab"]


def test_the_sentences_come_first_each_with_a_link(replayed, open_page):
    page = open_page(overview_page, replayed, ranker="arxiv-sanity")
    assert not page.exception
    shown = links(page)
    (late,) = [to for label, to in shown.items() if "late" in label and "oldest issue" in label]
    assert late == ("week", "only=%2A")
    assert any(text.value.endswith("[:primary[Each report, issue by issue]](#all-reports)") for text in page.markdown)
    (about,) = [to for label, to in shown.items() if "by arxiv-sanity" in label and "Change the ranker" in label]
    assert about == ("manage", "part=rankers")
    assert any(label.startswith("Of the two rankers compared,") for label in shown)
    assert "14.5 minutes" in captions(page)
    table = scores(replayed).query("ranker == 'arxiv-sanity'")
    medians = table.groupby("report")["relative_last_position"].median()
    names = {report.code: report.name for report in catalogue.reports(replayed)}
    (ends,) = [label.replace("\\", "") for label in shown if label.startswith("Least had to be read for")]
    best, figure = medians.idxmin(), share(medians.min())
    assert f"for {names[best]} ({figure})" in ends
    assert any(f">{figure} <small>" in html.proto.body for html in page.get("html"))
    page.selectbox(key="ranker").set_value("krichel-2007").run()
    assert page.query_params["ranker"] == "krichel-2007"
    assert any("by krichel-2007" in label for label in links(page))


def test_distances_are_texts_in_the_table_also_where_nothing_came_before(replayed, open_page):
    page = open_page(overview_page, replayed, measure="copnori")
    assert not page.exception
    (table,) = [table.value for table in page.dataframe if "now" in table.value]
    assert all(isinstance(value, str) for value in table["now"].dropna())


def test_another_ranker_chosen_changes_nothing_that_is_told_of_the_past(replayed, open_page, newest):
    service.set_rankers(replayed, "krichel-2007", [], person="ada")
    list(workflow.rank(replayed, [RECIPES["krichel-2007"]], reports=["spo"]))
    page = open_page(overview_page, replayed)
    before, mailed = summary_texts(page), sentences(replayed)
    assert any("by krichel-2007." in text for text in before[0])
    assert any("by krichel-2007." in text for text in mailed)
    service.set_rankers(replayed, "arxiv-sanity", [], person="ada")
    assert summary_texts(open_page(overview_page, replayed)) == before
    assert sentences(replayed) == mailed
    chosen = active_by_issue(replayed, [pd.Timestamp(newest), pd.Timestamp(newest) + pd.Timedelta(weeks=1)])
    assert list(chosen.values()) == ["krichel-2007", "arxiv-sanity"]


def summary_texts(page):
    """All that Overview says and draws."""
    figures = [link.proto.label for link in page.get("page_link")], [text.value for text in page.markdown]
    return *figures, captions(page), [html.proto.body for html in page.get("html")]


def test_who_is_late_is_named_with_its_editors(replayed, open_page, monkeypatch):
    oldest, *_ = _ = pending(replayed, [report.code for report in catalogue.reports(replayed)], today=date.today())
    people.add_editorship(replayed, Editorship(oldest.report, "Ann *Lee*", oldest.issue), person="ada")
    page = open_page(overview_page, replayed)
    (line,) = links(page, rf"{oldest.report} \(Ann \*Lee\*\)").items()
    assert f"{oldest.issue}" in line[0]
    assert line[1] == ("review", f"report={oldest.report}&issue={oldest.issue}")
    (text,) = [label for label in links(page) if "oldest issue" in label]
    assert f" late: {oldest.report}, " in text


def test_what_a_retired_report_sent_out_stays_in_all_figures(replayed, open_page):
    about = "were sorted for 12 reports by"
    page = open_page(overview_page, replayed)
    before = [label for label in links(page) if about in label]
    catalogue.retire_report(replayed, "lab")
    page.run()
    assert before == [label for label in links(page) if about in label] != []
    assert len(links(page, r"lab \(retired\)")) == 1
    assert "retired ones, whose past issues still count" in captions(page)


def test_nobody_is_alarmed_about_a_retired_report(store, open_page, monkeypatch):
    table = pd.concat([a_year("lab", 1), a_year("mac", 5)], ignore_index=True)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    catalogue.retire_report(store, "mac")
    page = open_page(overview_page, store)
    assert not any("worse since" in label for label in links(page))
    assert "mac" in "".join(links(page, "mac"))


def test_a_picture_leads_to_its_report_and_the_same_rankings(replayed, open_page):
    page = open_page(overview_page, replayed, measure="nosel", ranker="arxiv-sanity")
    assert links(page)["mac"] == ("report", "report=mac&measure=nosel&replay=0&ranker=arxiv-sanity")


def test_what_was_done_last(ranked, open_page, newest):
    labels = list(links(open_page(overview_page, ranked)))
    assert any(label.startswith(f"Sorted last: {newest} for 2 reports, by arxiv") for label in labels)
    assert any(label.startswith("Newest gone out: ") for label in labels)


def test_the_weekly_job_is_told_of_first_where_something_is_wrong(ranked, open_page):
    week = date(2026, 11, 23)
    weekly.begin(ranked, week, "papers")
    weekly.begin(ranked, week, "rank")
    weekly.end(ranked, week, "papers", "failed", "*a.csv* is empty.")
    (warning,) = open_page(overview_page, ranked).warning
    assert warning.value == (
        "Weekly job of 2026-11-23: New papers: failed. \\*a.csv\\* is empty. Sorting: running, or cut off. "
        "Run again, it goes on from there."
    )
    weekly.end(ranked, week, "papers", "passed over", "No new file.")
    weekly.end(ranked, week, "rank", "done", "12 lists sorted.")
    page = open_page(overview_page, ranked)
    assert not page.warning
    assert "Weekly job of 2026-11-23: all done at " in captions(page)


def test_an_empty_desk_begins_with_three_steps(empty_store, open_page):
    labels = list(links(open_page(overview_page, empty_store)))
    assert labels[:2] == ["**Import papers**", "**Add a report**"]


def test_what_was_told_is_held_against_what_was_found(replayed, open_page):
    page = open_page(overview_page, replayed, replay=1, ranker="krichel-2007")
    (sentence,) = [text.value for text in page.markdown if text.value.startswith("Where one relevant paper in 20")]
    kept = stop_audit.table(read_stop_audits(replayed), 1).query("ranker == 'krichel-2007'")
    expected, found = kept["expected_below"].sum(), kept["found_below"].sum()
    assert f"**{about(expected)}** were told" in sentence
    assert f"**{found:,}** were" in sentence
    assert "found_below" in [column for frame in page.dataframe for column in frame.value.columns]
    page = open_page(overview_page, replayed)
    assert not any(text.value.startswith("Where one relevant") for text in page.markdown)


def test_a_report_that_misses_more_than_expected_is_named(replayed, open_page, monkeypatch):
    missed = Underestimate("lab", 13, 3.2, 11, 0.0004)
    monkeypatch.setattr(
        "presort.desk.scores.stop_audit.underestimates", lambda kept: [missed, missed._replace(report="gone")]
    )
    page = open_page(overview_page, replayed, replay=1)
    ((alarm, target),) = [(label, to) for label, to in links(page).items() if "more is missed than expected" in label]
    assert "**lab**" in alarm
    assert target == ("report", "report=lab")


def shares(page):
    return {metric.label: metric.value for metric in page.metric if "stop" in metric.label or "spot" in metric.label}


def test_what_was_missed_below_the_stop_points_is_estimated_from_spot_checks(finished, newest, open_page, monkeypatch):
    page = open_page(overview_page, finished)
    assert "Spot-checked lists: 0." in captions(page)
    assert shares(page) == {}
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
    estimate = missed([one])
    page = open_page(overview_page, finished)
    assert "Spot-checked lists: 1." in captions(page)
    assert shares(page) == {}
    monkeypatch.setattr("presort.desk.overview.stop_audit.FEWEST_CHECKED", 1)
    page = open_page(overview_page, finished)
    assert shares(page)["Missed below the stop point"] == f"{100 * estimate.share:.1f} %"
    assert shares(page)["Relevant papers in spot checks"] == "1 of 1"


def test_deleted_stop_audits_are_no_longer_shown(replayed, open_page):
    assert not any(
        "No forecast can be checked" in text.value for text in open_page(overview_page, replayed, replay=1).markdown
    )
    with replayed.writing() as connection:
        connection.exec_driver_sql("DELETE FROM stop_audit")
    assert any(
        "No forecast can be checked" in text.value for text in open_page(overview_page, replayed, replay=1).markdown
    )
