"""A subject tried on past issues: the sorting, and the page."""

from dataclasses import replace

import numpy as np
import pytest

from data import catalogue, rankings
from data.errors import RefusedError
from data.hints import MAX_TEXT, add_hint, hints
from data.models import find_models
from data.publish import publish
from data.records import Hints, ListedPaper, Paper, Report
from data.store import open_store
from desk import topic, workflow
from desk.shelf import models_of
from desk.topic import begin_report, example, learn_past, sort_past
from desk.words import topic as words
from desk.words.why import example_of
from metrics import Outcome, average_precision
from ranker import corrected
from ranker.corrected import CorrectedMachines
from ranker.versions import DEFAULT, RECIPES

RECIPE = RECIPES[DEFAULT]
WAGES = "Minimum wages and the employment of young workers\nHow do minimum wages change hours and hourly wages?"
SCRIPT = '<script>alert(1)</script> **wages** [x](http://a.b) $x$\n=HYPERLINK("x") :red[y]'
ARABIC = "دراسة حول الحد الأدنى للأجور"


def topic_page():
    from desk.pages import topic

    topic.show()


@pytest.fixture
def past(store):
    return learn_past(store, RECIPE, 4)


@pytest.fixture
def make_service(tmp_path):
    """Make a workspace of listings."""
    made = []

    def make(listings):
        store = open_store(tmp_path / f"service-{len(made)}")
        made.append(store)
        publish(store, listings, person="import")
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


def test_papers_on_the_subject_come_first(listings, make_service):
    service = make_service([without(one, "lab") for one in listings])
    picked = {(one.issue, one.paper.paper_id) for one in listings if "lab" in one.selected_by}
    first_days = days_of(listings)[:4]
    seeds = [example_of(one.paper) for one in listings if "lab" in one.selected_by and one.issue in first_days][:5]
    reached = []
    for issue in sort_past(learn_past(service, RECIPE, 4), seeds):
        outcome = Outcome.from_relevance([(issue.date, paper.paper_id) in picked for paper in issue.papers])
        reached += [average_precision(outcome)] if outcome.r else []
    assert len(reached) == 3
    assert np.mean(reached) > 0.6


def without(listed, report):
    return replace(listed, selected_by=tuple(code for code in listed.selected_by if code != report))


@pytest.mark.parametrize("seed", [0, 1])
def test_what_was_selected_from_these_issues_moves_nothing(listings, past, make_service, seed):
    rng, days = np.random.default_rng(seed), days_of(listings)
    turned = [
        replace(one, selected_by=("lab",) if rng.random() < 0.5 else ()) if one.issue in days[-4:] else one
        for one in listings
    ]
    service = make_service(turned)
    assert ids(sort_past(learn_past(service, RECIPE, 4), [WAGES])) == ids(sort_past(past, [WAGES]))


def test_earlier_selections_move_something(listings, past, make_service):
    service = make_service([without(one, "lab") for one in listings])
    assert ids(sort_past(learn_past(service, RECIPE, 4), [WAGES])) != ids(sort_past(past, [WAGES]))


def test_each_set_of_examples_stands_for_itself(past):
    alone = ids(sort_past(past, [WAGES]))
    others = ids(sort_past(past, ["Exchange rates and the balance of payments"]))
    assert others != alone
    assert ids(sort_past(past, [WAGES])) == alone


def test_nothing_is_written(store, listings, monkeypatch):
    monkeypatch.setattr(corrected, "FEW_PAPERS", 0)  # so that a model would be kept
    before = catalogue.revision(store)
    sort_past(learn_past(store, RECIPE, 4), [WAGES])
    assert catalogue.revision(store) == before
    assert not models_of(store).path.exists()


@pytest.fixture
def with_model(listings, make_service, monkeypatch):
    """A service whose model was made before its fifth issue; it has large reports only."""
    monkeypatch.setattr(corrected, "FEW_PAPERS", 0)
    monkeypatch.setattr(corrected, "PERIOD", 4)
    monkeypatch.setattr(topic, "PERIOD", 4)
    large = {"lab", "mac"}
    service = make_service([replace(one, selected_by=tuple(large.intersection(one.selected_by))) for one in listings])
    list(workflow.rank(service, [RECIPE], issue=days_of(listings)[4]))
    assert len(find_models(models_of(service).path, DEFAULT)) == 1
    return service


@pytest.fixture
def no_training(monkeypatch):
    def refuse(*_):
        raise AssertionError("all was learned anew")

    monkeypatch.setattr(CorrectedMachines, "_learn", refuse)


def test_a_model_at_hand_is_used(with_model, no_training):
    past = learn_past(with_model, RECIPE, 4)
    assert past.n_reports == 2
    assert sort_past(past, [WAGES])


def test_a_report_that_has_begun_since_makes_no_training(with_model, listings, no_training):
    [young] = [one for one in listings if one.issue == days_of(listings)[0] and one.selected_by][:1]
    publish(with_model, [replace(young, selected_by=(*young.selected_by, "new"))], person="import")
    add_hint(with_model, "new", "seed", WAGES, person="ann")
    assert learn_past(with_model, RECIPE, 4).n_reports == 2


def test_a_model_of_a_later_issue_is_not_used(with_model):
    found = sort_past(learn_past(with_model, RECIPE, 6), [WAGES])
    [model] = find_models(models_of(with_model).path, DEFAULT)
    assert str(found[-1].date) < model.stem[-10:]
    model.unlink()
    assert ids(sort_past(learn_past(with_model, RECIPE, 6), [WAGES])) == ids(found)


def issue_days(store):
    return [issue.date for issue in catalogue.issues(store)]


def test_a_service_without_decisions_sorts_as_its_first_report_would_be(listings, make_service):
    service = make_service([replace(one, selected_by=()) for one in listings])
    past = learn_past(service, RECIPE, 1)
    assert past.n_reports == 0
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


def test_an_example_of_which_no_word_is_known_is_named(past):
    with pytest.raises(RefusedError, match=f"has a word of the example '{ARABIC}'; take it back"):
        sort_past(past, [WAGES, ARABIC])


def test_one_word_is_an_example(past):
    [issue, *_] = sort_past(past, ["wages"])
    assert "wage" in f"{issue.papers[0].title} {issue.papers[0].abstract}".lower()


def test_wrong_calls(store, past):
    with pytest.raises(ValueError, match="n_issues must be at least 1, got 0"):
        learn_past(store, RECIPE, 0)
    with pytest.raises(ValueError, match="seeds must be one or more"):
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
    ("text", "said"),
    [
        pytest.param(" \n\u202e\n", "An example needs a text", id="empty"),
        pytest.param("w" * (MAX_TEXT + 1), "An example can have 20,000 characters", id="too-long"),
    ],
)
def test_what_is_no_example(text, said):
    with pytest.raises(RefusedError, match=said):
        example(text)


def test_a_report_begins_with_its_examples(store):
    seeds = [example(text) for text in (WAGES, SCRIPT, ARABIC)]
    assert begin_report(store, " nep-new ", "", seeds, person="ann") == Report("nep-new", "nep-new")
    assert Report("nep-new", "nep-new") in catalogue.reports(store)
    assert hints(store)["nep-new"] == Hints(seeds=tuple(seeds), up_to=3)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param("", "'' is no report code", id="none"),
        pytest.param("a b", "'a b' is no report code", id="space"),
        pytest.param("-lab", "'-lab' is no report code", id="dash-first"),
        pytest.param("x" * 65, "at most 64", id="too-long"),
        pytest.param("lab", "There is or was a report 'lab' already", id="taken"),
        pytest.param("old", "There is or was a report 'old' already", id="retired"),
    ],
)
def test_a_code_that_is_refused_adds_nothing(store, code, said):
    catalogue.add_reports(store, [Report("old", "An old report")])
    catalogue.retire_report(store, "old")
    before = catalogue.revision(store)
    with pytest.raises(RefusedError, match=said):
        begin_report(store, code, "A name", [WAGES], person="ann")
    assert catalogue.revision(store) == before


def rows(page):
    """Title of each paper of the open issue: the texts of a row are place, bar, title, authors, abstract."""
    texts = [text.value for text in page.text]
    places = [where for where, text in enumerate(texts) if text.startswith("▮")]
    return [texts[where + 1] for where in places]


def add(page, text):
    page.text_area(key="topic-text").set_value(text)
    return page.button(key="topic-add").click().run(timeout=60)


def test_without_issues_the_page_says_what_to_do(empty_store, open_page):
    page = open_page(topic_page, empty_store)
    assert page.info[0].value == words.NO_ISSUE
    assert not page.text_area


def test_without_examples_nothing_is_sorted(store, open_page):
    page = open_page(topic_page, store)
    assert page.info[0].value == words.NO_EXAMPLE
    assert rows(page) == []


def test_the_newest_issue_is_sorted_by_what_was_pasted(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    assert not page.exception
    [newest, *_] = sort_past(learn_past(store, RECIPE, 4), [WAGES])
    assert rows(page) == [paper.title for paper in newest.papers[:20]]
    assert page.text_area(key="topic-text").value == ""
    assert any("By your example, and what presort-1 had learned" in caption.value for caption in page.caption)
    page.button(key=f"more-{newest.date}").click().run()
    assert len(rows(page)) == min(40, len(newest.papers))
    assert not page.query_params


def test_papers_found_or_sorted_become_examples_and_are_taken_back(store, open_page):
    page = open_page(topic_page, store)
    page.text_input(key="topic-find").set_value("wage").run()
    take = next(button for button in page.button if button.label == words.TAKE)
    page.button(key=take.key).click().run(timeout=60)
    assert page.button(key=take.key).disabled
    best = rows(page)
    take = next(button for button in page.button if button.key.startswith("take-") and not button.disabled)
    page.button(key=take.key).click().run()
    assert any(text.value == "**Your 2 examples**" for text in page.markdown)
    page.button(key="back-2").click().run()
    assert rows(page) == best
    page.button(key="back-1").click().run()
    assert page.info[0].value == words.NO_EXAMPLE


def test_how_many_issues_are_sorted_can_be_chosen(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    assert [box.label[:10] for box in page.expander if "papers" in box.label] == days_shown(store, 4)
    assert page.slider(key="topic-issues").max == 7
    page.slider(key="topic-issues").set_value(7).run(timeout=60)
    assert [box.label[:10] for box in page.expander if "papers" in box.label] == days_shown(store, 7)


def days_shown(store, n):
    return [str(day) for day in issue_days(store)[: -n - 1 : -1]]


def test_hostile_examples_are_text(store, open_page):
    page = add(open_page(topic_page, store), SCRIPT)
    assert not page.exception
    assert SCRIPT.partition("\n")[0] in [text.value for text in page.text]
    assert len(rows(page)) == 20
    add(page, ARABIC)
    assert f"the example '{ARABIC}'; take it back" in page.error[0].value
    page.button(key="back-2").click().run()
    assert not page.error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "An example needs a text", id="empty"),
        pytest.param("wages " * 4_000, "An example can have 20,000 characters", id="too-long"),
    ],
)
def test_an_example_that_is_refused_stays_to_be_mended(store, open_page, text, said):
    page = add(open_page(topic_page, store), text)
    assert said in page.error[0].value
    assert page.text_area(key="topic-text").value == text
    assert page.info[0].value == words.NO_EXAMPLE


def test_a_report_is_begun_once(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    for code, said in {"no code!": "is no report code", "lab": "There is or was a report"}.items():
        page.text_input(key="topic-code").set_value(code)
        page.button(key="topic-begin").click().run()
        assert said in page.error[0].value
    page.text_input(key="topic-code").set_value("new")
    page.text_input(key="topic-name").set_value("A new report")
    page.button(key="topic-begin").click().run()
    assert page.success[0].value == "The report new begins with 1 example."
    assert hints(store)["new"].seeds == (WAGES,)
    assert page.text_input(key="topic-code").value == ""
    assert Report("new", "A new report") in catalogue.reports(store)


def test_a_model_that_cannot_be_read_is_one_line(store, open_page, monkeypatch):
    monkeypatch.setattr(topic, "PERIOD", 4)
    folder = models_of(store).path
    folder.mkdir()
    (folder / f"{DEFAULT}-{issue_days(store)[4]}.npz").write_bytes(b"no model")
    page = add(open_page(topic_page, store), WAGES)
    assert not page.exception
    assert "is damaged, or no model of Presort" in page.error[0].value


def test_a_title_and_no_more_is_drawn(empty_store, listings, open_page):
    bare = [ListedPaper(Paper(one.paper.paper_id, one.paper.title), one.issue) for one in listings]
    publish(empty_store, bare, person="import")
    page = add(open_page(topic_page, empty_store), WAGES)
    assert not page.exception
    assert words.NO_AUTHOR in [text.value for text in page.text]
