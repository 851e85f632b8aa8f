"""Publication: once, as shown to the editor, and reopened with a reason."""

import numpy as np

from presort.data import catalogue
from presort.data.editing import decisions, drafts, publications
from presort.data.editing.publications import publication_log
from presort.data.editing.read_papers import mark_read
from presort.data.editing.rerankings import add_reranking
from presort.data.errors import WorkspaceError
from presort.data.records import Decision, Draft, ReviewProgress
from presort.desk.publish import publishing
from presort.desk.sending.texts import NOTHING_CHOSEN
from presort.desk.text import count_text
from presort.desk.ui import reranking
from tests.desk.publish.publishing import figures, opened_page, preview, publish_it, published_issue, ticks


def messages(page):
    return page.success[0].value


def test_a_second_window_publishes_nothing_twice(ranked, newest, chosen, open_page, monkeypatch):
    sorted_again = []
    monkeypatch.setattr(reranking, "rerank_newer", lambda *issue: sorted_again.append(issue))
    one, other = open_page(ranked), open_page(ranked)
    assert publish_it(one)
    assert not publish_it(other)
    assert [text.value for text in other.info] == [publishing.PUBLISHED_ALREADY]
    assert not other.error
    assert len(publication_log(ranked, "lab", newest)) == 1
    assert sorted_again == [("lab", newest)]


def test_changes_of_another_window_are_not_published_unseen(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    left_out = catalogue.papers(ranked, newest)[chosen[0] - 1].paper_id
    decisions.decide(ranked, [Decision("lab", newest, left_out, "no", "ben", about="publish")])
    assert not publish_it(page)
    assert [text.value for text in page.info] == [publishing.CHANGED_MEANWHILE]
    assert published_issue(ranked, newest) is None
    assert publish_it(page)
    assert len(published_issue(ranked, newest).published) == 3


def test_a_note_of_another_window_is_neither_published_unseen_nor_overwritten(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    drafts.save_draft(ranked, Draft("lab", newest, note="From Ann."), person="ann")
    assert not publish_it(page)
    assert [text.value for text in page.info] == [publishing.CHANGED_MEANWHILE]
    assert published_issue(ranked, newest) is None
    assert page.text_area[0].value == "From Ann."
    assert publish_it(page)
    assert published_issue(ranked, newest).note == "From Ann."


def test_a_full_disk_is_reported_and_nothing_is_published(ranked, newest, chosen, open_page, monkeypatch):
    page = open_page(ranked)

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(publications, "publish_report_issue", full)
    assert publish_it(page)
    assert page.error[0].value == publishing.NOT_PUBLISHED.format("the disk is full")
    assert published_issue(ranked, newest) is None


def test_an_issue_published_empty_is_still_evaluated(ranked, newest, shown, chosen, open_page):
    mark_read(ranked, "lab", newest, shown.id, len(shown.ranking.positions), person="ada")
    page = open_page(ranked)
    page.button(key="publish-none").click().run()
    assert publish_it(page)
    assert "0 papers" in messages(page)
    assert figures(page)["Last relevant paper"].startswith("9 of")
    assert NOTHING_CHOSEN in preview(page)


def test_positions_are_those_in_the_order_that_was_read(ranked, newest, shown, chosen, open_page):
    order = [*chosen, *(position for position in shown.ranking.positions.tolist() if position not in chosen)]
    add_reranking(ranked, "lab", newest, shown.id, np.array(order, dtype=np.int32), n_decisions=4, person="ada")
    unread = tuple(sorted(order[4:]))
    publications.publish_report_issue(
        *(ranked, "lab", newest, chosen),
        ranking_id=shown.id,
        person="ada",
        review_progress=ReviewProgress(unread, "advised", stop_at=4),
    )
    page = open_page(ranked, opened_page, issue=newest)
    assert figures(page)["Last relevant paper"].startswith("4 of")
    assert any(metric.delta.endswith("9 before re-ranking") for metric in page.metric)
    assert figures(page)["Found above the stop point"] == "4 of 4"


def test_an_imported_issue_counts_its_selections(ranked, open_page):
    past = [
        day for day in publications.published(ranked, "lab") if "yes" in decisions.labels(ranked, "lab", day).values()
    ][-1]
    n_selected = list(decisions.labels(ranked, "lab", past).values()).count("yes")
    page = open_page(ranked, opened_page, issue=past)
    assert messages(page).startswith(f"Imported: lab {past} · {count_text(n_selected, 'paper')}")
    assert not page.metric  # not read at this desk
    assert preview(page).count("\n 1. ") == 2


def test_reopening_asks_for_a_reason_and_allows_republication(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    assert publish_it(page)
    (reopen_it,) = [button for button in page.button if button.label == "Reopen"]
    reopen_it.click().run()
    assert "reason for reopening lab" in page.error[0].value
    assert published_issue(ranked, newest) is not None
    page.text_input(key=f"reason-lab-{newest}").set_value("<b>one</b> was *missing*")  # sent together with the click
    next(button for button in page.button if button.label == "Reopen").click().run()
    assert not page.exception
    assert published_issue(ranked, newest) is None
    assert ticks(page) == [True] * 4
    assert publish_it(page)
    assert len(publication_log(ranked, "lab", newest)) == 2
    (before,) = [text.value for text in page.caption if text.value.startswith("Published before")]
    assert "4 papers" in before
    assert before.endswith(r"\<b\>one\</b\> was \*missing\*")
