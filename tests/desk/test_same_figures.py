"""Figures with the same name are the same on every page."""

import re

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import mark_read
from presort.data.learning import rankings
from presort.data.records import Decision
from presort.desk.scores.effort import BASELINE, READING_EFFORT, SAVED_OVER_BASELINE, SAVED_PER_LIST
from presort.desk.scores.registry import MEASURES
from presort.desk.service import workflow

RANKER = "arxiv-sanity"


def overview_page():
    from presort.desk.overview import page

    page.show()


def report_page():
    from presort.desk.report import page

    page.show()


def compare_page():
    from presort.desk.compare import page

    page.show()


def publish_page():
    from presort.desk.publish import page

    page.show()


def card(page, label):
    """Value of a card, and the text below it."""
    assert not page.exception
    (found,) = [metric for metric in page.metric if metric.label == label]
    return found.value, found.delta


def numbers(text):
    return [float(one.replace(",", "")) for one in re.findall(r"[-+]?[\d,]*\.?\d+", text)]


def table_with(page, column):
    return next(table.value for table in page.dataframe if column in table.value)


@pytest.fixture
def overview(replayed, open_page):
    return open_page(overview_page, replayed, ranker=RANKER)


def test_a_report_page_has_the_figures_of_its_row_on_overview(replayed, overview, open_page):
    rows = table_with(overview, "trend").set_index("report")
    for report in ("lab", "mac", "edu"):
        page = open_page(report_page, replayed, report=report, ranker=RANKER)
        row = rows.loc[report]
        minutes, below = card(page, SAVED_PER_LIST)
        assert minutes == f"{row['minutes']:.1f} min"
        assert numbers(below)[0] == round(row["papers"])
        change = card(page, "Change")[0]
        assert numbers(change) == ([] if pd.isna(row["change"]) else [round(row["change"], 1)])
        issues = table_with(page, RANKER)
        means = table_with(page, "Ranker").set_index("Ranker")["Relative last position"]
        assert means.to_dict() == {name: f"{issues[name].astype(float).mean():.1f} %" for name in (RANKER, BASELINE)}
        assert card(page, READING_EFFORT)[0] == means[RANKER]


def test_overview_and_compare_agree_on_effort_and_on_what_is_saved(replayed, overview, open_page):
    page = open_page(compare_page, replayed, baseline=RANKER, candidates=BASELINE)
    assert not page.exception
    (row,) = page.dataframe[0].value.to_dict("records")
    sign = 1 if row["opponent"] == BASELINE else -1
    minutes, below = card(overview, SAVED_OVER_BASELINE)
    papers, baseline_effort = numbers(below.replace(BASELINE, ""))
    assert numbers(minutes)[0] == pytest.approx(sign * row["seconds"] / 60, abs=0.051)
    assert papers == pytest.approx(sign * row["papers"], abs=0.551)
    by_measure = table_with(page, "mean_text").set_index("label")
    label = next(label for label in by_measure.index if label.startswith(READING_EFFORT))
    efforts = [numbers(by_measure.loc[label, name])[0] for name in ("mean_text", "opponent_text")]
    shown = [numbers(card(overview, READING_EFFORT)[0])[0], baseline_effort]
    assert efforts[::sign] == pytest.approx(shown, abs=0.051)
    assert MEASURES["relative_last_position"].unit.startswith("share")


def test_overview_and_the_report_show_what_publish_shows(ranked, newest, open_page):
    shown = rankings.newest_rankings(ranked, "lab", newest)[BASELINE]
    papers = catalogue.papers(ranked, newest)
    chosen = [papers[shown.ranking.positions[rank - 1] - 1].paper_id for rank in (1, 4, 9)]
    decisions.decide(ranked, [Decision("lab", newest, one, "yes", "ann", ranking_id=shown.id) for one in chosen])
    mark_read(ranked, "lab", newest, shown.id, len(papers), person="ann")
    workflow.publish_report_issue(ranked, "lab", newest, shown, person="ann")
    of_list = open_page(publish_page, ranked, report="lab", issue=newest)
    (minutes, papers), (last, n_papers) = (
        numbers(" ".join(card(of_list, "Minutes saved"))),
        numbers(card(of_list, "Last relevant paper")[0]),
    )
    for page in (open_page(overview_page, ranked), open_page(report_page, ranked, report="lab")):
        shown_minutes, below = card(page, SAVED_PER_LIST)
        assert [round(numbers(shown_minutes)[0]), numbers(below)[0]] == [minutes, papers]
        assert card(page, READING_EFFORT)[0] == f"{100 * last / n_papers:.1f} %"
