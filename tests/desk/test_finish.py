"""The page Finish as `AppTest` sees it."""

import re

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data import catalogue, drafts, rankings, reviews
from data.errors import WorkspaceError
from data.publish import publish
from data.records import Decision, Draft, ListedPaper, Paper
from data.reopening import issuings
from desk import settings, workflow
from desk.boxes import again_box
from desk.making import making
from desk.preferences import set_plain
from desk.words import finish as words
from desk.words.outcomes import counted_in_words
from desk.words.text import plain
from ranker.versions import RECIPES
from tests.desk.test_preview import HOSTILE


def finish_page():
    from desk.pages import finish

    finish.show()


def opened_page():
    """What a page shows of an issue that has gone out."""
    from data import catalogue
    from desk import cache
    from desk.boxes import issued_box
    from desk.boxes.choosing import choose

    chosen = choose()
    issued_box.show(chosen, chosen.gone_out, catalogue.papers(cache.store(), chosen.issue))


@pytest.fixture(autouse=True)
def no_cache():
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def open_page(monkeypatch):
    def run(store, page=finish_page, **query):
        monkeypatch.setenv(settings.WORKSPACE, str(store.path.parent))
        test = AppTest.from_function(page)
        for name, value in {"report": "lab", **query}.items():
            test.query_params[name] = str(value)
        return test.run(timeout=30)

    return run


@pytest.fixture
def ranked(store):
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    return store


@pytest.fixture
def shown(ranked, newest):
    return rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"]


@pytest.fixture
def chosen(ranked, newest, shown):
    """List positions of four relevant papers, as presorted: at places 1, 2, 4 and 9."""
    positions = [int(shown.ranking.positions[place - 1]) for place in (1, 2, 4, 9)]
    papers = catalogue.papers(ranked, newest)
    said = [Decision("lab", newest, papers[p - 1].paper_id, "yes", "editor", ranking_id=shown.id) for p in positions]
    reviews.decide(ranked, said)
    return positions


def ticks(page):
    return [box.value for box in page.checkbox]


def told(page):
    return " ".join(text.value for text in [*page.success, *page.markdown])


def preview(page):
    (text,) = page.code
    return text.value


def gone_out(store, day):
    return reviews.issued(store, "lab").get(day)


def test_finish_without_reports_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(empty_store).info[0].value


def test_nothing_relevant_is_said_and_may_go_out(ranked, newest, open_page):
    page = open_page(ranked)
    assert not page.exception
    assert words.NOTHING_RELEVANT in [text.value for text in page.markdown]
    assert words.EMPTY in [text.value for text in page.markdown]
    assert words.NOTHING_CHOSEN in preview(page)
    page.button(key="issue-it").click().run()
    assert gone_out(ranked, newest).published == ()
    assert "was issued with no papers" in page.success[0].value
    assert "was relevant, so there is no order to judge" in page.success[0].value


def test_unticking_leaves_a_paper_out_and_keeps_it_relevant(ranked, newest, shown, chosen, open_page):
    page = open_page(ranked)
    papers = catalogue.papers(ranked, newest)
    assert [re.match(r"\d+ · (.*) :gray", box.label)[1] for box in page.checkbox] == [
        plain(papers[p - 1].title) for p in chosen
    ]
    page.checkbox[1].uncheck().run()
    assert ticks(page) == [True, False, True, True]
    assert "Three of four papers go out." in [text.value for text in page.markdown]
    assert reviews.words(ranked, "lab", newest, "publish") == {papers[chosen[1] - 1].paper_id: "no"}
    assert sorted(reviews.words(ranked, "lab", newest).values()) == ["yes"] * 4
    page.checkbox[1].check().run()
    assert reviews.words(ranked, "lab", newest, "publish") == {papers[chosen[1] - 1].paper_id: "yes"}
    page.button(key="publish-none").click().run()
    assert ticks(page) == [False] * 4
    page.button(key="publish-all").click().run()
    assert ticks(page) == [True] * 4
    assert not page.exception


def test_what_somebody_else_left_out_is_shown(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    left_out = catalogue.papers(ranked, newest)[chosen[0] - 1].paper_id
    reviews.decide(ranked, [Decision("lab", newest, left_out, "no", "ben", about="publish")])
    page.run()
    assert ticks(page) == [False, True, True, True]


def test_papers_are_put_in_order_with_plain_buttons_and_back(ranked, newest, chosen, open_page):
    set_plain(ranked, "editor", True)
    page = open_page(ranked)
    first, second, third, fourth = chosen
    name = f"lab-{newest}"
    assert page.button(key=f"Up-{name}-{first}").disabled
    assert page.button(key=f"Down-{name}-{fourth}").disabled
    page.button(key=f"Down-{name}-{first}").click().run()
    page.button(key=f"To top-{name}-{fourth}").click().run()
    assert drafts.draft(ranked, "lab", newest).order == (fourth, second, first, third)
    page.checkbox[2].uncheck().run()  # the first of the presorted, third by now
    page.button(key=f"Up-{name}-{third}").click().run()
    page.checkbox[2].check().run()
    assert drafts.draft(ranked, "lab", newest).order == (fourth, third, first, second)
    papers = catalogue.papers(ranked, newest)
    listed = [preview(page).index(papers[p - 1].title[:40]) for p in (fourth, third, first, second)]
    assert listed == sorted(listed)
    page.button(key="as-presorted").click().run()
    assert drafts.draft(ranked, "lab", newest).order == ()
    assert page.button(key="as-presorted").disabled


def test_the_component_is_drawn_unless_plain_widgets_are_preferred(ranked, chosen, open_page):
    assert not [button for button in open_page(ranked).button if button.label == words.UP]
    assert len([button for button in open_page(ranked).button if button.key == "as-presorted"]) == 1


def test_notes_are_saved_and_the_one_to_the_readers_goes_out(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    page.text_area[0].set_value("Dear *readers*,\n\nmany thanks. ").run()
    page.text_area[1].set_value("ask Ben").run()
    draft = drafts.draft(ranked, "lab", newest)
    assert (draft.note, draft.private_note) == ("Dear *readers*,\n\nmany thanks.", "ask Ben")
    assert page.text_area[0].value == draft.note
    assert "Dear *readers*,\n\nmany thanks." in preview(page)
    assert "ask Ben" not in preview(page)
    page.button(key="issue-it").click().run()
    assert gone_out(ranked, newest).note == draft.note
    assert "Dear *readers*" in preview(page)


def test_a_note_that_could_not_be_saved_is_said_and_stays(ranked, newest, chosen, open_page, monkeypatch):
    page = open_page(ranked)

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(drafts, "save_draft", full)
        page.text_area[0].set_value("Dear readers").run()
        assert page.error[0].value == "Not saved: the disk is full"
        assert page.text_area[0].value == "Dear readers"
        page.button(key="issue-it").click().run()
        assert page.error[0].value == "Not saved: the disk is full"
    assert gone_out(ranked, newest) is None
    page.button(key="issue-it").click().run()
    assert gone_out(ranked, newest).note == "Dear readers"


def test_what_goes_out_is_what_the_preview_showed_less_the_draft_marks(ranked, newest, shown, chosen, open_page):
    page = open_page(ranked)
    page.checkbox[3].uncheck().run()
    before = preview(page)
    assert before.startswith(words.DRAFT_LINE)
    assert before.endswith(words.DRAFT_LINE)
    assert "three papers, chosen by editor" in before
    page.button(key="issue-it").click().run()
    assert not page.exception
    assert preview(page) == before.removeprefix(words.DRAFT_LINE).removesuffix(words.DRAFT_LINE).strip("\n")
    assert gone_out(ranked, newest).published == tuple(chosen[:3])
    assert gone_out(ranked, newest).ranking_id == shown.id
    assert "was issued with three papers on 20" in page.success[0].value
    n_papers = len(catalogue.papers(ranked, newest))
    assert f"Your last paper stood at 9 of {n_papers}" in page.success[0].value
    assert rf"You read 9 \({round(900 / n_papers)} %\)" in page.success[0].value
    assert not page.checkbox
    assert "issued" in page.selectbox(key="issue").options[0]


def test_a_second_window_issues_nothing_twice(ranked, newest, chosen, open_page, monkeypatch):
    sorted_again = []
    monkeypatch.setattr(again_box, "begin_after", lambda *issue: sorted_again.append(issue))
    one, other = open_page(ranked), open_page(ranked)
    one.button(key="issue-it").click().run()
    other.button(key="issue-it").click().run()
    assert [text.value for text in other.info] == [words.ISSUED_ALREADY]
    assert not other.error
    assert len(issuings(ranked, "lab", newest)) == 1
    assert sorted_again == [("lab", newest)]


def test_what_was_changed_in_another_window_does_not_go_out_unseen(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    left_out = catalogue.papers(ranked, newest)[chosen[0] - 1].paper_id
    reviews.decide(ranked, [Decision("lab", newest, left_out, "no", "ben", about="publish")])
    page.button(key="issue-it").click().run()
    assert [text.value for text in page.info] == [words.CHANGED]
    assert gone_out(ranked, newest) is None
    page.button(key="issue-it").click().run()
    assert len(gone_out(ranked, newest).published) == 3


def test_a_full_disk_is_said_and_nothing_goes_out(ranked, newest, chosen, open_page, monkeypatch):
    page = open_page(ranked)

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(reviews, "issue_report", full)
    page.button(key="issue-it").click().run()
    assert page.error[0].value == "Not issued: the disk is full"
    assert gone_out(ranked, newest) is None


def test_an_issue_with_nothing_published_counts_none_and_is_still_judged(ranked, chosen, open_page):
    page = open_page(ranked)
    page.button(key="publish-none").click().run()
    page.button(key="issue-it").click().run()
    assert "was issued with no papers" in page.success[0].value
    assert "Your last paper stood at 9 of" in page.success[0].value
    assert words.NOTHING_CHOSEN in preview(page)


def test_an_imported_issue_counts_what_was_selected(ranked, open_page):
    past = [day for day in reviews.issued(ranked, "lab") if "yes" in reviews.words(ranked, "lab", day).values()][-1]
    n_selected = list(reviews.words(ranked, "lab", past).values()).count("yes")
    page = open_page(ranked, opened_page, issue=past)
    assert f"was issued with {counted_in_words(n_selected, 'paper')} on" in page.success[0].value
    assert "No ranking was shown, so there is no order to judge." in page.success[0].value
    assert preview(page).count("\n 1. ") == 2


def test_reopening_asks_why_and_lets_it_be_issued_again(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    page.button(key="issue-it").click().run()
    (reopen_it,) = [button for button in page.button if button.label == words.REOPEN_IT]
    reopen_it.click().run()
    assert "Say why lab" in page.error[0].value
    assert gone_out(ranked, newest) is not None
    page.text_input(key=f"reason-lab-{newest}").set_value("<b>one</b> was *missing*")  # sent with the click
    next(button for button in page.button if button.label == words.REOPEN_IT).click().run()
    assert not page.exception
    assert gone_out(ranked, newest) is None
    assert ticks(page) == [True] * 4
    page.button(key="issue-it").click().run()
    assert len(issuings(ranked, "lab", newest)) == 2
    assert "Issued before with four papers on" in told(page)
    assert r"by editor: \<b\>one\</b\> was \*missing\*" in told(page)


def test_a_draft_follows_what_is_relevant_now(ranked, newest, shown, chosen):
    order = (chosen[3], chosen[0])
    drafts.save_draft(ranked, Draft("lab", newest, order), person="editor")
    now = making(ranked, "lab", newest, shown)
    assert list(now.relevant) == [chosen[3], chosen[0], chosen[1], chosen[2]]
    assert now.outgoing == tuple(now.relevant)
    assert now.decisions(chosen, "yes", person="editor") == []
    assert {one.ranking_id for one in now.decisions(chosen, "no", person="editor")} == {shown.id}


def test_hostile_titles_are_text_on_the_page(ranked, newest, open_page):
    publish(ranked, [ListedPaper(Paper(f"h{n}", t), newest) for n, t in enumerate(HOSTILE)], person="import")
    reviews.decide(ranked, [Decision("lab", newest, f"h{n}", "yes", "editor") for n in range(len(HOSTILE))])
    page = open_page(ranked)
    assert not page.exception
    assert page.checkbox[0].label.startswith(r"1 · \<script\>document.title = 'owned'\</script\> Wages :gray")
    for title in HOSTILE:
        assert title in preview(page).replace("\n    ", " ")
