"""The *Review* page around its list: empty, normal, published."""

from dataclasses import replace
from datetime import date

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint
from presort.data.editing.pending import SortedBy
from presort.data.editing.publications import reopen
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.desk import access
from presort.desk.service import workflow
from presort.desk.service.pending import rank_pending
from presort.desk.ui import reranking
from presort.desk.why import hints
from presort.ranker.versions import DEFAULT, RECIPES


def review_page():
    from presort.desk.review import page as review

    review.show()


def test_review_without_issues_says_what_to_do(empty_store, open_page):
    assert "No papers yet" in open_page(review_page, empty_store).info[0].value


def test_review_without_reports_says_what_to_do(empty_store, open_page):
    commit_import(empty_store, [ListedPaper(Paper("a", "A title"), date(2026, 1, 5))], person="import")
    assert "No reports yet" in open_page(review_page, empty_store).info[0].value


def test_a_list_without_a_ranking_is_queued_and_shown_once_it_is_ranked(store, newest, open_page):
    page = open_page(review_page, store, report="env")
    assert ("env", newest) in page.session_state[reranking.QUEUED]
    assert len(page.info) == 1  # the duration
    list(rank_pending(store, reports=["env"]))
    page.session_state[reranking.NAME][reranking.NEW].ended.set_result(None)
    page.run()
    assert reranking.NEW not in page.session_state[reranking.NAME]
    assert list(rankings.newest_rankings(store, "env", newest)) == [DEFAULT]


def test_review_reports_too_little_training_data(store, newest, open_page):
    catalogue.add_reports(store, [Report("new", "A new report")])
    list(workflow.rank(store, [RECIPES["arxiv-sanity"]], reports=["new"]))
    page = open_page(review_page, store, report="new")
    assert any("too few to learn from" in text.value for text in page.markdown)


def test_a_started_list_keeps_its_order_until_the_editor_requests_the_new_one(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    before = first_title(page)
    decisions.decide(ranked, [Decision("lab", newest, catalogue.papers(ranked, newest)[0].paper_id, "yes", "ada")])
    shown = rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"].ranking
    rankings.add_rankings(ranked, [replace(shown, positions=shown.positions[::-1])])
    page.run()
    assert first_title(page) == before
    page.button(key="show-new").click().run()
    assert first_title(page) == catalogue.papers(ranked, newest)[shown.positions[-1] - 1].title
    assert "show-new" not in {button.key for button in page.button}


def test_a_list_offers_to_re_rank_after_decisions_of_other_reports(store, newest, open_page):
    list(workflow.rank(store, [RECIPES[DEFAULT]], reports=["lab"]))
    message = hints.BEHIND[SortedBy.ALL_BUT_OTHERS]

    def opened():
        return open_page(review_page, store, report="lab")

    assert message not in [one.value for one in opened().markdown]
    earlier = catalogue.issues(store)[-2].date
    other = next(one.code for one in catalogue.reports(store) if earlier not in publications.published(store, one.code))
    assert other != "lab"
    paper = catalogue.papers(store, earlier)[0].paper_id
    decisions.decide(store, [Decision(other, earlier, paper, "yes", "ada")])
    page = opened()
    assert message in [one.value for one in page.markdown]
    page.button(key="rerank-list").click().run(timeout=60)
    assert not page.exception
    assert message not in [one.value for one in page.markdown]


def test_review_opens_at_the_last_report_and_its_oldest_open_issue(store, newest, open_page):
    earlier = catalogue.issues(store)[-2].date
    open_too = next(
        one.code for one in catalogue.reports(store) if earlier not in publications.published(store, one.code)
    )
    paper = catalogue.papers(store, newest)[0].paper_id
    decisions.decide(store, [Decision("mac", newest, paper, "yes", "editor")])
    page = open_page(review_page, store)
    assert (page.selectbox(key="report").value, page.selectbox(key="issue").value) == ("mac", newest)
    page.selectbox(key="report").set_value(open_too).run()
    assert page.selectbox(key="issue").value <= earlier
    page.selectbox(key="report").set_value("lab").run()
    assert page.selectbox(key="issue").value == newest
    assert open_page(review_page, store, report="lab").selectbox(key="report").value == "lab"


def test_an_editor_can_not_choose_a_ranker_even_by_address(ranked, open_plain):
    page = open_plain(review_page, ranked, report="lab", **{"sorted-by": "arxiv-sanity"})
    assert any("ranked by krichel-2007" in caption.value for caption in page.caption)
    assert "Choose another ranking" not in page.menu_button(key="over-list").options
    assert "sorted-by" not in page.query_params


def test_a_director_can_choose_another_ranker_in_the_menu(ranked, newest, open_plain):
    access.switch_role(ranked, access.PERSON, "director")
    page = open_plain(review_page, ranked, report="lab")
    assert any("ranked by krichel-2007" in caption.value for caption in page.caption)
    page.menu_button(key="over-list").click("Choose another ranking").run()
    page.selectbox(key="sorted-by-of-krichel-2007").set_value("arxiv-sanity").run()
    assert not page.exception
    assert any("ranked by arxiv-sanity" in caption.value for caption in page.caption)
    assert page.query_params["sorted-by"] == "arxiv-sanity"


def first_title(page):
    texts = [text.value for text in page.text]
    return texts[texts.index("1") + 2]


def test_a_reopened_issue_has_its_first_order_and_offers_no_other(ranked, newest, open_plain):
    shown = rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"]
    workflow.publish_report_issue(ranked, "lab", newest, shown, person="ada")
    backwards = replace(shown.ranking, positions=shown.ranking.positions[::-1].copy())
    rankings.add_rankings(ranked, [backwards, replace(backwards, ranker=DEFAULT)])
    reopen(ranked, "lab", newest, "A typo.", person="ada")
    add_hint(ranked, "lab", "boost", "wage", person="ada")
    page = open_plain(review_page, ranked, report="lab", issue=newest)
    assert not page.exception
    assert first_title(page) == catalogue.papers(ranked, newest)[shown.ranking.positions[0] - 1].title
    assert not {"sort-it", "rerank-list", "show-new"} & {button.key for button in page.button}


def test_an_issue_first_published_in_list_order_stays_in_list_order(store, newest, open_plain):
    workflow.publish_report_issue(store, "lab", newest, None, person="ada")
    reopen(store, "lab", newest, "A typo.", person="ada")
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    page = open_plain(review_page, store, report="lab", issue=newest)
    assert any("list order" in caption.value for caption in page.caption)
    assert "sort-it" not in {button.key for button in page.button}
