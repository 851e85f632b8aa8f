"""Muting and boosting of terms on *Review*."""

import pytest

from presort.data.editing.hints import hints
from presort.data.learning import rankings
from presort.data.records import Hints
from presort.desk.text import escape


def review_page():
    from presort.desk.review import page as review

    review.show()


def light_box(page):
    """Texts of the review list on the page."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def test_review_mutes_a_reason_and_re_ranks(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    next(button for button in page.button if button.label == "Why is it here?").click().run(timeout=30)
    (terms,) = [box for box in page.button_group if box.key.startswith("term-")]
    place, term = terms.key.removeprefix("term-"), terms.options[0]
    assert f"mute-{place}" not in {button.key for button in page.button}
    terms.set_value(term).run()
    page.button(key=f"mute-{place}").click().run()
    assert not page.exception
    assert hints(ranked)["lab"] == Hints(muted=(term,), up_to=1)
    message = f"The next ranking mutes '{term}'."
    assert [text.value for text in page.markdown].count(message) == 2  # above the list, and in the paper's details
    page.button(key=f"rerank-{place}").click().run(timeout=30)
    assert any(f", muted '{term}'" in caption.value for caption in page.caption)
    assert message not in [text.value for text in page.markdown]
    assert rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"].ranking.hints_up_to == 1


def test_review_boosts_a_typed_term_and_resets_it(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    page.menu_button(key="over-list").click("Mute or boost").run()
    page.text_input(key="term-list").set_value("*Wages* $5")
    page.button(key="boost-list").click().run()
    assert hints(ranked)["lab"].boosted == ("*wages* $5",)
    assert escape("The next ranking boosts '*wages* $5'.") in light_box(page)
    page.button(key="back-boosted-*wages* $5").click().run()
    assert hints(ranked)["lab"] == Hints(up_to=2)
    assert "The next ranking" not in light_box(page)


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        pytest.param("", "The hint is empty", id="empty"),
        pytest.param("w" * 101, "The term has 101 characters", id="long"),
    ],
)
def test_review_reports_an_invalid_term(ranked, open_plain, term, problem):
    page = open_plain(review_page, ranked, report="lab")
    page.menu_button(key="over-list").click("Mute or boost").run()
    page.text_input(key="term-list").set_value(term)
    page.button(key="mute-list").click().run()
    assert problem in page.error[0].value
    assert (page.text_input(key="term-list").value or "") == term
    assert hints(ranked) == {}


def sorting_page():
    from datetime import date

    from presort.desk.why import hints

    hints.rerank_now("nowhere", date(2026, 11, 16), "krichel-2007")


def test_a_refused_re_ranking_is_one_line(store, open_page):
    page = open_page(sorting_page, store)
    assert not page.exception
    assert page.error[0].value.startswith("There is no report nowhere")
