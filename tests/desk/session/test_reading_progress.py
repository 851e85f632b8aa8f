"""An issue that was not read far enough is not scored, and unread papers are not training data."""

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import ALL_READ, Decision, ReviewProgress
from presort.desk.publish import publishing
from presort.desk.scores import table
from presort.desk.scores.outcomes import not_evaluable_note
from presort.desk.service import workflow
from presort.desk.session import progress, stop_advice
from presort.desk.session.progress import relevance_models_before, shown_order
from presort.desk.session.stop_advice import set_target_recall
from presort.desk.text import escape
from presort.desk.ui import cache
from presort.desk.ui.cards import UNKNOWN
from presort.metrics import Outcome
from tests.desk.publish.publishing import figures, warnings

RANKER = "krichel-2007"


def shown_of(store, newest, report="lab"):
    return rankings.newest_rankings(store, report, newest)[RANKER]


def read(store, newest, places, label="no", *, shown):
    """Decide the papers at some places of a list, as at the desk."""
    papers = catalogue.papers(store, newest)
    order = shown_order(shown, len(papers))
    entries = [
        Decision(
            "lab",
            newest,
            papers[order[place - 1] - 1].paper_id,
            label,
            "ada",
            f"c{place}",
            ranking_id=shown and shown.id,
        )
        for place in places
    ]
    decisions.decide(store, entries)
    return order


def issue(store, newest, shown):
    workflow.publish_report_issue(store, "lab", newest, shown, person="ada")
    return publications.published(store, "lab")[newest]


def test_a_list_with_one_read_paper_is_not_evaluated(finished, newest):
    shown = shown_of(finished, newest)
    order = read(finished, newest, [1], "yes", shown=shown)
    how = issue(finished, newest, shown).review_progress
    assert (sorted(how.unread), how.ended) == (sorted(order[1:].tolist()), "early")
    (scored,) = [x for x in outcomes.scored_rankings(finished, "lab") if x.issue == newest]
    assert (scored.places.tolist(), scored.ended) == ([1], "early")
    assert newest not in set(table.scores(finished, report="lab")["issue"].dt.date)
    left_out = table.find_not_evaluable(finished, report="lab")
    assert left_out.values.tolist() == [["lab", left_out["issue"][0], RANKER, len(order), 1]]
    span = {"first": newest, "last": newest}
    assert table.n_not_evaluable(left_out, [RANKER], ["lab"], **span) == 1
    assert table.n_not_evaluable(left_out, [RANKER], ["mac"], **span) == 0


def test_unread_papers_are_no_training_data_and_count_as_unread_in_forecasts(finished, newest):
    shown = shown_of(finished, newest)
    order = read(finished, newest, [1], "yes", shown=shown)
    issue(finished, newest, shown)
    history = read_history(finished, newest)
    start = history.starts[-2]
    assert sorted(history.maybe["lab"][history.maybe["lab"] >= start] - start + 1) == sorted(order[1:].tolist())
    scored = outcomes.scored_rankings(finished, "lab")
    (ended,) = {one.ended for one in scored if (one.ranker, one.issue) == (RANKER, newest)}
    assert ended != "all"
    last = sorted_lists(finished, RANKER)["lab"][-1]
    assert last.issue == newest
    assert np.flatnonzero(last.is_read).tolist() == np.flatnonzero(last.is_relevant).tolist() == [0]


def test_reading_down_to_the_stop_point_is_far_enough(finished, newest):
    shown = shown_of(finished, newest)
    set_target_recall(finished, "lab", "1 in 10")
    relevance_model = relevance_models_before(finished, RANKER, newest)["lab"]
    n_papers = len(catalogue.papers(finished, newest))
    words, places = ["yes", *["no"] * (n_papers - 1)], np.arange(1, n_papers + 1)
    scores = shown.ranking.scores
    model = stop_advice.list_model(relevance_model, scores, n_papers)
    stop_at = next(to for to in places if stop_advice.advise(model, words, places <= to, "1 in 10").may_stop)
    assert 1 < stop_at < n_papers, "nothing is told here"
    read(finished, newest, [1], "yes", shown=shown)
    read(finished, newest, [stop_at - 1], shown=shown)
    how = progress.review_progress(finished, "lab", newest, shown)
    assert (len(how.unread), how.ended) == (n_papers - stop_at + 1, "early")
    assert how.stop_at >= stop_at
    read(finished, newest, [stop_at], shown=shown)
    how = issue(finished, newest, shown).review_progress
    assert (len(how.unread), how.ended, how.stop_at) == (n_papers - stop_at, "advised", stop_at)
    assert newest not in set(table.scores(finished, report="lab")["issue"].dt.date), "more may be below"
    history = read_history(finished, newest)
    assert (history.maybe["lab"] < history.starts[-2]).all(), "what is left there counts as not relevant"
    last = sorted_lists(finished, RANKER)["lab"][-1]
    assert last.is_read.tolist() == (places <= stop_at).tolist(), "and forecasts know that nobody read it"


def test_a_list_read_until_nothing_is_left_is_evaluated(finished, newest, open_page):
    def publish_page():
        from presort.desk.publish import page as publish

        publish.show()

    shown = shown_of(finished, newest)
    read(finished, newest, [1], "yes", shown=shown)
    relevance_model, n_papers = (
        relevance_models_before(finished, RANKER, newest)["lab"],
        len(catalogue.papers(finished, newest)),
    )
    words, places = ["yes", *["no"] * (n_papers - 1)], np.arange(1, n_papers + 1)

    def stop(choice):
        model = stop_advice.list_model(relevance_model, shown.ranking.scores, len(words))
        judged = (stop_advice.advise(model, words, places <= to, choice) for to in places)
        return next(so_far.read_up_to for so_far in judged if so_far.may_stop)

    usual, all_seen = stop("1 in 20"), stop("none")
    assert usual < all_seen < n_papers
    read(finished, newest, [usual], shown=shown)
    assert progress.review_progress(finished, "lab", newest, shown).ended == "advised"
    assert minutes_saved(finished, newest, shown, open_page, publish_page) is None  # more may be below
    reopen(finished, "lab", newest, "One is missing.", person="ada")
    read(finished, newest, [all_seen], shown=shown)
    assert minutes_saved(finished, newest, shown, open_page, publish_page) not in (None, UNKNOWN)
    assert newest in set(table.scores(finished, report="lab")["issue"].dt.date)


def minutes_saved(store, newest, shown, open_page, publish_page):
    issue(store, newest, shown)
    return figures(open_page(publish_page, store, report="lab", issue=newest)).get("Minutes saved")


def test_first_lists_count_as_read_where_their_advice_ends_and_are_scored_if_read_to_the_end(ranked, newest):
    """Forecasts can learn from the first lists, and a list of which one paper was read is not scored."""
    shown = shown_of(ranked, newest)
    relevance_model = relevance_models_before(ranked, RANKER, newest)["lab"]
    assert not relevance_model.is_ready
    n_papers = len(catalogue.papers(ranked, newest))
    read(ranked, newest, [1], "yes", shown=shown)
    how = progress.review_progress(ranked, "lab", newest, shown)
    assert (len(how.unread), how.ended) == (n_papers - 1, "early")
    assert 1 < how.stop_at < n_papers
    read(ranked, newest, [how.stop_at], shown=shown)
    assert progress.review_progress(ranked, "lab", newest, shown).ended == "advised"
    read(ranked, newest, [n_papers], shown=shown)
    how = issue(ranked, newest, shown).review_progress
    assert (how.unread, how.ended) == ((), "all")


def test_in_list_order_only_the_whole_list_is_far_enough(store, newest):
    n_papers = len(catalogue.papers(store, newest))
    read(store, newest, [1, n_papers - 1], "yes", shown=None)
    assert progress.review_progress(store, "lab", newest, None) == ReviewProgress((n_papers,), "early")
    read(store, newest, [n_papers], shown=None)
    assert progress.review_progress(store, "lab", newest, None) == ALL_READ


def test_imported_selections_count_as_read(finished):
    assert {x.ended for x in outcomes.scored_rankings(finished)} == {"all"}
    assert table.find_not_evaluable(finished).empty


@pytest.mark.parametrize("places", [[1], []])
def test_a_list_that_was_not_read_has_no_minutes_saved(finished, newest, open_page, places):
    def publish_page():
        from presort.desk.publish import page as publish

        publish.show()

    shown = shown_of(finished, newest)
    read(finished, newest, places, "yes", shown=shown)
    issue(finished, newest, shown)
    page = open_page(publish_page, finished, report="lab", issue=newest)
    assert "Minutes saved" not in figures(page)
    assert figures(page)["Unread papers"] == f"{len(catalogue.papers(finished, newest)) - len(places)} papers"
    assert figures(page)["Read"].startswith(f"{len(places)} of")
    assert len([caption for caption in page.caption if "excluded from your figures" in caption.value]) == 1


def test_pages_and_the_summary_say_what_they_leave_out(finished, newest, open_page):
    def overview_page():
        from presort.desk.overview import page as overview

        overview.show()

    shown = shown_of(finished, newest)
    read(finished, newest, [1], "yes", shown=shown)
    issue(finished, newest, shown)
    message = not_evaluable_note(1)
    assert message in [caption.value for caption in open_page(overview_page, finished, report="lab").caption]
    assert message not in [
        caption.value for caption in open_page(overview_page, finished, report="lab", replay=1).caption
    ]


def test_papers_added_later_are_counted_separately(finished, newest, open_page):
    def review_page():
        from presort.desk.review import page as review

        review.show()

    from tests.data.workspaces import make_listed, take_in

    shown = shown_of(finished, newest)
    papers = catalogue.papers(finished, newest)
    read(finished, newest, range(1, len(papers) + 1), "yes", shown=shown)
    issue(finished, newest, shown)
    take_in(finished, [make_listed("z1", newest, title="A latecomer")])
    page = open_page(review_page, finished, report="lab", issue=newest)
    assert "Added later: 1 paper" in [expander.label for expander in page.expander]
    assert any("A latecomer" in text.value for text in page.markdown)
    assert any(f"{len(papers)} papers, ranked by" in caption.value for caption in page.caption)
    outcome = table.scores(finished, report="lab").set_index("issue")["outcome"].iloc[-1]
    assert outcome == Outcome(np.arange(1, len(papers) + 1), len(papers))
    assert cache.store().name == finished.name


def test_publish_warns_before_publication_that_reading_ended_early(finished, newest, open_page):
    def publish_page():
        from presort.desk.publish import page as publish

        publish.show()

    def shown_warnings():
        return warnings(open_page(publish_page, finished, report="lab", issue=newest))

    shown = shown_of(finished, newest)
    n_papers = len(catalogue.papers(finished, newest))
    assert shown_warnings() == [publishing.NOTHING_READ]
    read(finished, newest, [1], "yes", shown=shown)
    assert shown_warnings() == [escape(publishing.KEEP_READING.format(1, f"{n_papers} papers"))]
    read(finished, newest, [n_papers], shown=shown)
    assert shown_warnings() == []
