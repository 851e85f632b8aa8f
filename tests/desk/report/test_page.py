"""The *My report* page in `AppTest`."""

import math
from datetime import date

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.pending import pending
from presort.data.learning import rankings
from presort.data.mail import readers
from presort.data.records import Decision, Editorship, Holiday, RankerChoice, Report
from presort.data.running import people
from presort.desk.report.charts import LIST_ORDER, measure_over_time
from presort.desk.report.figures import NOT_SCORED, compute, events, first_report
from presort.desk.report.page import RELEVANT_PER_LIST, RETIRED
from presort.desk.report.scores import deepest_rankings
from presort.desk.scores.effort import READING_EFFORT, SAVED_PER_LIST
from presort.desk.scores.shifts import NEW, OLD
from presort.desk.scores.table import MEASURED, scores
from presort.desk.service import workflow
from presort.desk.ui import cache
from presort.desk.ui.cards import UNKNOWN
from presort.metrics import MEASURES, Outcome, score

LAST = "relative_last_position"


def report_page():
    from presort.desk.report import page

    page.show()


def overview_page():
    from presort.desk.overview import page

    page.show()


def issues(page):
    """Table with one row per issue."""
    return next(table.value for table in page.dataframe if "state" in table.value)


def means(page):
    return next(table.value for table in page.dataframe if "In list order" in table.value)


def captions(page):
    return " ".join(caption.value for caption in page.caption)


def cards(page):
    return {metric.label: metric.value for metric in page.metric}


def test_without_figures_the_page_says_what_produces_them(ranked, open_page):
    page = open_page(report_page, ranked, report="mac")
    assert "when a report issue is published" in page.info[0].value
    assert not page.metric


@pytest.mark.parametrize("measure", MEASURED)
def test_my_report_draws_every_measure_in_a_row_per_issue(replayed, open_page, measure):
    page = open_page(report_page, replayed, report="lab", measure=measure)
    assert not page.exception
    expected = scores(replayed, report="lab")
    table = issues(page)
    assert table["issue"].tolist() == sorted(expected["issue"].dt.strftime("%Y-%m-%d").unique(), reverse=True)
    scale = 100 if MEASURES[measure].unit.startswith("share") else 1
    for ranker, mine in expected.groupby("ranker"):
        values = mine.sort_values("issue", ascending=False)[measure]
        if MEASURES[measure].loss:
            assert all(isinstance(text, str) for text in table[ranker])
        else:
            assert table[ranker].astype(float).tolist() == pytest.approx((scale * values).tolist(), nan_ok=True)


@pytest.mark.parametrize("measure", ["copnori", "ponori"])
def test_my_report_never_rounds_to_a_false_100_percent(replayed, open_page, measure):
    page = open_page(report_page, replayed, report="lab", measure=measure)
    expected = scores(replayed, report="lab").query("ranker == 'krichel-2007'").sort_values("issue", ascending=False)
    is_best = expected["last_relevant_position"] == expected["n_relevant"]
    for text, best in zip(issues(page)["krichel-2007"], is_best, strict=True):
        assert (text == "100 %") == best


def with_best_orders(store):
    """Return scores like `presort.desk.scores.table.scores`, with all relevant papers ranked first."""
    table = scores(store, report="lab")
    best = [Outcome(range(1, r + 1), n) for r, n in zip(table["n_relevant"], table["n_papers"], strict=True)]
    return table.assign(outcome=best, **{name: score(best)[name] for name in ("copnori", "nosel")})


@pytest.mark.parametrize(("measure", "n_charts"), [("copnori", 0), ("nosel", 2)])
def test_my_report_of_best_orders_only_has_no_distance_to_draw(replayed, open_page, monkeypatch, measure, n_charts):
    table = with_best_orders(replayed)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(report_page, replayed, report="lab", measure=measure)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == n_charts


def test_my_report_counts_issues_in_which_everything_was_selected(replayed, open_page, monkeypatch):
    table = scores(replayed, report="lab").assign(n_papers=lambda table: table["n_relevant"])
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(report_page, replayed, report="lab", measure="aselt")
    assert (means(page)["All relevant"] == len(table) / 2).all()


def test_the_download_equals_the_measures(replayed, open_page, monkeypatch):
    offered = {}
    monkeypatch.setattr("presort.desk.report.scores.offer", lambda label, table, name: offered.update({name: table}))
    open_page(report_page, replayed, report="lab")
    table = offered["my-report-lab.csv"]
    expected = scores(replayed, report="lab")
    assert set(MEASURED) <= set(table.columns)
    for name in MEASURED:
        assert table[name].tolist() == pytest.approx(expected[name].tolist(), nan_ok=True)
    assert not {"drawn", "shown", "outcome"} & set(table.columns)


def test_without_reports_the_page_links_to_adding_one(empty_store, open_page):
    page = open_page(report_page, empty_store)
    assert "No reports yet" in page.info[0].value
    assert [link.proto.label for link in page.get("page_link")] == ["Add a report"]


def test_the_page_names_editors_late_issues_and_readers(replayed, open_page):
    first = catalogue.issues(replayed)[0].date
    people.add_editorship(replayed, Editorship("lab", "Ann *Lee*", first), person="ada")
    readers.add_readers(replayed, "lab", [("ann@example.org", "Ann"), ("bo@example.org", "Bo")], person="ada")
    page = open_page(report_page, replayed, report="lab", ranker="krichel-2007")
    assert not page.exception
    labels = {link.proto.label: link.proto.query_string for link in page.get("page_link")}
    assert any(r"Ann \*Lee\*" in label for label in labels)
    late = [one for one in pending(replayed, ["lab"], today=date.today()) if one.days_counted >= 14]
    assert [label for label, query in labels.items() if query == "only=lab"] != []
    assert all(f"Late: {len(late)}" in label for label, query in labels.items() if query == "only=lab")
    page.session_state["report-part"] = "Readers"
    assert cards(page.run())["Readers"] == "2"


def test_figures_equal_those_of_overview_and_of_the_measures(replayed, open_page):
    page = open_page(report_page, replayed, report="lab", ranker="arxiv-sanity")
    mine = scores(replayed, report="lab").query("ranker == 'arxiv-sanity'")
    assert cards(page)[READING_EFFORT] == f"{100 * mine[LAST].mean():.1f} %"
    overview = open_page(overview_page, replayed, ranker="arxiv-sanity")
    row = next(table.value for table in overview.dataframe if "trend" in table.value).set_index("report").loc["lab"]
    assert cards(page)[SAVED_PER_LIST] == f"{row['minutes']:.1f} min"


def test_a_service_of_one_report_has_the_same_cards_on_both_pages(replayed, open_page):
    for report in catalogue.reports(replayed):
        if report.code != "lab":
            catalogue.retire_report(replayed, report.code)
    only = cache.all_scores
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "all_scores", lambda replay: only(replay).query("report == 'lab'"))
        effort = cache.effort
        patch.setattr(cache, "effort", lambda replay, ranker: effort(replay, ranker).query("report == 'lab'"))
        mine = cards(open_page(report_page, replayed, report="lab", ranker="krichel-2007"))
        overview = cards(open_page(overview_page, replayed, ranker="krichel-2007"))
    for label in (READING_EFFORT, SAVED_PER_LIST):
        assert mine[label] == overview[label]


def test_windows_count_issues_of_the_service(replayed):
    table = scores(replayed).query("ranker == 'krichel-2007'")
    newest = table["issue"].max()
    weeks = {"lab": {0: 0.1, 14: 0.5}, "mac": dict.fromkeys(range(2 * NEW), 0.3)}
    rows = pd.concat(
        table[table["report"] == report].tail(1).assign(issue=newest - pd.Timedelta(weeks=week), **{LAST: last})
        for report, lasts in weeks.items()
        for week, last in lasts.items()
    )
    nothing = pd.DataFrame(columns=["report", "issue", "papers", "minutes", "in_list_order", "n_papers", "n_above"])
    found = compute("lab", rows, sorted(rows["issue"].unique()), nothing, nothing, {"lab": 0.2})
    assert (found.now, found.before, found.p) == (0.1, 0.5, 0.2)
    assert found.effort == pytest.approx(0.3)


def test_an_editor_who_may_view_one_report_sees_the_windows_of_the_service(replayed, open_page, monkeypatch):
    newest = scores(replayed)["issue"].max()
    with replayed.writing() as connection:
        lists = "SELECT ranking.id FROM ranking JOIN report ON report.id = report_id JOIN issue ON issue.id = issue_id"
        of_lab = f"{lists} WHERE report.code = 'lab' AND issue.date = '{newest:%Y-%m-%d}'"
        connection.exec_driver_sql(f"DELETE FROM outcome WHERE ranking_id IN ({of_lab})")
    monkeypatch.setattr("presort.desk.report.figures.NEW", 1)
    of_director = cards(open_page(report_page, replayed, report="lab"))
    monkeypatch.setattr(cache, "visible_reports", lambda: ("lab",))
    assert cards(open_page(report_page, replayed, report="lab")) == of_director
    assert of_director["Change"] == UNKNOWN


def test_a_retired_report_can_still_be_opened(replayed, open_page):
    catalogue.retire_report(replayed, "lab")
    page = open_page(report_page, replayed, report="lab")
    assert page.selectbox(key="report").value == "lab"
    assert len(issues(page))
    assert RETIRED in [markdown.value for markdown in page.markdown]


def test_a_report_without_scores_in_the_newest_52_issues_has_no_figures_of_it(replayed, open_page, monkeypatch):
    table = scores(replayed)
    later = [table["issue"].max() + pd.Timedelta(weeks=week) for week in range(1, NEW + OLD + 1)]
    monkeypatch.setattr(cache, "newest_issues", lambda replay, ranker: later)
    page = open_page(report_page, replayed, report="lab")
    assert not page.exception
    assert cards(page)[RELEVANT_PER_LIST] == UNKNOWN


def test_relevant_papers_above_the_stop_point_are_counted_in_the_lists_shown(replayed):
    own = scores(replayed, report="lab").query("ranker == 'krichel-2007' and n_relevant > 0")
    own = own.assign(was_shown=own["issue"] == own["issue"].max())
    work = own[["report", "issue"]].assign(n_above=own["n_relevant"].astype(float))
    nothing = pd.DataFrame(columns=["report", "papers", "minutes", "in_list_order", "n_papers"])
    found = compute("lab", own, own["issue"].tolist(), nothing, work, {})
    assert found.n_above == own["n_relevant"].iloc[-1] < own["n_relevant"].sum()


def test_every_card_says_which_lists_it_covers(replayed, open_page):
    page = open_page(report_page, replayed, report="lab")
    covered = {metric.label: metric.delta for metric in page.metric}
    assert all(covered.values()), covered
    n_lists = len(scores(replayed, report="lab").query("ranker == 'krichel-2007' and n_relevant > 0"))
    assert covered[READING_EFFORT] == f"mean of {n_lists} lists"


def test_a_report_without_scores_has_a_message(replayed, open_page):
    catalogue.add_reports(replayed, [Report("new", "New")])
    page = open_page(report_page, replayed, report="new")
    assert page.info
    assert not page.metric


def test_another_measure_is_drawn_and_in_the_address(replayed, open_page):
    page = open_page(report_page, replayed, report="lab")
    page.selectbox(key="measure").set_value("nosel").run()
    assert page.query_params["measure"] == "nosel"
    assert not page.exception
    expected = scores(replayed, report="lab").query("ranker == 'krichel-2007'").sort_values("issue", ascending=False)
    assert issues(page)["krichel-2007"].astype(float).tolist() == pytest.approx(expected["nosel"].tolist())


def read_and_publish(store, issue, n_read):
    """Read the first papers of lab's newest list, mark the second as relevant, and publish."""
    shown = rankings.newest_rankings(store, "lab", issue)["krichel-2007"]
    papers = catalogue.papers(store, issue)
    for place in range(1, n_read + 1):
        paper = papers[shown.ranking.positions[place - 1] - 1].paper_id
        label = "yes" if place == 2 else "no"
        decisions.decide(store, [Decision("lab", issue, paper, label, "ada", ranking_id=shown.id)])
    workflow.publish_report_issue(store, "lab", issue, shown, person="ada")
    workflow.score(store)
    return papers


def test_after_an_early_stop_the_page_shows_the_known_figures(finished, newest, open_page):
    papers = read_and_publish(finished, newest, 3)
    row = issues(open_page(report_page, finished, report="lab")).set_index("issue").loc[str(newest)]
    assert row["state"] == NOT_SCORED
    assert (row["n_read"], row["n_relevant"], row["n_papers"]) == (3, 1, len(papers))
    assert math.isnan(row["krichel-2007"])


def test_the_first_issue_of_a_report_already_has_figures(finished, newest, open_page):
    with finished.writing() as connection:
        connection.exec_driver_sql("DELETE FROM outcome")
    papers = read_and_publish(finished, newest, len(catalogue.papers(finished, newest)))
    page = open_page(report_page, finished, report="lab", ranker="krichel-2007")
    table = issues(page).query("state == ''").set_index("issue")
    assert table.loc[str(newest), "n_read"] == len(papers)
    assert cards(page)[SAVED_PER_LIST].endswith("min")


@pytest.mark.parametrize(
    ("own", "late", "expected"),
    [
        pytest.param([], {"mac": 20, "his": 30}, "his", id="most-late"),
        pytest.param([], {"mac": 3}, "lab", id="strongest-signal"),
        pytest.param(["mac", "edu"], {"his": 30}, "edu", id="own-first"),
        pytest.param(["gone"], {}, "lab", id="none-of-own"),
    ],
)
def test_the_page_opens_on_the_report_that_needs_attention(own, late, expected):
    waiting = [Overdue(report, days) for report, days in late.items()]
    p_values = {"lab": 0.01, "his": 0.5, "edu": 0.02}
    assert first_report(["edu", "his", "lab", "mac"], own, waiting, p_values, late=14) == expected


class Overdue:
    """Pending issue with a given age."""

    def __init__(self, report, days):
        self.report, self.days_counted = report, days


def test_the_page_opens_on_a_late_report_unless_another_is_requested(replayed, open_page):
    late = pending(replayed, [report.code for report in catalogue.reports(replayed)], today=date.today())
    oldest = max(late, key=lambda one: one.days_counted).days_counted
    chosen = open_page(report_page, replayed).selectbox(key="report").value
    assert max(one.days_counted for one in late if one.report == chosen) == oldest
    assert open_page(report_page, replayed, report="spo").selectbox(key="report").value == "spo"


def test_changes_of_editor_and_ranker_and_holidays_are_events():
    editorships = [Editorship("lab", "Ann", date(2026, 3, 2)), Editorship("mac", "Bo", date(2026, 3, 2))]
    days = (None, date(2026, 4, 6), date(2026, 5, 4))
    choices = [
        RankerChoice(name, (), day, "Ann", pd.Timestamp("2026-01-01") + pd.Timedelta(weeks=week))
        for week, (name, day) in enumerate(zip(("a", "b", "b"), days, strict=True))
    ]
    found = events("lab", editorships, choices, [Holiday(date(2026, 12, 24), date(2026, 12, 31), "Christmas")])
    assert [(one.text, str(one.first.date()), one.first < one.last) for one in found] == [
        ("Editor: Ann", "2026-03-02", False),
        ("b", "2026-04-06", False),
        ("Christmas", "2026-12-24", True),
    ]


def test_the_chart_is_bold_for_the_selection_and_grey_for_the_rest(replayed):
    table = scores(replayed, report="lab").assign(day="2026-10-05", shown="text", drawn=0.5)
    table = table.drop(columns="outcome").assign(
        is_trained=lambda table: table["issue"] > table["issue"].min(),
        is_own=lambda table: table["ranker"] == "krichel-2007",
    )
    chart = measure_over_time(table, MEASURES[LAST], "Last").to_dict()
    rows = next(rows for rows in chart["datasets"].values() if "order" in rows[0])
    assert {row["order"] for row in rows} == {"krichel-2007", "arxiv-sanity", LIST_ORDER}
    scale = next(layer["encoding"]["color"]["scale"] for layer in chart["layer"] if "scale" in str(layer))
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    assert colours["arxiv-sanity"] == colours[LIST_ORDER] != colours["krichel-2007"]


def test_the_deepest_papers_are_those_of_the_newest_lists(replayed):
    own = scores(replayed, report="lab").query("ranker == 'krichel-2007'")
    found = deepest_rankings(own)
    assert found[LAST].is_monotonic_decreasing
    assert found[LAST].iloc[0] == own[LAST].max()
