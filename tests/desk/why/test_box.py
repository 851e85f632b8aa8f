"""Explanation of a paper's rank in the plain list."""

import re

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint
from presort.data.editing.rerankings import add_reranking
from presort.data.errors import WorkspaceError
from presort.data.learning.rankings import whole_order
from presort.data.records import Decision
from presort.desk.service import workflow
from presort.desk.service.rankers import review_ranking
from presort.desk.why import explanation
from presort.desk.why.explanation import RankExplainer, make_explainer
from presort.desk.why.labels import WHY
from tests.data.workspaces import make_listed, take_in


def review_page():
    from presort.desk.review import page as review

    review.show()


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("label-")]


@pytest.fixture
def n_learned(monkeypatch):
    """Count how often an explainer is created."""
    calls = []
    monkeypatch.setattr(explanation, "make_explainer", lambda *asked: calls.append(asked) or make_explainer(*asked))
    return lambda: len(calls)


def ask(page, place):
    """Request the explanation of the paper at a place."""
    questions = [button for button in page.button if button.label == "Why is it here?"]
    return questions[place - 1].click().run(timeout=30)


def answers(page):
    return [text.value for text in page.text if text.value.startswith((WHY, "Most similar relevant papers"))]


def test_review_explains_a_rank_on_request(ranked, newest, open_plain, n_learned):
    page = open_plain(review_page, ranked, report="lab")
    word_boxes(page)[3].set_value("yes").run()
    assert n_learned() == 0
    ask(page, 1)
    assert not page.exception
    explanation, similar = answers(page)
    assert re.fullmatch(rf"{WHY}\n• raised by .+, .+, .+", explanation)
    assert re.search(r"\n• .+ · 2026-\d\d-\d\d$", similar)
    ask(page, 2)
    assert len(answers(page)) == 4
    word_boxes(page)[4].set_value("no").run()
    assert answers(page)[:2] == [explanation, similar]
    assert (
        "Decisions or hints changed after this list was ranked. These reasons are for the current model."
        not in explanation
    )
    ask(page, 2)  # closed again
    assert answers(page) == [explanation, similar]
    assert n_learned() == 1


def test_in_a_re_ranked_list_all_ranked_papers_can_be_explained(ranked, newest, open_plain):
    shown = review_ranking(ranked, "lab", newest)
    take_in(ranked, [make_listed("late", newest)])
    order = np.roll(whole_order(shown.ranking.positions, n_papers := len(catalogue.papers(ranked, newest))), 1)
    assert order[0] == n_papers  # the late paper comes first
    add_reranking(ranked, "lab", newest, shown.id, order, n_decisions=1, person="ada")
    page = open_plain(review_page, ranked, report="lab", issue=newest)
    asked = [button.key for button in page.button if button.label == "Why is it here?"]
    assert asked == [f"ask-why-{shown.id}-{position}" for position in shown.ranking.positions]


def test_review_retrains_for_an_explanation_if_there_are_new_decisions(ranked, newest, open_plain, n_learned):
    def is_changed():
        page = ask(open_plain(review_page, ranked, report="lab"), 1)
        assert len(answers(page)) == 2
        return (
            "Decisions or hints changed after this list was ranked. These reasons are for the current model."
            in answers(page)[0]
        )

    assert not is_changed()
    assert n_learned() == 1
    add_hint(ranked, "mac", "mute", "prices", person="somebody else")
    assert not is_changed()
    assert n_learned() == 2
    behind = catalogue.issues(ranked)[-2].date
    report = next(
        one.code for one in catalogue.reports(ranked) if behind not in publications.published(ranked, one.code)
    )
    paper_id = catalogue.papers(ranked, behind)[0].paper_id
    decisions.decide(ranked, [Decision(report, behind, paper_id, "yes", "somebody else")])
    assert not is_changed()
    assert n_learned() == 3
    add_hint(ranked, "lab", "mute", "wages", person="somebody else")
    assert is_changed()
    assert n_learned() == 4


def test_review_explains_nothing_in_list_order(ranked, open_plain):
    page = open_plain(review_page, ranked, report="env")
    assert not [button for button in page.button if button.label == "Why is it here?"]


def test_a_published_list_has_explanations_without_hints(ranked, newest, open_plain):
    workflow.publish_report_issue(ranked, "lab", newest, None, person="ada")
    page = ask(open_plain(review_page, ranked, report="lab"), 1)
    assert len(answers(page)) == 2
    assert not [button for button in page.button if button.label in ("Mute", "Boost", "Update ranking")]


def test_a_report_without_training_data_any_more_has_a_message(ranked, newest, open_plain, monkeypatch):
    monkeypatch.setattr(RankExplainer, "explain", lambda *_: None)
    page = ask(open_plain(review_page, ranked, report="lab"), 1)
    assert answers(page) == [
        f"{WHY}\n• Too few relevant papers to train on. The paper is at its position in list order."
    ]


def test_an_unreadable_model_is_one_line_and_can_be_retried(ranked, newest, open_plain, monkeypatch):
    def damaged(*_):
        raise WorkspaceError("models/x.npz is damaged")

    with monkeypatch.context() as patch:
        patch.setattr(explanation, "make_explainer", damaged)
        page = ask(open_plain(review_page, ranked, report="lab"), 1)
        assert page.error[0].value == "models/x.npz is damaged"
    ask(page.run(), 1)
    assert len(answers(page)) == 2
