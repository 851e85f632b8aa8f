"""Ranking of past issues by examples, and creation of a report from the examples."""

import os
from dataclasses import replace

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing.hints import MAX_TEXT, add_hint, hints
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.learning.models import find_models, model_store
from presort.data.records import Hints, Report
from presort.data.store import open_store
from presort.desk.service import workflow
from presort.desk.topic.past_issues import begin_report, example, learn_past, sort_past
from presort.ranker.stacked import method
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.versions import DEFAULT, RECIPES

RECIPE = RECIPES[DEFAULT]
WAGES = "Minimum wages and the employment of young workers\nHow do minimum wages change hours and hourly wages?"
SCRIPT = '<script>alert(1)</script> **wages** [x](http://a.b) $x$\n=HYPERLINK("x") :red[y]'
ARABIC = "دراسة حول الحد الأدنى للأجور"


@pytest.fixture
def past(store):
    return learn_past(store, RECIPE, 4)


@pytest.fixture
def make_service(tmp_path):
    """Create a workspace from listings."""
    made = []

    def make(listings):
        store = open_store(tmp_path / f"service-{len(made)}")
        made.append(store)
        commit_import(store, listings, person="import")
        return store

    yield make
    for store in made:
        store.close()


def days_of(listings):
    return sorted({listed.issue for listed in listings})


def ids(found):
    return [[paper.paper_id for paper in issue.papers] for issue in found]


def test_issues_come_newest_first_with_all_their_papers_and_falling_scores(store, past):
    found = sort_past(past, [WAGES])
    assert [issue.date for issue in found] == [issue.date for issue in catalogue.issues(store)][:-5:-1]
    for issue in found:
        assert sorted(issue.papers, key=str) == sorted(catalogue.papers(store, issue.date), key=str)
        assert len(issue.scores) == len(issue.papers)
        assert (np.diff(issue.scores) <= 0).all()


def test_nothing_is_written(store, listings, monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)  # so that a model would be stored
    before = catalogue.revision(store)
    sort_past(learn_past(store, RECIPE, 4), [WAGES])
    assert catalogue.revision(store) == before
    assert not model_store(store).path.exists()


@pytest.fixture
def with_model(listings, make_service, monkeypatch):
    """Service with a model trained before its fifth issue. It has large reports only."""
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 4)
    large = {"lab", "mac"}
    past = [replace(one, selected_by=tuple(large.intersection(one.selected_by))) for one in listings]
    fifth = days_of(listings)[4]
    # Models are stored for pending issues. The fifth and later selections are added afterwards.
    service = make_service([one if one.issue < fifth else replace(one, selected_by=()) for one in past])
    list(workflow.rank(service, [RECIPE], issue=fifth))
    commit_import(service, past, person="import")
    assert len(find_models(model_store(service).path, DEFAULT)) == 1
    return service


@pytest.fixture
def no_training(monkeypatch):
    def refuse(*_):
        raise AssertionError("all was learned anew")

    monkeypatch.setattr(CorrectedSvms, "_train", refuse)


def test_a_stored_model_is_used(with_model, no_training):
    past = learn_past(with_model, RECIPE, 4)
    assert past.sorter.n_reports == 2
    assert sort_past(past, [WAGES])


def test_a_new_report_causes_no_training(with_model, listings, no_training):
    [young] = [one for one in listings if one.issue == days_of(listings)[0] and one.selected_by][:1]
    commit_import(with_model, [replace(young, selected_by=(*young.selected_by, "new"))], person="import")
    add_hint(with_model, "new", "seed", WAGES, person="ann")
    assert learn_past(with_model, RECIPE, 4).sorter.n_reports == 2


def test_a_loaded_model_survives_truncation_of_its_file(with_model, no_training):
    past = learn_past(with_model, RECIPE, 4)
    found = ids(sort_past(past, [WAGES]))
    [model] = find_models(model_store(with_model).path, DEFAULT)
    os.truncate(model, 0)
    assert ids(sort_past(past, [WAGES])) == found


def test_a_model_of_a_later_issue_is_not_used(with_model):
    found = sort_past(learn_past(with_model, RECIPE, 6), [WAGES])
    [model] = find_models(model_store(with_model).path, DEFAULT)
    assert str(found[-1].date) < model.stem[-10:]
    model.unlink()
    assert ids(sort_past(learn_past(with_model, RECIPE, 6), [WAGES])) == ids(found)


def test_a_service_without_decisions_ranks_like_for_its_first_report(listings, make_service):
    service = make_service([replace(one, selected_by=()) for one in listings])
    past = learn_past(service, RECIPE, 1)
    assert past.sorter.n_reports == 0
    [found] = sort_past(past, [WAGES])
    begin_report(service, "lab", "Labour", [WAGES], person="ann")
    list(workflow.rank(service, [RECIPE]))
    ranking = rankings.newest_rankings(service, "lab", found.date)[DEFAULT].ranking
    papers = catalogue.papers(service, found.date)
    assert [paper.paper_id for paper in found.papers] == [papers[p - 1].paper_id for p in ranking.positions.tolist()]


@pytest.mark.parametrize(("n_issues", "n_asked"), [pytest.param(1, 4, id="one"), pytest.param(3, 12, id="few")])
def test_a_service_with_few_issues(listings, make_service, n_issues, n_asked):
    days = days_of(listings)[:n_issues]
    service = make_service([one for one in listings if one.issue in days])
    found = sort_past(learn_past(service, RECIPE, n_asked), [WAGES])
    assert [issue.date for issue in found] == (days if n_issues == 1 else days[:0:-1])


def test_an_example_without_known_words_is_named(past):
    with pytest.raises(RefusedError, match=f"shares a word with the example '{ARABIC}'. Remove the example"):
        sort_past(past, [WAGES, ARABIC])


def test_wrong_calls(store, past):
    with pytest.raises(ValueError, match="n_issues must be at least 1, got 0"):
        learn_past(store, RECIPE, 0)
    with pytest.raises(ValueError, match="seeds must have at least one example"):
        sort_past(past, [])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("  Wages \r\n\n We\tshow. \n", "Wages\n\nWe show.", id="white-space"),
        pytest.param("a\u202eb\x00c", "ab c", id="unseen"),
        pytest.param("w" * MAX_TEXT, "w" * MAX_TEXT, id="longest"),
    ],
)
def test_an_example_is_plain_text(text, kept):
    assert example(text) == kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(" \n\u202e\n", "The example is empty", id="empty"),
        pytest.param("w" * (MAX_TEXT + 1), "An example can have at most 20,000 characters", id="too-long"),
    ],
)
def test_invalid_example_texts_are_refused(text, message):
    with pytest.raises(RefusedError, match=message):
        example(text)


def test_a_report_begins_with_its_examples(store):
    seeds = [example(text) for text in (WAGES, SCRIPT, ARABIC)]
    assert begin_report(store, " nep-new ", "", seeds, person="ann") == Report("nep-new", "nep-new")
    assert Report("nep-new", "nep-new") in catalogue.reports(store)
    assert hints(store)["nep-new"] == Hints(seeds=tuple(seeds), up_to=3)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param("", "'' is not a valid report code", id="none"),
        pytest.param("a b", "'a b' is not a valid report code", id="space"),
        pytest.param("-lab", "'-lab' is not a valid report code", id="dash-first"),
        pytest.param("x" * 65, "at most 64", id="too-long"),
        pytest.param("lab", "Report code 'lab' is already taken", id="taken"),
        pytest.param("old", "Report code 'old' is already taken", id="retired"),
    ],
)
def test_a_code_that_is_refused_adds_nothing(store, code, message):
    catalogue.add_reports(store, [Report("old", "An old report")])
    catalogue.retire_report(store, "old")
    before = catalogue.revision(store)
    with pytest.raises(RefusedError, match=message):
        begin_report(store, code, "A name", [WAGES], person="ann")
    assert catalogue.revision(store) == before


def test_a_report_that_failed_to_start_is_not_stored_and_can_be_retried(store):
    before = catalogue.revision(store)
    with pytest.raises(RefusedError, match="The example has 24,999 characters"):
        begin_report(store, "new", "", [WAGES, "long " * 5_000], person="ann")
    assert (catalogue.revision(store), "new" in hints(store)) == (before, False)
    begin_report(store, "new", "", [WAGES], person="ann")
    assert hints(store)["new"].seeds == (WAGES,)
    assert catalogue.revision(store) == before + 1
