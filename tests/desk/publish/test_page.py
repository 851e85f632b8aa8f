"""The *Publish* page in `AppTest`, before publication."""

import re
from types import SimpleNamespace

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, drafts
from presort.data.editing.read_papers import mark_read
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, Draft, ListedPaper, Paper, ReviewProgress
from presort.data.text.formulas import formulas_to_unicode
from presort.desk.preferences.keys import set_plain
from presort.desk.publish import publishing
from presort.desk.sending.texts import DRAFT_LINE, NOTHING_CHOSEN
from presort.desk.session.publication import read_pending_publication
from presort.desk.text import escape
from tests.desk.publish.publishing import figures, preview, publish_it, published_issue, ticks, warnings
from tests.desk.sending.test_preview import HOSTILE


def test_publish_without_papers_says_what_to_do(empty_store, open_page):
    assert "No papers yet" in open_page(empty_store).info[0].value


def test_an_empty_report_is_published_only_if_confirmed(ranked, newest, open_page):
    page = open_page(ranked)
    assert warnings(page) == [publishing.NOTHING_READ]
    assert NOTHING_CHOSEN in preview(page)
    page.button(key="publish-it").click().run()
    assert published_issue(ranked, newest) is None  # the page asks first
    page.button(key="leave-it").click().run()
    assert published_issue(ranked, newest) is None
    assert publish_it(page)
    assert published_issue(ranked, newest).published == ()
    assert figures(page)["Read"].startswith("0 of")
    assert figures(page)["Unread papers"] == f"{len(catalogue.papers(ranked, newest))} papers"
    assert "Minutes saved" not in figures(page)


def test_the_question_says_what_will_happen(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    page.button(key="publish-it").click().run()
    text = next(text.value for text in page.markdown if text.value.startswith("- "))
    n_papers = len(catalogue.papers(ranked, newest))
    assert escape(publishing.unmarked_text(5, n_papers - 9)) in text  # four of the first nine papers are marked
    assert "No mail will be sent: mail isn't set up." in text
    assert publishing.question(4, 0) == "Publish 4 papers?"
    assert published_issue(ranked, newest) is None


@pytest.mark.parametrize(("ended", "expected"), [("early", (1, 3, 0)), ("advised", (4, 0, 3)), ("all", (4, 0, 0))])
def test_unread_papers_get_a_label_only_if_reading_reached_the_stop_point(ended, expected):
    papers = [Paper(name, "Wages") for name in "abcde"]
    unread = () if ended == "all" else (3, 4, 5)
    state = SimpleNamespace(labels={"a": "yes"}, progress=ReviewProgress(unread, ended, 2))
    assert publishing._n_unmarked(SimpleNamespace(papers=papers), state) == expected


def test_unmarked_papers_and_warnings_are_above_the_button(ranked, newest, shown, open_page):
    mark_read(ranked, "lab", newest, shown.id, 5, person="ada")
    page = open_page(ranked)
    n_papers = len(catalogue.papers(ranked, newest))
    assert publishing.unmarked_text(5, n_papers - 5) in [text.value for text in page.markdown]
    (warning,) = warnings(page)
    assert "5 of" in warning
    assert publish_it(page)
    assert published_issue(ranked, newest).published == ()


def test_a_published_issue_can_be_copied_and_downloaded_as_text(ranked, newest, shown, chosen, open_page):
    page = open_page(ranked)
    assert publish_it(page)
    assert f"lab {newest} · 4 papers · not mailed" in page.success[0].value
    (button,) = page.get("download_button")
    assert button.proto.label == "Download as text"
    page.session_state["copy-as-text"] = True
    page.run()
    in_box, in_preview = (code.value for code in page.code)
    assert in_box == in_preview
    assert "four papers, chosen by its editor" in in_box


def test_unticking_leaves_a_paper_out_and_keeps_it_relevant(ranked, newest, shown, chosen, open_page):
    page = open_page(ranked)
    papers = catalogue.papers(ranked, newest)
    assert [re.match(r"\d+ · (.*) :gray", box.label)[1] for box in page.checkbox] == [
        escape(formulas_to_unicode(papers[p - 1].title)) for p in chosen
    ]
    page.checkbox[1].uncheck().run()
    assert ticks(page) == [True, False, True, True]
    assert page.expander[0].label.endswith("3 of 4")
    assert decisions.labels(ranked, "lab", newest, "publish") == {papers[chosen[1] - 1].paper_id: "no"}
    assert sorted(decisions.labels(ranked, "lab", newest).values()) == ["yes"] * 4
    page.checkbox[1].check().run()
    assert decisions.labels(ranked, "lab", newest, "publish") == {papers[chosen[1] - 1].paper_id: "yes"}
    page.button(key="publish-none").click().run()
    assert ticks(page) == [False] * 4
    page.button(key="publish-all").click().run()
    assert ticks(page) == [True] * 4
    assert not page.exception


def test_papers_left_out_by_somebody_else_are_shown(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    left_out = catalogue.papers(ranked, newest)[chosen[0] - 1].paper_id
    decisions.decide(ranked, [Decision("lab", newest, left_out, "no", "ben", about="publish")])
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
    page.checkbox[2].uncheck().run()  # first in the presorted list, third now
    page.button(key=f"Up-{name}-{third}").click().run()
    page.checkbox[2].check().run()
    assert drafts.draft(ranked, "lab", newest).order == (fourth, third, first, second)
    papers = catalogue.papers(ranked, newest)
    listed = [
        preview(page).index(formulas_to_unicode(papers[p - 1].title)[:40]) for p in (fourth, third, first, second)
    ]
    assert listed == sorted(listed)
    page.button(key="as-presorted").click().run()
    assert drafts.draft(ranked, "lab", newest).order == ()
    assert page.button(key="as-presorted").disabled


def test_the_component_is_drawn_unless_plain_widgets_are_preferred(ranked, chosen, open_page):
    assert not [button for button in open_page(ranked).button if button.label == "Up"]
    assert len([button for button in open_page(ranked).button if button.key == "as-presorted"]) == 1


def test_notes_are_saved_and_the_note_to_readers_is_published(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    page.text_area[0].set_value("Dear *readers*,\n\nmany thanks. ").run()
    page.text_area[1].set_value("ask Ben").run()
    draft = drafts.draft(ranked, "lab", newest)
    assert (draft.note, draft.private_note) == ("Dear *readers*,\n\nmany thanks.", "ask Ben")
    assert page.text_area[0].value == draft.note
    assert "Dear *readers*,\n\nmany thanks." in preview(page)
    assert "ask Ben" not in preview(page)
    assert publish_it(page)
    assert published_issue(ranked, newest).note == draft.note
    assert "Dear *readers*" in preview(page)


def test_a_note_that_somebody_else_wrote_meanwhile_stays(ranked, newest, chosen, open_page):
    page = open_page(ranked)
    drafts.save_draft(ranked, Draft("lab", newest, note="From Ann."), person="ann")
    page.text_area[1].set_value("ask Ben").run()
    assert drafts.draft(ranked, "lab", newest) == Draft("lab", newest, note="From Ann.", private_note="ask Ben")
    drafts.save_draft(ranked, Draft("lab", newest, note="From Ann.", private_note="no need"), person="ann")
    page.text_area[0].set_value("From both.").run()
    draft = drafts.draft(ranked, "lab", newest)
    assert (draft.note, draft.private_note) == ("From both.", "no need")
    assert [box.value for box in page.text_area] == ["From both.", "no need"]


def test_a_note_that_could_not_be_saved_is_reported_and_stays(ranked, newest, chosen, open_page, monkeypatch):
    page = open_page(ranked)

    def full(*_, **__):
        raise WorkspaceError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(drafts, "save_draft", full)
        page.text_area[0].set_value("Dear readers").run()
        assert page.error[0].value == "Not saved: the disk is full"
        assert page.text_area[0].value == "Dear readers"
        assert not publish_it(page)
        assert page.error[0].value == "Not saved: the disk is full"
    assert published_issue(ranked, newest) is None
    assert publish_it(page)
    assert published_issue(ranked, newest).note == "Dear readers"


def test_the_published_letter_equals_the_preview_without_draft_marks(ranked, newest, shown, chosen, open_page):
    n_papers = len(catalogue.papers(ranked, newest))
    mark_read(ranked, "lab", newest, shown.id, n_papers, person="ada")
    page = open_page(ranked)
    assert publishing.unmarked_text(n_papers - 4, 0) in [text.value for text in page.markdown]
    page.checkbox[3].uncheck().run()
    before = preview(page)
    assert before.startswith(DRAFT_LINE)
    assert before.endswith(DRAFT_LINE)
    assert "three papers, chosen by its editor" in before
    assert publish_it(page)
    assert preview(page) == before.removeprefix(DRAFT_LINE).removesuffix(DRAFT_LINE).strip("\n")
    assert published_issue(ranked, newest).published == tuple(chosen[:3])
    assert published_issue(ranked, newest).ranking_id == shown.id
    assert f"lab {newest} · 3 papers" in page.success[0].value
    assert figures(page)["Last relevant paper"] == f"9 of {n_papers}"
    assert figures(page)["Read"] == f"{n_papers} of {n_papers}"
    assert not page.checkbox
    assert "published" in page.selectbox(key="issue").options[0]


def test_a_draft_follows_the_current_relevant_papers(ranked, newest, shown, chosen):
    order = (chosen[3], chosen[0])
    drafts.save_draft(ranked, Draft("lab", newest, order), person="editor")
    now = read_pending_publication(ranked, "lab", newest, shown)
    assert list(now.relevant) == [chosen[3], chosen[0], chosen[1], chosen[2]]
    assert now.to_publish == tuple(now.relevant)
    assert now.decisions(chosen, "yes", person="editor") == []
    assert {one.ranking_id for one in now.decisions(chosen, "no", person="editor")} == {shown.id}


def test_hostile_titles_are_text_on_the_page(ranked, newest, open_page):
    commit_import(ranked, [ListedPaper(Paper(f"h{n}", t), newest) for n, t in enumerate(HOSTILE)], person="import")
    decisions.decide(ranked, [Decision("lab", newest, f"h{n}", "yes", "editor") for n in range(len(HOSTILE))])
    page = open_page(ranked)
    assert not page.exception
    assert page.checkbox[0].label.startswith(r"1 · \<script\>document.title = 'owned'\</script\> Wages :gray")
    for title in HOSTILE:
        assert formulas_to_unicode(title) in preview(page).replace("\n    ", " ")
