"""An issue that was not read far enough is neither praised nor learned from beyond what was read."""

import numpy as np
import pytest

from data import catalogue
from data.editing import decisions
from data.learning import rankings
from data.learning.history import read_history
from data.records import Decision
from desk.scores import table
from desk.service import workflow
from desk.sheet import progress, unread
from desk.sheet.progress import shown_order
from desk.ui import cache
from metrics import Outcome

RANKER = "krichel-2007"


def shown_of(store, newest, report="lab"):
    return rankings.newest_rankings(store, report, newest)[RANKER]


def read(store, newest, places, word="no", *, shown):
    """Decide the papers at some places of a list, as at the desk."""
    papers = catalogue.papers(store, newest)
    order = shown_order(shown, len(papers))
    said = [
        Decision(
            "lab",
            newest,
            papers[order[place - 1] - 1].paper_id,
            word,
            "ada",
            f"c{place}",
            ranking_id=shown and shown.id,
        )
        for place in places
    ]
    decisions.decide(store, said)
    return order


def issue(store, newest, shown):
    workflow.issue_report(store, "lab", newest, shown, person="ada")
    return decisions.issued(store, "lab")[newest]


def test_one_paper_read_of_all_is_not_judged(finished, newest):
    shown = shown_of(finished, newest)
    order = read(finished, newest, [1], "yes", shown=shown)
    gone_out = issue(finished, newest, shown)
    assert sorted(gone_out.unread) == sorted(order[1:].tolist())
    (scored,) = [x for x in rankings.scored_rankings(finished, "lab") if x.issue == newest]
    assert (scored.places.tolist(), scored.n_unread) == ([1], len(order) - 1)
    assert newest not in set(table.scores(finished, report="lab")["issue"].dt.date)
    left_out = table.not_judged(finished, report="lab")
    assert left_out.values.tolist() == [["lab", left_out["issue"][0], RANKER]]
    span = {"first": newest, "last": newest}
    assert table.n_not_judged(left_out, [RANKER], ["lab"], **span) == 1
    assert table.n_not_judged(left_out, [RANKER], ["mac"], **span) == 0


def test_the_light_and_the_ranker_do_not_learn_from_what_was_not_read(finished, newest):
    shown = shown_of(finished, newest)
    order = read(finished, newest, [1], "yes", shown=shown)
    issue(finished, newest, shown)
    history = read_history(finished, newest)
    start = history.starts[-2]
    assert sorted(history.maybe["lab"][history.maybe["lab"] >= start] - start + 1) == sorted(order[1:].tolist())
    later = newest.replace(year=newest.year + 1)
    learned = progress.finished_issues(rankings.scored_rankings(finished), RANKER, later)["lab"]
    before = progress.finished_issues(rankings.scored_rankings(finished), RANKER, newest)["lab"]
    assert len(learned) == len(before)


def test_reading_down_to_red_is_far_enough(finished, newest):
    shown = shown_of(finished, newest)
    catalogue.set_setting(finished, "level:lab", "80")
    light = unread.light_before(finished, "lab", RANKER, newest)
    n_papers = len(catalogue.papers(finished, newest))
    words, places = ["yes", *["no"] * (n_papers - 1)], np.arange(1, n_papers + 1)
    red_at = next(to for to in places if progress.judge(light, words, places <= to, 80).is_red)
    assert 1 < red_at < n_papers, "the light tells nothing here"
    read(finished, newest, [1], "yes", shown=shown)
    read(finished, newest, [red_at - 1], shown=shown)
    assert len(unread.unread(finished, "lab", newest, shown)) == n_papers - red_at + 1
    read(finished, newest, [red_at], shown=shown)
    assert len(unread.unread(finished, "lab", newest, shown)) == 0
    assert issue(finished, newest, shown).unread == ()
    assert newest in set(table.scores(finished, report="lab")["issue"].dt.date)


def test_while_no_light_can_tell_half_of_a_list_is_far_enough(ranked, newest):
    """So the light gets its first issues to learn from, and a glance at one paper is not praised."""
    shown = shown_of(ranked, newest)
    assert not unread.light_before(ranked, "lab", RANKER, newest).is_ready
    n_papers = len(catalogue.papers(ranked, newest))
    read(ranked, newest, [1], "yes", shown=shown)
    assert len(unread.unread(ranked, "lab", newest, shown)) == n_papers - 1
    read(ranked, newest, [(n_papers + 1) // 2 - 1], shown=shown)
    assert len(unread.unread(ranked, "lab", newest, shown)) == n_papers - (n_papers + 1) // 2 + 1
    read(ranked, newest, [(n_papers + 1) // 2], shown=shown)
    assert issue(ranked, newest, shown).unread == ()
    later = newest.replace(year=newest.year + 1)
    learned = progress.finished_issues(rankings.scored_rankings(ranked), RANKER, later)["lab"]
    assert [one.places.tolist() for one in learned] == [[1]]


def test_in_list_order_only_the_whole_list_is_far_enough(store, newest):
    n_papers = len(catalogue.papers(store, newest))
    read(store, newest, [1, n_papers - 1], "yes", shown=None)
    assert unread.unread(store, "lab", newest, None).tolist() == [n_papers]
    read(store, newest, [n_papers], shown=None)
    assert len(unread.unread(store, "lab", newest, None)) == 0


def test_imported_selections_count_as_read(finished):
    assert {x.n_unread for x in rankings.scored_rankings(finished)} == {0}
    assert table.not_judged(finished).empty


@pytest.mark.parametrize(("places", "said"), [([1], "stopped at 1 of"), ([], "You read nothing")])
def test_finish_does_not_praise_what_was_not_read(finished, newest, open_page, places, said):
    def publish_page():
        from desk.publish import page as publish

        publish.show()

    shown = shown_of(finished, newest)
    read(finished, newest, places, "yes", shown=shown)
    issue(finished, newest, shown)
    page = open_page(publish_page, finished, report="lab", issue=newest)
    assert said in page.success[0].value
    assert "can't be judged" in page.success[0].value
    assert "Good order" not in page.success[0].value


def test_pages_and_the_summary_say_what_they_leave_out(finished, newest, open_page):
    def report_page():
        from desk.report import page as report

        report.show()

    def overview_page():
        from desk.overview import page as overview

        overview.show()

    shown = shown_of(finished, newest)
    read(finished, newest, [1], "yes", shown=shown)
    issue(finished, newest, shown)
    said = (
        "Left out: 1 report issue whose editor stopped while it still said “keep reading”, so that it can't be judged."
    )
    for of_page in (report_page, overview_page):
        assert said in [caption.value for caption in open_page(of_page, finished, report="lab").caption]
        assert said not in [caption.value for caption in open_page(of_page, finished, report="lab", replay=1).caption]


def test_papers_that_came_later_stand_apart(finished, newest, open_page):
    def review_page():
        from desk.review import page as review

        review.show()

    from tests.data.workspaces import make_listed, take_in

    shown = shown_of(finished, newest)
    papers = catalogue.papers(finished, newest)
    read(finished, newest, range(1, len(papers) + 1), "yes", shown=shown)
    issue(finished, newest, shown)
    take_in(finished, [make_listed("z1", newest, title="A latecomer")])
    page = open_page(review_page, finished, report="lab", issue=newest)
    assert "Came later: one paper" in [expander.label for expander in page.expander]
    assert any("A latecomer" in text.value for text in page.markdown)
    assert any(f"{len(papers)} papers, sorted by" in caption.value for caption in page.caption)
    outcome = table.scores(finished, report="lab").set_index("issue")["outcome"].iloc[-1]
    assert outcome == Outcome(np.arange(1, len(papers) + 1), len(papers))
    assert cache.store().path == finished.path
