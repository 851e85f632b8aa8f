"""Each page as `AppTest` sees it: empty, normal, and with something wrong outside the program."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data import catalogue, rankings, reviews
from data.errors import WorkspaceError
from data.hints import add_hint, hints
from data.publish import publish
from data.records import Decision, Hints, ListedPaper, Paper, Report
from desk import cache, evaluation, settings, why, workflow
from desk.boxes.why_box import CHANGED, TOO_YOUNG
from desk.why import Explained, explained
from desk.words.text import plain
from metrics import MEASURES, Outcome, score
from ranker.light import fit_lights
from ranker.tail_sample import remaining
from ranker.versions import DEFAULT, RECIPES

APP = str(Path(__file__).parents[2] / "app.py")


def review_page():
    from desk.pages import review

    review.show()


def quality_page():
    from desk.pages import quality

    quality.show()


def measures_page():
    from desk.pages import measures

    measures.show()


@pytest.fixture(autouse=True)
def no_cache():
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def open_page(monkeypatch):
    """Run a page, or the whole app, on a workspace."""

    def run(page, store, **query):
        monkeypatch.setenv(settings.WORKSPACE, str(store.path.parent))
        test = AppTest.from_file(page) if isinstance(page, str) else AppTest.from_function(page)
        for name, value in query.items():
            test.query_params[name] = str(value)
        return test.run(timeout=30)

    return run


@pytest.fixture
def ranked(store):
    list(workflow.rank(store, [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]], reports=["lab", "mac"]))
    return store


def titles(page, n):
    """The first titles of the list: the texts of a row are place, bar, title, authors, details."""
    texts = [text.value for text in page.text]
    return [texts[texts.index(str(place)) + 2] for place in range(1, n + 1)]


def light_box(page):
    """All that the box says, on pages that have one."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("word-")]


def test_the_app_starts_on_review(ranked, open_page):
    page = open_page(APP, ranked)
    assert not page.exception
    assert [title.value for title in page.title] == ["Review"]


def test_the_app_says_demo_only_on_the_demo(ranked, open_page):
    assert not any("made up" in mark.value for mark in open_page(APP, ranked).markdown)
    catalogue.set_setting(ranked, "demo", "3")
    assert any("made up" in mark.value for mark in open_page(APP, ranked).markdown)


def test_a_workspace_that_cannot_be_opened_is_one_line(monkeypatch, tmp_path):
    (tmp_path / "presort.db").write_bytes(b"not a database, not a database, not a database" * 99)
    monkeypatch.setenv(settings.WORKSPACE, str(tmp_path))
    page = AppTest.from_file(APP).run(timeout=30)
    assert not page.exception
    assert "is not a Presort database" in page.error[0].value


def test_review_without_issues_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(review_page, empty_store).info[0].value


def test_review_without_reports_says_what_to_do(empty_store, open_page):
    publish(empty_store, [ListedPaper(Paper("a", "A title"), date(2026, 1, 5))], person="import")
    assert "presort reports add" in open_page(review_page, empty_store).info[0].value


def test_review_shows_the_list_as_ranked(ranked, newest, open_page):
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["mac"]))
    page = open_page(review_page, ranked, report="mac")
    assert not page.exception
    shown = rankings.newest_rankings(ranked, "mac", newest)[DEFAULT].ranking
    papers = catalogue.papers(ranked, newest)
    assert titles(page, 5) == [papers[p - 1].title for p in shown.positions[:5].tolist()]


def test_review_shows_the_original_order_a_click_away(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("as received").run()
    texts = [text.value for text in page.text]
    papers = catalogue.papers(ranked, newest)
    assert [texts[texts.index(str(place)) + 1] for place in range(1, 6)] == [paper.title for paper in papers[:5]]


def test_review_saves_a_decision_at_once_and_takes_it_back(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    box = word_boxes(page)[2]
    paper_id = box.key.removeprefix(f"word-lab-{newest}-")
    for word in ("yes", "maybe", "no"):
        box.set_value(word).run()
        assert reviews.words(ranked, "lab", newest) == {paper_id: word}
    box.set_value(None).run()
    assert reviews.words(ranked, "lab", newest) == {}
    assert not page.exception


def test_review_shows_what_somebody_else_saved(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    papers = catalogue.papers(ranked, newest)
    reviews.decide(ranked, [by_somebody_else("lab", newest, papers[0].paper_id)])
    page.run()
    assert "1 relevant · 0 maybe" in light_box(page)


def by_somebody_else(report, issue, paper_id):
    return Decision(report, issue, paper_id, "yes", "somebody else")


def test_review_says_when_a_decision_was_not_saved(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    workflow.issue_report(ranked, "lab", newest, None, person="somebody else")
    word_boxes(page)[0].set_value("yes").run()
    assert "Not saved: lab" in page.error[0].value
    assert reviews.words(ranked, "lab", newest) == {}


def test_review_issues_the_report_once(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    word_boxes(page)[1].set_value("yes").run()
    page.button(key="issue-it").click().run()
    assert not page.exception
    assert "lab 2026-11-16 was issued with 1 paper." in page.success[0].value
    assert "Your last relevant paper stood at 2 of" in page.success[0].value
    assert all(box.disabled for box in word_boxes(page))
    assert reviews.issued(ranked, "lab")[newest].ranking_id is not None


def test_review_offers_to_sort_an_issue_that_is_not(store, newest, open_page):
    page = open_page(review_page, store, report="env")
    assert "not sorted" in page.info[0].value
    page.button[0].click().run(timeout=60)
    assert not page.exception
    assert list(rankings.newest_rankings(store, "env", newest)) == [DEFAULT]


def test_review_says_when_there_was_too_little_to_learn_from(store, newest, open_page):
    catalogue.add_reports(store, [Report("new", "A new report")])
    list(workflow.rank(store, [RECIPES["arxiv-sanity"]], reports=["new"]))
    assert "too few to learn from" in open_page(review_page, store, report="new").info[0].value


@pytest.fixture
def finished(store, newest):
    """A workspace with the newest issue sorted, and the outcomes of earlier ones that the same ranker sorted."""
    days = [issue.date for issue in catalogue.issues(store)]
    fast = RECIPES["krichel-2007"]
    list(workflow.replay(store, [fast], first=days[1], last=days[-2], retrain_every=9))
    list(workflow.rank(store, [fast], reports=["lab", "mac"]))
    return store


def order_shown(store, newest):
    return rankings.newest_rankings(store, "lab", newest)["krichel-2007"].ranking.positions.tolist()


def say(store, newest, places, word="yes"):
    """Decide papers of lab at these places, as from another window."""
    papers, order = catalogue.papers(store, newest), order_shown(store, newest)
    ids = [papers[order[place - 1] - 1].paper_id for place in places]
    reviews.decide(store, [Decision("lab", newest, paper_id, word, "somebody else") for paper_id in ids])


def test_the_light_turns_red_as_the_editor_reads(finished, newest, open_page):
    say(finished, newest, [1, 2])
    page = open_page(review_page, finished, report="lab")
    assert "read to here **2** of " in light_box(page)
    assert ":green[●] **Green:** a relevant paper probably remains; red " in light_box(page)
    assert len(page.get("vega_lite_chart")) == 1
    say(finished, newest, [len(order_shown(finished, newest))], "no")
    page.run()
    assert ":red[●] **Red:** every paper was read." in light_box(page)
    assert "chance that all were seen **100 %**" in light_box(page)


def test_a_rule_stands_where_the_light_turns_red(finished, newest, open_page):
    catalogue.set_setting(finished, "level:lab", "80")
    say(finished, newest, [1])
    page = open_page(review_page, finished, report="lab")
    red_at = int(re.search(r"red expected near paper (\d+)", light_box(page))[1])
    assert "From here the chance of a missed paper is below 20 %." in [caption.value for caption in page.caption]
    assert f".st-key-parted > :nth-child(n + {red_at + 2})" in styles(page)  # after the rule and the papers above it
    assert "display: flex" in styles(page)


def test_no_rule_while_red_is_out_of_reach(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    assert "display: none" in styles(page)


def styles(page):
    return "".join(element.proto.body for element in page.get("html"))


def test_the_level_is_there_next_week(finished, newest, open_page):
    page = open_page(review_page, finished, report="lab")
    assert page.button_group(key="level-lab").value == 95
    page.button_group(key="level-lab").set_value(80).run()
    assert catalogue.setting(finished, "level:lab") == "80"
    assert open_page(review_page, finished, report="lab").button_group(key="level-lab").value == 80
    assert open_page(review_page, finished, report="mac").button_group(key="level-mac").value == 95


def test_a_young_report_stays_green_and_says_why(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    assert "**Green:** this report is too young to say how far: 0 of the 3 issues needed" in light_box(page)
    assert "chance that all were seen **not known yet**" in light_box(page)


def test_no_light_in_list_order(finished, newest, open_page):
    page = open_page(review_page, finished, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("as received").run()
    assert "Green" not in light_box(page)
    assert any("no traffic light: in list order" in caption.value for caption in page.caption)


def test_the_light_goes_away_with_the_report_issue(finished, newest, open_page):
    page = open_page(review_page, finished, report="lab")
    page.button(key="issue-it").click().run()
    assert "was issued" in page.success[0].value
    assert "Green" not in light_box(page)
    assert not any("traffic light" in caption.value for caption in page.caption)


def test_ten_are_drawn_from_the_rest_and_are_there_again(finished, newest, open_page):
    say(finished, newest, [1, 5])
    page = open_page(review_page, finished, report="lab")
    page.button(key="draw").click().run()
    assert not page.exception
    drawn = [box.key for box in word_boxes(page)]
    n_papers = len(order_shown(finished, newest))
    assert len(drawn) == 10
    assert f"drawn from the {n_papers - 5} papers below 5: 10 left to decide" in light_box(page)
    assert not [button for button in page.button if button.key == "draw"]

    page = open_page(review_page, finished, report="lab")
    assert [box.key for box in word_boxes(page)] == drawn
    for box in word_boxes(page):
        page.button_group(key=box.key).set_value("no").run()
    at_most = remaining(n_papers - 5, 10, 0).at_most
    assert f"0 of 10 relevant: by these alone, the rest holds at most {at_most} relevant papers" in light_box(page)
    assert "read to here **5** of " in light_box(page)
    page.button_group(key=f"show-lab-{newest}").set_value("all papers").run()
    assert len(word_boxes(page)) == n_papers
    assert not [button for button in page.button if button.key == "draw"]
    say(finished, newest, [6])
    page.run()
    assert page.button(key="draw")


def test_the_light_is_learnt_anew_only_when_its_report_has_new_outcomes(finished, newest, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.path.parent))
    fitted = []
    monkeypatch.setattr(cache, "fit_lights", lambda earlier: fitted.append(earlier) or fit_lights(earlier))

    def light():
        return cache.light("lab", "krichel-2007", newest + timedelta(days=7))

    known = light().n_issues
    say(finished, newest, [1, 2])
    assert light().n_issues == known > 3
    assert len(fitted) == 1
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    workflow.issue_report(finished, "lab", newest, shown, person="ada")
    assert light().n_issues == known + 1
    assert len(fitted) == 2


def test_a_draw_that_was_not_saved_is_said(finished, newest, open_page, monkeypatch):
    page = open_page(review_page, finished, report="lab")

    def full(*_):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(catalogue, "set_setting", full)
    page.button(key="draw").click().run()
    assert page.error[0].value == "Not saved: the disk is full"
    assert page.button(key="draw")


@pytest.fixture
def n_learned(monkeypatch):
    """Count how often an issue is made ready to be asked about."""
    calls = []
    monkeypatch.setattr(why, "explained", lambda *asked: calls.append(asked) or explained(*asked))
    return lambda: len(calls)


def ask(page, place):
    """Ask why the paper at a place stands there."""
    questions = [button for button in page.button if button.label == "Why is it here?"]
    return questions[place - 1].click().run(timeout=30)


def answers(page):
    return [text.value for text in page.text if text.value.startswith(("up: ", "down: ", "most like, of "))]


def test_review_says_why_a_paper_is_here_once_somebody_asks(ranked, newest, open_page, n_learned):
    page = open_page(review_page, ranked, report="lab")
    word_boxes(page)[3].set_value("yes").run()
    assert n_learned() == 0
    ask(page, 1)
    assert not page.exception
    up, down, similar = answers(page)
    assert re.fullmatch(r"up: .+\u00a0% · .+\u00a0% · \d+ smaller", up)
    assert re.search(r"\n• .+ · 2026-\d\d-\d\d$", similar)
    ask(page, 2)
    assert len(answers(page)) == 6
    word_boxes(page)[4].set_value("no").run()
    assert answers(page)[:3] == [up, down, similar]
    assert CHANGED not in [text.value for text in page.text]
    ask(page, 2)  # heard enough
    assert answers(page) == [up, down, similar]
    assert n_learned() == 1


def test_review_learns_anew_for_the_question_once_there_is_more_to_learn_from(ranked, newest, open_page, n_learned):
    def is_changed():
        page = ask(open_page(review_page, ranked, report="lab"), 1)
        assert len(answers(page)) == 3
        return CHANGED in [text.value for text in page.text]

    assert not is_changed()
    assert n_learned() == 1
    add_hint(ranked, "mac", "mute", "prices", person="somebody else")
    assert not is_changed()
    assert n_learned() == 2
    behind = catalogue.issues(ranked)[-2].date
    report = next(one.code for one in catalogue.reports(ranked) if behind not in reviews.issued(ranked, one.code))
    reviews.decide(ranked, [by_somebody_else(report, behind, catalogue.papers(ranked, behind)[0].paper_id)])
    assert not is_changed()
    assert n_learned() == 3
    add_hint(ranked, "lab", "mute", "wages", person="somebody else")
    assert is_changed()
    assert n_learned() == 4


def test_review_asks_nothing_of_a_list_in_the_order_received(ranked, open_page):
    page = open_page(review_page, ranked, report="env")
    assert not [button for button in page.button if button.label == "Why is it here?"]


def test_review_says_why_of_an_issued_list_without_a_way_to_change_it(ranked, newest, open_page):
    workflow.issue_report(ranked, "lab", newest, None, person="ada")
    page = ask(open_page(review_page, ranked, report="lab"), 1)
    assert len(answers(page)) == 3
    assert not [button for button in page.button if button.label in ("Mute", "Boost", "Sort again now")]


def test_a_report_that_became_too_young_says_so(ranked, newest, open_page, monkeypatch):
    monkeypatch.setattr(Explained, "why", lambda *_: None)
    page = ask(open_page(review_page, ranked, report="lab"), 1)
    assert TOO_YOUNG in [text.value for text in page.text]


def test_a_model_that_cannot_be_read_is_one_line_and_may_be_asked_again(ranked, newest, open_page, monkeypatch):
    def damaged(*_):
        raise WorkspaceError("models/x.npz is damaged")

    with monkeypatch.context() as patch:
        patch.setattr(why, "explained", damaged)
        page = ask(open_page(review_page, ranked, report="lab"), 1)
        assert page.error[0].value == "models/x.npz is damaged"
    ask(page.run(), 1)
    assert len(answers(page)) == 3


def test_review_mutes_a_reason_and_sorts_again(ranked, newest, open_page):
    page = ask(open_page(review_page, ranked, report="lab"), 1)
    (terms,) = [box for box in page.button_group if box.key.startswith("term-")]
    place, term = terms.key.removeprefix("term-"), terms.options[0]
    assert f"mute-{place}" not in {button.key for button in page.button}
    terms.set_value(term).run()
    page.button(key=f"mute-{place}").click().run()
    assert not page.exception
    assert hints(ranked)["lab"] == Hints(muted=(term,), up_to=1)
    said = f"From the next ranking on, '{term}' is not read."
    assert [text.value for text in page.markdown].count(said) == 2  # above the list, and with the paper
    page.button(key=f"sort-{place}").click().run(timeout=30)
    assert any(f", without '{term}'" in caption.value for caption in page.caption)
    assert said not in [text.value for text in page.markdown]
    assert rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"].ranking.hints_up_to == 1


def test_review_boosts_a_typed_term_and_takes_it_back(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    page.text_input(key="term-list").set_value("*Wages* $5").run()
    page.button(key="boost-list").click().run()
    assert hints(ranked)["lab"].boosted == ("*wages* $5",)
    assert plain("From the next ranking on, papers with '*wages* $5' are lifted.") in light_box(page)
    page.button(key="back-boosted-*wages* $5").click().run()
    assert hints(ranked)["lab"] == Hints(up_to=2)
    assert "From the next ranking on" not in light_box(page)


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        pytest.param("", "A hint needs a text", id="empty"),
        pytest.param("w" * 101, "A term can have 100 characters", id="long"),
    ],
)
def test_review_says_what_is_wrong_with_a_term(ranked, open_page, term, problem):
    page = open_page(review_page, ranked, report="lab")
    page.text_input(key="term-list").set_value(term).run()
    page.button(key="mute-list").click().run()
    assert problem in page.error[0].value
    assert (page.text_input(key="term-list").value or "") == term
    assert hints(ranked) == {}


@pytest.fixture
def young(store):
    """The small service with a report that has decided nothing."""
    catalogue.add_reports(store, [Report("new", "A new report")])
    return store


def test_a_new_report_begins_with_examples(young, newest, open_page):
    page = open_page(review_page, young, report="new")
    assert "Sort it now" not in [button.label for button in page.button]
    page.text_area(key="pasted-new").set_value("Minimum wages\nThey rise.").run()
    page.button(key="add-new").click().run()
    assert page.text_area(key="pasted-new").value == ""
    page.text_input(key="find-new").set_value("wage").run()
    take = next(button for button in page.button if button.label == "Take")
    page.button(key=take.key).click().run()
    assert page.button(key=take.key).label == "taken"
    assert page.button(key=take.key).disabled
    paper = catalogue.paper(young, take.key.removeprefix("take-new-"))
    assert hints(young)["new"].seeds == ("Minimum wages\nThey rise.", f"{paper.title}\n{paper.abstract}")
    page.button(key="sort-it").click().run(timeout=60)
    assert not page.exception
    assert any("sorted by presort-1, from 2 examples" in caption.value for caption in page.caption)
    ranking = rankings.newest_rankings(young, "new", newest)[DEFAULT].ranking
    assert titles(page, 1) == [catalogue.papers(young, newest)[ranking.positions[0] - 1].title]

    page.button(key="example-new-1").click().run()
    assert "From the next ranking on, 1 example is learned from." in light_box(page)
    page.button(key="sort-begin").click().run(timeout=60)
    assert any("from 1 example" in caption.value for caption in page.caption)


def test_a_new_report_in_list_order_may_begin_with_examples(young, newest, open_page):
    list(workflow.rank(young, [RECIPES["arxiv-sanity"]], reports=["new"]))
    add_hint(young, "new", "seed", "Minimum wages and jobs", person="ada")
    page = open_page(review_page, young, report="new")
    assert "too few to learn from" in page.info[0].value
    page.button(key="sort-it").click().run(timeout=60)
    assert any("sorted by arxiv-sanity, from 1 example" in caption.value for caption in page.caption)


def test_an_example_that_is_empty_or_too_long_is_refused(young, open_page):
    page = open_page(review_page, young, report="new")
    page.button(key="add-new").click().run()
    assert "A hint needs a text" in page.error[0].value
    page.text_area(key="pasted-new").set_value("wages " * 4_000).run()
    page.button(key="add-new").click().run()
    assert "An example can have 20,000 characters" in page.error[0].value
    assert page.text_area(key="pasted-new").value
    assert hints(young) == {}


def test_a_search_that_finds_nothing_says_so(young, open_page):
    page = open_page(review_page, young, report="new")
    page.text_input(key="find-new").set_value("zebra 100%").run()
    assert "No title has all of these words." in [caption.value for caption in page.caption]


@pytest.mark.parametrize("report", [pytest.param("lab", id="sorted"), pytest.param("env", id="not-sorted")])
def test_a_report_with_enough_decisions_is_offered_no_examples(ranked, open_page, report):
    page = open_page(review_page, ranked, report=report)
    assert not page.text_area


def test_an_issued_list_of_a_young_report_is_offered_no_examples(young, newest, open_page):
    workflow.issue_report(young, "new", newest, None, person="ada")
    page = open_page(review_page, young, report="new")
    assert not page.exception
    assert not page.text_area


def test_quality_of_nothing_says_what_to_do(ranked, open_page):
    page = open_page(quality_page, ranked, report="mac")
    assert "presort replay" in page.info[0].value


def test_quality_without_reports_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(quality_page, empty_store).info[0].value


@pytest.mark.parametrize("measure", evaluation.MEASURED)
def test_quality_draws_every_measure(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    table = page.dataframe[0].value
    assert len(table) == 2 * table["issue"].nunique() > 0


@pytest.fixture
def replayed(store):
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    list(workflow.replay(store, recipes, first=days[3], last=days[-2], retrain_every=9, reports=["lab"]))
    return store


@pytest.mark.parametrize("measure", ["copnori", "ponori"])
def test_quality_never_rounds_to_a_false_100_percent(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    for row in page.dataframe[0].value.itertuples():
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
    monkeypatch.setattr(cache, "scores", lambda report, replay: table)
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == n_charts
    captions = " ".join(caption.value for caption in page.caption)
    assert (f"{len(table)} of {len(table)} are the best possible order" in captions) == (not n_charts)
    assert set(page.dataframe[0].value["shown"]) == {"100 %" if measure == "copnori" else "1.0000"}


def test_quality_counts_issues_in_which_everything_was_selected(replayed, open_page, monkeypatch):
    table = evaluation.scores(replayed, report="lab").assign(n_papers=lambda table: table["n_relevant"])
    monkeypatch.setattr(cache, "scores", lambda report, replay: table)
    page = open_page(quality_page, replayed, report="lab", measure="aselt")
    assert (page.dataframe[1].value["of them with everything relevant"] == len(table) / 2).all()


def test_measures_lists_every_measure(open_page, empty_store):
    page = open_page(measures_page, empty_store)
    assert page.table[0].value.index.tolist() == [measure.label for measure in MEASURES.values()]
    assert [formula.value.strip("$\n") for formula in page.latex] == [measure.formula for measure in MEASURES.values()]
    for measure, example in zip(MEASURES.values(), page.code, strict=True):
        assert example.value.endswith(f"{measure.worked} = {measure.example_value():.4g}")
