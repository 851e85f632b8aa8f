"""Quality as `AppTest` sees it."""

import numpy as np
import pandas as pd
import pytest

from data import catalogue, people
from data.records import Editorship
from desk import alarms, cache, evaluation, workflow
from metrics import MEASURES, Outcome, score
from ranker.versions import RECIPES


def quality_page():
    from desk.pages import quality

    quality.show()


def table_of_report(page):
    return next(table.value for table in page.dataframe if "shown" in table.value)


def means(page):
    return next(table.value for table in page.dataframe if "of them in list order" in table.value)


def captions(page):
    return " ".join(caption.value for caption in page.caption)


def names_in_pictures(page, start="open-"):
    return [button.label for button in page.button if button.key.startswith(start)]


def test_quality_of_nothing_says_what_to_do(ranked, open_page):
    page = open_page(quality_page, ranked, report="mac")
    assert "presort replay" in page.info[0].value


def test_quality_without_reports_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(quality_page, empty_store).info[0].value


@pytest.mark.parametrize("measure", evaluation.MEASURED)
def test_quality_draws_every_measure(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    table = table_of_report(page)
    assert len(table) == 2 * table["issue"].nunique() > 0
    others = {MEASURES[name].label for name in evaluation.MEASURED if name != measure}
    assert {label.replace("\\", "") for label in names_in_pictures(page)} >= others


@pytest.fixture
def replayed(store):
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    list(workflow.replay(store, recipes, first=days[3], last=days[-2], retrain_every=9, reports=["lab", "mac"]))
    return store


@pytest.mark.parametrize("measure", ["copnori", "ponori"])
def test_quality_never_rounds_to_a_false_100_percent(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    for row in table_of_report(page).itertuples():
        assert row.shown.endswith("%") or row.shown.startswith("100 % ")
        assert (row.shown == "100 %") == (row.last_relevant_position == row.n_relevant)


def with_best_orders(store):
    """What `evaluation.scores` gives, had every paper found its place."""
    table = evaluation.scores(store, report="lab")
    best = [Outcome(range(1, r + 1), n) for r, n in zip(table["n_relevant"], table["n_papers"], strict=True)]
    return table.assign(outcome=best, **{name: score(best)[name] for name in ("copnori", "nosel")})


@pytest.mark.parametrize(("measure", "n_charts"), [("copnori", 0), ("nosel", 1)])
def test_quality_of_best_orders_only_has_no_distance_to_draw(replayed, open_page, monkeypatch, measure, n_charts):
    table = with_best_orders(replayed)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == n_charts
    assert (f"{len(table)} of {len(table)} are the best possible order" in captions(page)) == (not n_charts)
    assert set(table_of_report(page)["shown"]) == {"100 %" if measure == "copnori" else "1.0000"}


def test_quality_counts_issues_in_which_everything_was_selected(replayed, open_page, monkeypatch):
    table = evaluation.scores(replayed, report="lab").assign(n_papers=lambda table: table["n_relevant"])
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(quality_page, replayed, report="lab", measure="aselt")
    assert (means(page)["of them with everything relevant"] == len(table) / 2).all()


def test_a_report_without_scores_says_so_below_the_others(replayed, open_page):
    page = open_page(quality_page, replayed, report="pub")
    assert "Nothing of this report was scored yet" in page.info[0].value
    assert {"lab", "mac"} <= set(names_in_pictures(page))


def test_choosing_a_picture_opens_the_report_or_the_measure(replayed, open_page):
    page = open_page(quality_page, replayed, report="lab")
    page.button(key="open-mac").click().run()
    assert page.selectbox(key="report").value == "mac"
    assert page.query_params["report"] == "mac"
    page.button(key="open-nosel").click().run()
    assert page.selectbox(key="measure").value == "nosel"
    assert not page.exception


def test_the_choice_of_ranker_is_in_the_address_and_names_what_was_saved(replayed, open_page):
    page = open_page(quality_page, replayed, report="lab", ranker="arxiv-sanity")
    assert page.selectbox(key="ranker").value == "arxiv-sanity"
    (said,) = [text.value for text in page.markdown if "against the order received" in text.value]
    assert said.startswith("arxiv-sanity ")
    assert "14.5 minutes" in captions(page)
    page.selectbox(key="ranker").set_value("krichel-2007").run()
    assert page.query_params["ranker"] == "krichel-2007"


WEEKS = pd.date_range("2025-11-24", periods=alarms.NEW + alarms.OLD, freq="7D")


def a_year(report, scale, seed=1):
    """What `evaluation.scores` gives of a year in which the last relevant papers moved down by a factor."""
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
        "is_trained": True,
        "n_papers": 600,
        "n_relevant": 3,
        "outcome": outcomes,
    }
    return pd.concat([pd.DataFrame(described), score(outcomes)], axis="columns")


def test_a_report_that_got_worse_is_named_first_and_can_be_looked_at(store, open_page, monkeypatch):
    table = pd.concat([a_year("lab", 1), a_year("mac", 5)], ignore_index=True)
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(quality_page, store, report="lab")
    (alarm,) = [text.value for text in page.markdown if "worse since" in text.value]
    assert "**mac** worse since 2026-08-24" in alarm
    assert names_in_pictures(page)[:2] == ["mac", "lab"]
    page.button(key="look-mac").click().run()
    assert page.selectbox(key="report").value == "mac"


def test_no_alarm_says_so_and_how_it_is_decided(replayed, open_page, monkeypatch):
    days = [issue.date for issue in catalogue.issues(replayed)]
    monkeypatch.setattr("desk.boxes.quality_reports.decided_issues", lambda store: {"lab": days})
    page = open_page(quality_page, replayed, report="lab")
    assert "No alarm." in [text.value for text in page.markdown]
    assert "fewer than one week of twenty" in captions(page)


def test_a_silent_report_is_named(replayed, open_page, monkeypatch):
    days = [issue.date for issue in catalogue.issues(replayed)]
    decided = {"lab": days[:-3], "mac": days, "gone": days[:1]}
    monkeypatch.setattr("desk.boxes.quality_reports.decided_issues", lambda store: decided)
    monkeypatch.setattr("desk.boxes.quality_reports.date", Today(days[-1]))
    page = open_page(quality_page, replayed, report="lab")
    (alarm,) = [text.value for text in page.markdown if "nothing decided since" in text.value]
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
        read_to=100, red_at=100, way_to_red=way, minutes=10.0
    )
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    monkeypatch.setattr("desk.boxes.quality_reports.work_done", lambda store, since: work)
    people.add_editorship(store, Editorship("lab", "Ann *Lee*", WEEKS[0].date()), person="ada")
    page = open_page(quality_page, store, report="lab")
    (alarm,) = [text.value for text in page.markdown if "stops early" in text.value]
    assert r"**lab \(Ann \*Lee\*\)** reading stops early since 2026-08-24" in alarm


def test_what_is_downloaded_equals_the_measures(replayed, open_page, monkeypatch):
    offered = {}
    monkeypatch.setattr("desk.boxes.quality_report.offer", lambda label, table, name: offered.update({name: table}))
    open_page(quality_page, replayed, report="lab")
    table = offered["quality-lab.csv"]
    expected = evaluation.scores(replayed, report="lab")
    assert set(evaluation.MEASURED) <= set(table.columns)
    for name in evaluation.MEASURED:
        assert table[name].tolist() == pytest.approx(expected[name].tolist(), nan_ok=True)
    assert not {"drawn", "shown", "outcome"} & set(table.columns)
