"""Open questions before publication: papers marked maybe, and older pending issues."""

from dataclasses import replace
from datetime import timedelta

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.read_papers import read_positions
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, ListedPaper, Paper
from presort.desk.publish import publishing
from presort.desk.text import escape
from presort.desk.ui import reranking
from tests.desk.publish.publishing import maybe_buttons, n_older, publish_it, published_issue


def test_maybes_are_listed_and_decided_before_publication(ranked, newest, shown, chosen, open_page):
    papers = catalogue.papers(ranked, newest)
    left = [position for position in shown.ranking.positions.tolist() if position not in chosen][:2]
    ids = [papers[position - 1].paper_id for position in left]
    maybes = [Decision("lab", newest, paper, "maybe", "editor", f"m {paper}", ranking_id=shown.id) for paper in ids]
    decisions.decide(ranked, maybes)
    page = open_page(ranked)
    assert [button.label for button in maybe_buttons(page)] == 2 * ["Relevant", "Not relevant"]
    assert page.button(key="publish-it").disabled
    read = read_positions(ranked, "lab", newest).tolist()
    page.button(key=f"maybe-lab-{newest}-{ids[0]}-yes").click().run()
    page.button(key=f"maybe-lab-{newest}-{ids[1]}-no").click().run()
    assert not page.exception
    assert decisions.labels(ranked, "lab", newest).items() >= {(ids[0], "yes"), (ids[1], "no")}
    assert read_positions(ranked, "lab", newest).tolist() == read
    assert not maybe_buttons(page)
    assert publish_it(page)
    assert set(published_issue(ranked, newest).published) == {*chosen, left[0]}


def test_maybes_are_left_undecided_only_on_request(ranked, newest, chosen, open_page):
    papers = catalogue.papers(ranked, newest)
    free = [paper.paper_id for position, paper in enumerate(papers, start=1) if position not in chosen]
    decisions.decide(ranked, [Decision("lab", newest, free[0], "maybe", "editor")])
    page = open_page(ranked)
    decisions.decide(ranked, [Decision("lab", newest, free[1], "maybe", "editor")])  # in another window
    assert not publish_it(page, "leave-maybes")
    assert [text.value for text in page.info] == [publishing.CHANGED_MEANWHILE]
    assert publications.published(ranked, "lab").get(newest) is None
    assert "2 maybes" in page.button(key="leave-maybes").label
    assert publish_it(page, "leave-maybes")
    assert published_issue(ranked, newest).published
    assert decisions.labels(ranked, "lab", newest)[free[0]] == "maybe"


def test_the_oldest_open_issue_is_opened_first(ranked, newest, open_older, open_page):
    page = open_page(ranked)
    assert page.selectbox(key="issue").value == open_older
    assert open_page(ranked, report="mac").selectbox(key="issue").value == newest


def test_an_older_open_issue_is_named_before_publication_and_can_be_skipped(
    ranked, newest, open_older, chosen, open_page
):
    page = open_page(ranked, issue=newest)
    assert n_older(page) == 1
    page.button(key=f"skip-lab-{open_older}").click().run()
    assert not n_older(page)
    assert "undo-skip" in {button.key for button in page.button}
    page.button(key="undo-skip").click().run()
    assert n_older(page)
    assert publish_it(page)
    assert open_page(ranked).selectbox(key="issue").value == open_older  # it remains


def test_an_older_issue_is_published_empty_unless_something_in_it_is_relevant(
    ranked, newest, open_older, open_page, monkeypatch
):
    monkeypatch.setattr(reranking, "rerank_newer", lambda *issue: None)
    paper = next(iter(decisions.labels(ranked, "lab", open_older)))
    page = open_page(ranked, issue=newest)
    decisions.decide(ranked, [Decision("lab", open_older, paper, "yes", "ada")])
    assert not publish_it(page, f"empty-lab-{open_older}")
    assert "1 relevant paper" in page.error[0].value
    assert open_older not in publications.published(ranked, "lab")
    decisions.decide(ranked, [Decision("lab", open_older, paper, "no", "ada")])
    assert publish_it(page, f"empty-lab-{open_older}")
    assert publications.published(ranked, "lab")[open_older].published == ()
    assert not n_older(page)


def test_an_unread_older_issue_is_published_empty_only_on_request(ranked, newest, shown, open_page):
    day = newest - timedelta(days=7)
    commit_import(ranked, [ListedPaper(Paper("q", "Wages"), day + timedelta(days=1))], person="import")
    day = day + timedelta(days=1)
    page = open_page(ranked, issue=newest)
    page.button(key=f"empty-lab-{day}").click().run()
    assert day not in publications.published(ranked, "lab")
    page.button(key="publish-now").click().run()
    assert not page.exception
    assert publications.published(ranked, "lab")[day].published == ()


def test_an_older_issue_with_a_maybe_is_not_published_empty(ranked, newest, open_older, open_page):
    paper = next(iter(decisions.labels(ranked, "lab", open_older)))
    decisions.decide(ranked, [Decision("lab", open_older, paper, "maybe", "ada")])
    page = open_page(ranked, issue=newest)
    assert not publish_it(page, f"empty-lab-{open_older}")
    assert "1 paper marked maybe" in page.error[0].value
    assert open_older not in publications.published(ranked, "lab")


def test_formulas_are_spelled_out_before_publication(ranked, newest, shown, chosen, open_page, monkeypatch):
    papers = [replace(paper, title="Is $r > g$ enough?") for paper in catalogue.papers(ranked, newest)]
    monkeypatch.setattr(catalogue, "papers", lambda store, issue: papers)
    maybe = papers[next(p for p in range(1, len(papers) + 1) if p not in chosen) - 1].paper_id
    decisions.decide(ranked, [Decision("lab", newest, maybe, "maybe", "editor", "m", ranking_id=shown.id)])
    page = open_page(ranked)
    assert "Is r > g enough?" in [text.value for text in page.text]
    assert escape("Is r > g enough?") in page.checkbox[0].label
