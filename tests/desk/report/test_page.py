"""My report as `AppTest` sees it."""

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.mail import readers
from presort.data.records import Editorship, Report
from presort.data.running import people
from presort.desk.overview.glance import LAST, newest_year, overview
from presort.desk.scores.table import MEASURED, scores
from presort.desk.ui import cache
from presort.metrics import MEASURES, Outcome, score


def report_page():
    from presort.desk.report import page

    page.show()


def table_of_report(page):
    return next(table.value for table in page.dataframe if "shown" in table.value)


def means(page):
    return next(table.value for table in page.dataframe if "of them in list order" in table.value)


def captions(page):
    return " ".join(caption.value for caption in page.caption)


def test_without_figures_it_says_what_brings_them(ranked, open_page):
    page = open_page(report_page, ranked, report="mac")
    assert "once a report issue has gone out" in page.info[0].value
    assert "What waits this week" in [link.proto.label for link in page.get("page_link")]


@pytest.mark.parametrize("measure", MEASURED)
def test_my_report_draws_every_measure(replayed, open_page, measure):
    page = open_page(report_page, replayed, report="lab", measure=measure)
    assert not page.exception
    table = table_of_report(page)
    assert len(table) == 2 * table["issue"].nunique() > 0
    others = {MEASURES[name].label for name in MEASURED if name != measure}
    assert {label.replace("\\", "") for label in [button.label for button in page.button]} >= others


def test_the_table_stands_below_the_chart_where_each_column_has_room(replayed, open_page):
    page = open_page(report_page, replayed, report="lab")
    in_columns = [table for column in page.columns for table in column.dataframe]
    assert not any("shown" in table.value for table in in_columns)


@pytest.mark.parametrize("measure", ["copnori", "ponori"])
def test_my_report_never_rounds_to_a_false_100_percent(replayed, open_page, measure):
    page = open_page(report_page, replayed, report="lab", measure=measure)
    for row in table_of_report(page).itertuples():
        assert row.shown.endswith("%") or row.shown.startswith("100 % ")
        assert (row.shown == "100 %") == (row.last_relevant_position == row.n_relevant)


def with_best_orders(store):
    """What `presort.desk.scores.table.scores` gives, had every paper found its place."""
    table = scores(store, report="lab")
    best = [Outcome(range(1, r + 1), n) for r, n in zip(table["n_relevant"], table["n_papers"], strict=True)]
    return table.assign(outcome=best, **{name: score(best)[name] for name in ("copnori", "nosel")})


@pytest.mark.parametrize(("measure", "n_charts"), [("copnori", 0), ("nosel", 1)])
def test_my_report_of_best_orders_only_has_no_distance_to_draw(replayed, open_page, monkeypatch, measure, n_charts):
    table = with_best_orders(replayed)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(report_page, replayed, report="lab", measure=measure)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == n_charts
    assert (f"{len(table)} of {len(table)} are the best possible order" in captions(page)) == (not n_charts)
    assert set(table_of_report(page)["shown"]) == {"100 %" if measure == "copnori" else "1.0000"}


def test_my_report_counts_issues_in_which_everything_was_selected(replayed, open_page, monkeypatch):
    table = scores(replayed, report="lab").assign(n_papers=lambda table: table["n_relevant"])
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(report_page, replayed, report="lab", measure="aselt")
    assert (means(page)["of them with everything relevant"] == len(table) / 2).all()


def test_what_is_downloaded_equals_the_measures(replayed, open_page, monkeypatch):
    offered = {}
    monkeypatch.setattr("presort.desk.report.scores.offer", lambda label, table, name: offered.update({name: table}))
    open_page(report_page, replayed, report="lab")
    table = offered["my-report-lab.csv"]
    expected = scores(replayed, report="lab")
    assert set(MEASURED) <= set(table.columns)
    for name in MEASURED:
        assert table[name].tolist() == pytest.approx(expected[name].tolist(), nan_ok=True)
    assert not {"drawn", "shown", "outcome"} & set(table.columns)


def test_without_reports_it_links_to_where_one_is_added(empty_store, open_page):
    page = open_page(report_page, empty_store)
    assert "No report yet" in page.info[0].value
    assert [link.proto.label for link in page.get("page_link")] == ["Add a report"]


def test_it_says_how_good_the_order_was_who_edits_it_and_who_reads_it(replayed, open_page):
    issues = catalogue.issues(replayed)
    people.add_editorship(replayed, Editorship("lab", "Ann *Lee*", issues[0].date), person="ada")
    readers.add_readers(replayed, "lab", [("ann@example.org", "Ann"), ("bo@example.org", "Bo")], person="ada")
    page = open_page(report_page, replayed, report="lab", ranker="krichel-2007")
    assert not page.exception
    mine = scores(replayed, report="lab").query("ranker == 'krichel-2007'")
    half = f"{100 * mine['relative_last_position'].median():.0f} %"
    assert any(text.value.endswith(f"stood at {half} of the list or earlier.") for text in page.markdown)
    assert r"Edited by Ann \*Lee\*" in [link.proto.label for link in page.get("page_link")]
    assert "2 readers" in [header.value for header in page.header]


def test_its_median_is_that_of_overview_over_issues_of_the_service(replayed, open_page, monkeypatch):
    table = scores(replayed).query("ranker == 'krichel-2007'")
    newest = table["issue"].max()
    weeks = {"lab": {0: 0.1, 14: 0.5}, "mac": dict.fromkeys(range(14), 0.3)}
    rows = pd.concat(
        table[table["report"] == report].tail(1).assign(issue=newest - pd.Timedelta(weeks=week), **{LAST: last})
        for report, lasts in weeks.items()
        for week, last in lasts.items()
    )
    monkeypatch.setattr(cache, "all_scores", lambda replay: rows)
    page = open_page(report_page, replayed, report="lab")
    (sentence,) = [text.value for text in page.markdown if "last relevant paper stood" in text.value]
    assert sentence.startswith("In its one list among the newest 13 issues the last relevant paper stood at 10 %")
    row = overview(newest_year(rows), pd.DataFrame(columns=["report", "papers", "minutes", "was_read"]), "nosel")
    assert row.set_index("report").loc["lab", "last_now"] == 0.1


def test_a_retired_report_can_still_be_looked_at(replayed, open_page):
    catalogue.retire_report(replayed, "lab")
    page = open_page(report_page, replayed, report="lab")
    assert page.selectbox(key="report").value == "lab"
    assert len(table_of_report(page))


def test_a_report_without_scores_says_so(replayed, open_page):
    catalogue.add_reports(replayed, [Report("new", "New")])
    page = open_page(report_page, replayed, report="new")
    assert "No figures of this report yet" in page.info[0].value
    assert "No readers yet" in [header.value for header in page.header]


def test_choosing_a_small_measure_makes_it_the_large_one(replayed, open_page):
    page = open_page(report_page, replayed, report="lab")
    page.button(key="open-nosel").click().run()
    assert page.selectbox(key="measure").value == "nosel"
    assert page.query_params["measure"] == "nosel"
    assert not page.exception
