"""Reading effort of editors, from the progress that *Review* stored."""

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import add_draw, mark_read
from presort.data.editing.rerankings import add_reranking
from presort.data.learning import rankings
from presort.data.records import Decision, Draw
from presort.desk import access
from presort.desk.components.messages import ReviewRequest
from presort.desk.scores.effort import work_done
from presort.desk.service import workflow
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.review_session import ReviewSession
from presort.desk.session.stop_advice import set_target_recall
from presort.desk.ui import cache

REPORT = "lab"


@pytest.fixture
def context(finished, newest):
    """The newest issue as opened by *Review*."""
    shown = rankings.newest_rankings(finished, REPORT, newest)["krichel-2007"]
    papers = catalogue.papers(finished, newest)
    order = shown_order(shown, len(papers))
    return ReviewContext(REPORT, newest, papers, shown, order, None)


def say(store, context, places, word="no"):
    ids = [context.papers[context.order[place - 1] - 1].paper_id for place in places]
    decisions.decide(
        store, [Decision(REPORT, context.issue, paper, word, "ada", ranking_id=context.shown.id) for paper in ids]
    )
    return ids


def done(store, context):
    workflow.publish_report_issue(store, REPORT, context.issue, context.shown, person="ada")
    table = work_done(store, context.issue)
    assert len(table) == 1
    return table.iloc[0]


def test_imported_report_issues_have_no_reading_effort(finished):
    table = work_done(finished, catalogue.issues(finished)[0].date)
    assert table.empty
    assert {"report", "issue", "n_read", "read_up_to", "way_to_stop", "minutes"} <= set(table.columns)


def test_reading_progress_equals_that_on_review(finished, context, open_page):
    def review_page():
        from presort.desk.review import page

        page.show()

    say(finished, context, [1, 2], "yes")
    say(finished, context, [7])
    open_page(review_page, finished, report=REPORT)  # sets the workspace
    relevance_model = cache.relevance_model_for(context.shown)
    on_desk = ReviewContext(REPORT, context.issue, context.papers, context.shown, context.order, relevance_model)
    session = ReviewSession(finished, on_desk, access.PERSON, ask=None)
    session.receive(ReviewRequest())
    given_advice = session.advice
    row = done(finished, context)
    assert (row["read_up_to"], row["stop_at"], row["n_papers"]) == (7, given_advice.stop_at, given_advice.n_papers)
    assert row["way_to_stop"] == pytest.approx(7 / given_advice.stop_at)
    assert row["minutes"] == pytest.approx(decisions.minutes_spent(finished, REPORT, context.issue))


def test_spot_checks_do_not_count_as_progress_but_read_marks_do(finished, context):
    n = len(context.papers)
    say(finished, context, [1, 3], "yes")
    drawn = [int(context.order[n - 1])]
    say(finished, context, [n])
    add_draw(finished, REPORT, context.issue, Draw(context.shown.id, 3, n - 3, drawn), person="ada")
    mark_read(finished, REPORT, context.issue, context.shown.id, 9, person="ada")
    row = done(finished, context)
    assert (row["read_up_to"], row["n_read"]) == (9, 10)


def test_reading_to_the_end_is_100_percent_of_the_way_to_the_stop_point(finished, context):
    say(finished, context, range(1, len(context.papers) + 1))
    row = done(finished, context)
    assert (row["read_up_to"], row["way_to_stop"]) == (len(context.papers), 1)


def test_the_stop_point_shown_to_the_editor_does_not_change_with_later_choices(finished, context):
    set_target_recall(finished, REPORT, "1 in 10")
    say(finished, context, [1])
    stop_at = done(finished, context)["stop_at"]
    set_target_recall(finished, REPORT, "none")
    assert stop_at == work_done(finished, context.issue).iloc[0]["stop_at"] < len(context.papers)


def test_relevant_papers_above_the_stop_point_are_counted_in_the_order_that_was_read(finished, context):
    first, *between, last = context.order.tolist()
    order = np.array([last, *between, first], dtype=np.int32)
    add_reranking(finished, REPORT, context.issue, context.shown.id, order, n_decisions=1, person="ada")
    say(finished, context, [len(context.order)], "yes")  # the top of the re-ranked list
    row = done(finished, context)
    assert row["stop_at"] < len(context.papers)
    assert row["n_above"] == 1


def test_the_first_list_of_a_service_has_a_stop_point(ranked, newest):
    shown = rankings.newest_rankings(ranked, REPORT, newest)["krichel-2007"]
    papers = catalogue.papers(ranked, newest)
    context = ReviewContext(REPORT, newest, papers, shown, shown_order(shown, len(papers)), None)
    say(ranked, context, [5])
    row = done(ranked, context)
    assert row["read_up_to"] == 5
    assert 1 <= row["stop_at"] <= len(papers)
    assert row["way_to_stop"] == pytest.approx(min(5 / row["stop_at"], 1))


def test_unread_published_lists_have_no_reading_effort(finished, context):
    workflow.publish_report_issue(finished, REPORT, context.issue, context.shown, person="ada")
    assert work_done(finished, context.issue).empty
