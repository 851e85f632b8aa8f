"""When to stop, in plain widgets."""

import re
from datetime import timedelta

from data import catalogue
from data.editing import decisions, read_log
from data.editing.read_log import mark_read
from data.errors import WorkspaceError
from data.learning import rankings
from data.records import Decision
from desk import settings
from desk.service import workflow
from desk.sheet.may_miss import may_miss, set_may_miss
from desk.sheet.recalls import recalls_before
from desk.ui import cache
from ranker.tail_sample import remaining


def review_page():
    from desk.review import page as review

    review.show()


def light_box(page):
    """All that the box says, on pages that have one."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("word-")]


def order_shown(store, newest):
    return rankings.newest_rankings(store, "lab", newest)["krichel-2007"].ranking.positions.tolist()


def say(store, newest, places, word="yes"):
    """Decide papers of lab at these places, as from another window."""
    papers, order = catalogue.papers(store, newest), order_shown(store, newest)
    ids = [papers[order[place - 1] - 1].paper_id for place in places]
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"].id
    decisions.decide(store, [Decision("lab", newest, i, word, "somebody else", ranking_id=shown) for i in ids])


def test_it_says_when_to_stop_as_the_editor_reads(finished, newest, open_plain):
    say(finished, newest, [1, 2])
    page = open_plain(review_page, finished, report="lab")
    assert re.search(r"\*\*2\*\* of \d+ read · \*\*keep reading\*\* · about \d+ left · ", light_box(page))
    assert re.search(r"\d+ to \d+ left, 9 times of 10; chance that all were seen (under )?\d+ %", light_box(page))
    assert len(page.get("vega_lite_chart")) == 1
    say(finished, newest, [len(order_shown(finished, newest))], "no")
    page.run()
    assert "**you can stop** · every paper was read" in light_box(page)
    assert "left, 9 times of 10" not in light_box(page)


def test_a_rule_stands_where_one_can_stop(finished, newest, open_plain):
    set_may_miss(finished, "lab", "1 in 10")
    say(finished, newest, [1])
    page = open_plain(review_page, finished, report="lab")
    stop_at = int(re.search(r"stop near (\d+)", light_box(page))[1])
    (said,) = [caption.value for caption in page.caption if caption.value.startswith("You can stop here")]
    assert re.fullmatch(r"You can stop here: (about \d+|probably none) of \d+ missed\.", said)
    assert f".st-key-parted > :nth-child(n + {stop_at + 2})" in styles(page)  # after the rule and the papers above it
    assert "display: flex" in styles(page)


def test_no_rule_while_the_end_is_the_place_to_stop(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    assert "display: none" in styles(page)


def styles(page):
    return "".join(element.proto.body for element in page.get("html"))


def test_what_may_be_missed_is_there_next_week(finished, newest, open_plain):
    page = open_plain(review_page, finished, report="lab")
    assert page.radio(key="may-miss-lab").value == "1 in 20"
    starts = [option.partition(":")[0] for option in page.radio(key="may-miss-lab").options]
    assert starts == ["1 in 10", "1 in 20", "1 in 100", "none, in 19 lists of 20"]
    page.radio(key="may-miss-lab").set_value("none").run()
    assert may_miss(finished, "lab") == "none"
    assert open_plain(review_page, finished, report="lab").radio(key="may-miss-lab").value == "none"
    assert open_plain(review_page, finished, report="mac").radio(key="may-miss-mac").value == "1 in 20"


def test_a_young_service_says_keep_reading_and_why(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    assert "**keep reading** · read at least half: where to stop is not known yet" in light_box(page)
    assert "too little is known before 30 relevant papers were found in lists sorted this way" in light_box(page)
    assert "chance that all were seen" not in light_box(page)


def test_nothing_tells_where_to_stop_in_list_order(finished, newest, open_plain):
    page = open_plain(review_page, finished, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("as received").run()
    assert "keep reading" not in light_box(page)
    assert any("nothing tells where to stop" in caption.value for caption in page.caption)


def test_when_to_stop_goes_away_with_the_report_issue(finished, newest, open_plain):
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    workflow.issue_report(finished, "lab", newest, shown, person="ada")
    page = open_plain(review_page, finished, report="lab")
    assert "keep reading" not in light_box(page)
    assert not any("where to stop" in caption.value for caption in page.caption)


def test_ten_are_drawn_from_the_rest_and_are_there_again(finished, newest, open_plain):
    say(finished, newest, [1, 5])
    page = open_plain(review_page, finished, report="lab")
    page.button(key="draw").click().run()
    assert not page.exception
    drawn = [box.key for box in word_boxes(page)]
    n_papers = len(order_shown(finished, newest))
    assert len(drawn) == 10
    assert f"drawn from the {n_papers - 5} papers not read: 10 left to decide" in light_box(page)
    assert not [button for button in page.button if button.key == "draw"]

    page = open_plain(review_page, finished, report="lab")
    assert [box.key for box in word_boxes(page)] == drawn
    for box in word_boxes(page):
        page.button_group(key=box.key).set_value("no").run()
    at_most = remaining(n_papers - 5, 10, 0).at_most
    (said,) = [text for text in page.markdown if text.value == "None of ten: a good sign; ten can't prove it."]
    assert f"at most {at_most} relevant papers in the rest" in said.proto.help
    assert "**15** of " in light_box(page)
    page.button_group(key=f"show-lab-{newest}").set_value("all papers").run()
    assert len(word_boxes(page)) == n_papers
    assert not [button for button in page.button if button.key == "draw"]
    say(finished, newest, [6])
    page.run()
    assert page.button(key="draw")


def test_what_is_known_is_learnt_anew_only_when_the_report_has_new_outcomes(finished, newest, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    learned = []
    monkeypatch.setattr(
        cache, "recalls_before", lambda *asked: learned.append(asked) or recalls_before(*asked), raising=True
    )

    def n_papers_read(report="lab"):
        return cache.recall(report, "krichel-2007", newest + timedelta(days=7)).finished.n_read.sum()

    known = n_papers_read()
    say(finished, newest, [1, 2])
    assert n_papers_read() == known > 0
    assert n_papers_read("mac") > 0
    assert len(learned) == 1
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    mark_read(finished, "lab", newest, shown.id, len(shown.ranking.positions), person="ada")
    workflow.issue_report(finished, "lab", newest, shown, person="ada")
    assert n_papers_read("mac") > 0
    assert len(learned) == 1
    assert n_papers_read() == known + len(shown.ranking.positions)
    assert len(learned) == 2


def test_a_draw_that_was_not_saved_is_said(finished, newest, open_plain, monkeypatch):
    page = open_plain(review_page, finished, report="lab")

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(read_log, "add_draw", full)
    page.button(key="draw").click().run()
    assert page.error[0].value == "Not saved: the disk is full"
    assert page.button(key="draw")
