"""Stop advice in plain widgets."""

import re
from datetime import timedelta

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions, read_papers
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper
from presort.desk import settings
from presort.desk.service import workflow
from presort.desk.session.progress import relevance_model_of, relevance_models_before
from presort.desk.session.stop_advice import set_target_recall, target_recall
from presort.desk.ui import cache
from presort.ranker.versions import RECIPES


def review_page():
    from presort.desk.review import page as review

    review.show()


def light_box(page):
    """Texts of the review list on the page."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("label-")]


def order_shown(store, newest):
    return rankings.newest_rankings(store, "lab", newest)["krichel-2007"].ranking.positions.tolist()


def say(store, newest, places, label="yes"):
    """Decide papers of lab at these places, as from another window."""
    papers, order = catalogue.papers(store, newest), order_shown(store, newest)
    ids = [papers[order[place - 1] - 1].paper_id for place in places]
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"].id
    decisions.decide(store, [Decision("lab", newest, i, label, "somebody else", ranking_id=shown) for i in ids])


def test_stop_advice_is_updated_while_the_editor_reads(finished, newest, open_plain):
    say(finished, newest, [1, 2])
    page = open_plain(review_page, finished, report="lab")
    assert re.search(r"\*\*2\*\* of \d+ read · \*\*keep reading\*\* · about \d+ relevant left · ", light_box(page))
    assert re.search(
        r"\d+ to \d+ relevant left \\\(90 % interval\\\) · probability that none is left: (under )?\d+ %",
        light_box(page),
    )
    assert len(page.get("vega_lite_chart")) == 1
    say(finished, newest, [len(order_shown(finished, newest))], "no")
    page.run()
    assert "**you can stop** · every paper was read" in light_box(page)
    assert "90 % probability" not in light_box(page)


def test_a_line_marks_the_stop_point(finished, newest, open_plain):
    set_target_recall(finished, "lab", "1 in 10")
    say(finished, newest, [1])
    page = open_plain(review_page, finished, report="lab")
    stop_at = int(re.search(r"stop near (\d+)", light_box(page))[1])
    (text,) = [caption.value for caption in page.caption if caption.value.startswith("You can stop here")]
    assert re.fullmatch(
        r"You can stop here: (about \d+ of \d+ relevant papers|probably no relevant paper) missed\.", text
    )
    # after the line at the stop point and the papers above it
    assert f".st-key-parted > :nth-child(n + {stop_at + 2})" in styles(page)
    assert "display: flex" in styles(page)


def test_there_is_no_line_if_the_stop_point_is_the_end(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    assert "display: none" in styles(page)


def styles(page):
    return "".join(element.proto.body for element in page.get("html"))


def test_the_target_recall_is_stored_for_later_weeks(finished, newest, open_plain):
    page = open_plain(review_page, finished, report="lab")
    assert page.radio(key="target-recall-lab").value == "1 in 20"
    starts = [option.partition(":")[0] for option in page.radio(key="target-recall-lab").options]
    assert starts == ["90 %", "95 %", "99 %", "all, in 95 % of lists"]
    page.radio(key="target-recall-lab").set_value("none").run()
    assert target_recall(finished, "lab") == "none"
    assert open_plain(review_page, finished, report="lab").radio(key="target-recall-lab").value == "none"
    assert open_plain(review_page, finished, report="mac").radio(key="target-recall-mac").value == "1 in 20"


def test_there_is_no_stop_advice_in_list_order(finished, newest, open_plain):
    page = open_plain(review_page, finished, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("list order").run()
    assert "keep reading" not in light_box(page)
    assert any("no stop advice" in caption.value for caption in page.caption)


def test_stop_advice_disappears_after_publication(finished, newest, open_plain):
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    workflow.publish_report_issue(finished, "lab", newest, shown, person="ada")
    page = open_plain(review_page, finished, report="lab")
    assert "keep reading" not in light_box(page)
    assert not any("where to stop" in caption.value for caption in page.caption)


def read_to_stop(store, newest, open_plain):
    """Read down to the stop point, which moves while no relevant paper is found. Returns the page."""
    page = open_plain(review_page, store, report="lab")
    while near := re.search(r"stop near (\d+)", light_box(page)):
        say(store, newest, [int(near[1])], "no")
        page.run()
    return page


def test_the_spot_check_is_offered_at_the_stop_point_and_can_be_left_half_done(finished, newest, open_plain):
    say(finished, newest, [1, 5])
    page = open_plain(review_page, finished, report="lab")
    assert not [button for button in page.button if button.key == "spot-check"]
    page = read_to_stop(finished, newest, open_plain)
    n_read = int(re.search(r"\*\*(\d+)\*\* of", light_box(page))[1])
    page.button(key="spot-check").click().run()
    assert not page.exception
    (drawn,) = [box.key for box in word_boxes(page)]  # 2 % of so few papers is one paper
    assert "1 of 1 paper left to decide" in light_box(page)
    assert not [button for button in page.button if button.key == "spot-check"]

    page = open_plain(review_page, finished, report="lab")  # the next day
    assert len(word_boxes(page)) == len(order_shown(finished, newest))
    page.button_group(key=f"show-lab-{newest}").set_value("Spot check").run()
    page.button_group(key=drawn).set_value("yes").run()
    assert "1 of 1 relevant" in light_box(page)
    assert f"**{n_read + 1}** of " in light_box(page)


def test_the_rest_of_a_spot_check_is_marked_with_one_click(finished, newest, open_plain):
    page = read_to_stop(finished, newest, open_plain)
    page.button(key="spot-check").click().run()
    page.button(key="finish-check").click().run()
    (offer,) = [text for text in page.markdown if "0 of 1 relevant" in text.value]
    assert "1 of 20 unread papers" in offer.proto.help
    assert [box.value for box in word_boxes(page)] == ["no"]
    assert not [button for button in page.button if button.key == "finish-check"]


def test_the_model_of_a_list_does_not_change_with_later_publications(finished, newest, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    fitted = []
    monkeypatch.setattr(
        cache,
        "relevance_models_before",
        lambda *asked: fitted.append(asked) or relevance_models_before(*asked),
        raising=True,
    )
    shown = shown_for(finished, "lab", newest)
    known = cache.relevance_model_for(shown).finished.n_read.sum()
    assert known > 0
    assert cache.relevance_model_for(shown_for(finished, "mac", newest)).finished.n_read.sum() > 0
    assert len(fitted) == 1, "one fit serves all reports whose rankings know the same lists"
    reopen(finished, "mac", newest - timedelta(days=7), "One is missing.", person="ada")
    workflow.publish_report_issue(finished, "mac", newest - timedelta(days=7), None, person="ada")
    for report in ("lab", "mac"):
        mark_read(finished, report, newest, shown_for(finished, report, newest).id, 40, person="ada")
    workflow.publish_report_issue(finished, "mac", newest, shown_for(finished, "mac", newest), person="ada")
    st.cache_resource.clear()  # as another process, or this one an hour later
    assert cache.relevance_model_for(shown).finished.n_read.sum() == known
    assert relevance_model_of(finished, shown).finished.n_read.sum() == known


def test_the_model_of_a_new_ranking_includes_lists_published_before(finished, newest):
    before = relevance_model_of(finished, shown_for(finished, "lab", newest)).finished.n_read.sum()
    mark_read(finished, "lab", newest, shown_for(finished, "lab", newest).id, 40, person="ada")
    workflow.publish_report_issue(finished, "lab", newest, shown_for(finished, "lab", newest), person="ada")
    later = newest + timedelta(days=7)
    one = Paper("next-1", "Wages and jobs")
    commit_import(finished, [ListedPaper(one, later)], person="import")
    list(workflow.rank(finished, [RECIPES["krichel-2007"]], issue=later, reports=["lab"]))
    assert relevance_model_of(finished, shown_for(finished, "lab", later)).finished.n_read.sum() > before


def shown_for(store, report, issue):
    return rankings.newest_rankings(store, report, issue)["krichel-2007"]


def test_an_unsaved_spot_check_is_reported(finished, newest, open_plain, monkeypatch):
    page = read_to_stop(finished, newest, open_plain)

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(read_papers, "add_draw", full)
    page.button(key="spot-check").click().run()
    assert page.error[0].value == "Not saved: the disk is full"
    assert page.button(key="spot-check")
