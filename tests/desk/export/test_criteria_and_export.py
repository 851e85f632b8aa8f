"""Criteria of a report on screen, and export of the papers that the list shows."""

import csv
from io import BytesIO, StringIO

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, notes
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.editing.read_papers import add_draw
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, Draw, ListedPaper, Note, Paper
from presort.desk.export.formats import FORMATS, GROUPS, PaperList
from presort.desk.export.rows import ListView, exported_papers, file_name, view_text
from presort.desk.service import workflow
from presort.desk.session.progress import ReviewContext, shown_order
from tests.desk.fields import field

RANKER = "krichel-2007"


def criteria_page():
    from presort.desk.review import criteria as criteria_box

    criteria_box.show("lab")


def export_page():
    from datetime import date

    import streamlit as st

    from presort.data import catalogue
    from presort.desk.export.rows import ListView
    from presort.desk.review import menu
    from presort.desk.session.progress import ReviewContext, shown_order
    from presort.desk.ui import cache

    papers = catalogue.papers(cache.store(), day := date(2026, 11, 16))
    context = ReviewContext("lab", day, papers, None, shown_order(None, len(papers)), None)
    st.session_state.setdefault("shown", ListView("list", "yes", "__wage__"))
    menu.draw_export(context, lambda: st.session_state["shown"])


# ---- criteria


def test_criteria_not_written_yet_invite_to_write(store, open_page):
    page = open_page(criteria_page, store)
    assert not page.exception
    assert any(text.value.startswith("Describe which papers belong to this report") for text in page.markdown)
    field(page, "criteria-lab").set_value("Wages.\n\nNo *theory* alone.")
    page.button(key="save-criteria-lab").click().run()
    assert criteria(store, "lab").text == "Wages.\n\nNo *theory* alone."
    assert [text.value for text in page.text] == ["Wages.\n\nNo *theory* alone."]
    assert page.markdown[0].value.startswith(":small[this desk, 20")
    assert not page.text_area


def test_criteria_are_changed_by_an_edit(store, open_page):
    set_criteria(store, "lab", "Wages.", person="Ann_B")
    page = open_page(criteria_page, store)
    assert page.markdown[0].value.startswith(r":small[Ann\_B, 20")
    page.button(key="edit-criteria-lab").click().run()
    assert field(page, "criteria-lab").value == "Wages."
    field(page, "criteria-lab").set_value("Wages and hours.")
    page.button(key="save-criteria-lab").click().run()
    assert (criteria(store, "lab").text, criteria(store, "lab").person) == ("Wages and hours.", "editor")
    assert [text.value for text in page.text] == ["Wages and hours."]


@pytest.mark.parametrize("before", ["Wages.", ""])
def test_an_edit_does_not_replace_criteria_that_somebody_else_saved_meanwhile(store, open_page, before):
    if before:
        set_criteria(store, "lab", before, person="Ann")
    page = open_page(criteria_page, store)
    if before:
        page.button(key="edit-criteria-lab").click().run()
    set_criteria(store, "lab", "Prices.", person="Bo")
    page.run()
    field(page, "criteria-lab").set_value("Hours.")
    page.button(key="save-criteria-lab").click().run()
    assert "changed in the meantime" in page.error[0].value
    assert field(page, "criteria-lab").value == "Hours."
    assert criteria(store, "lab").text == "Prices."
    page.button(key="cancel-criteria-lab").click().run()
    assert [text.value for text in page.text] == ["Prices."]


def test_an_edit_can_be_cancelled(store, open_page):
    set_criteria(store, "lab", "Wages.", person="Ann")
    page = open_page(criteria_page, store)
    page.button(key="edit-criteria-lab").click().run()
    field(page, "criteria-lab").set_value("Prices.")
    page.button(key="cancel-criteria-lab").click().run()
    assert criteria(store, "lab").text == "Wages."
    page.button(key="edit-criteria-lab").click().run()
    assert field(page, "criteria-lab").value == "Wages."


def test_removed_criteria_invite_to_write_again(store, open_page):
    set_criteria(store, "lab", "Wages.", person="Ann")
    page = open_page(criteria_page, store)
    page.button(key="edit-criteria-lab").click().run()
    field(page, "criteria-lab").set_value(" ")
    page.button(key="save-criteria-lab").click().run()
    assert criteria(store, "lab").text == ""
    assert field(page, "criteria-lab").value == ""


def test_criteria_that_are_too_long_are_reported_and_stay_in_the_field(store, open_page):
    page = open_page(criteria_page, store)
    field(page, "criteria-lab").set_value("w" * 5_001)
    page.button(key="save-criteria-lab").click().run()
    assert "The criteria can have at most 5,000 characters" in page.error[0].value
    assert len(field(page, "criteria-lab").value) == 5_001
    assert criteria(store, "lab") is None


# ---- shown papers as rows


@pytest.fixture
def context(ranked, newest):
    papers = catalogue.papers(ranked, newest)
    shown = rankings.newest_rankings(ranked, "lab", newest)[RANKER]
    return ReviewContext("lab", newest, papers, shown, shown_order(shown, len(papers)), None)


def in_order(context):
    return [context.papers[position - 1] for position in context.order.tolist()]


def decide(store, context, places, word, about="relevant"):
    ids = [in_order(context)[place - 1].paper_id for place in places]
    decisions.decide(store, [Decision(context.report, context.issue, one, word, "Ann", about=about) for one in ids])


def places(rows):
    return [row.place for row in rows]


def test_the_whole_list_as_presorted_has_places_and_scores(ranked, context):
    rows = exported_papers(ranked, context, ListView())
    assert [row.paper for row in rows] == in_order(context)
    assert places(rows) == list(range(1, len(context.papers) + 1))
    assert [row.score for row in rows] == context.shown.ranking.scores.tolist()
    assert {(row.report, row.issue, row.label, row.published, row.tags, row.note) for row in rows} == {
        ("lab", context.issue, "undecided", False, (), "")
    }


def test_the_order_received_has_no_scores(ranked, context):
    rows = exported_papers(ranked, context, ListView("list"))
    assert [row.paper for row in rows] == context.papers
    assert {row.score for row in rows} == {None}


def test_a_list_that_is_not_sorted_has_no_scores(ranked, context):
    plain = ReviewContext("lab", context.issue, context.papers, None, shown_order(None, len(context.papers)), None)
    assert exported_papers(ranked, plain, ListView("presort")) == exported_papers(ranked, plain, ListView("list"))
    assert {row.score for row in exported_papers(ranked, plain, ListView())} == {None}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [("yes", [2, 5]), ("maybe", [3]), ("no", [9]), ("drawn", [])],
)
def test_a_filter_leaves_the_places_as_they_are(ranked, context, chosen, expected):
    decide(ranked, context, [5, 2], "yes")
    decide(ranked, context, [3], "maybe")
    decide(ranked, context, [9], "no")
    assert places(exported_papers(ranked, context, ListView(filter=chosen))) == expected
    undecided = places(exported_papers(ranked, context, ListView(filter="undecided")))
    assert undecided == [place for place in range(1, len(context.papers) + 1) if place not in (2, 3, 5, 9)]


def test_the_spot_check_filter_shows_the_papers_of_all_spot_checks(ranked, context):
    order, ranking = context.order.tolist(), context.shown.id
    for one in (Draw(ranking, 1, 9, order[20:22]), Draw(ranking, 2, 9, [order[8], order[6]])):
        add_draw(ranked, context.report, context.issue, one, person="ada")
    decide(ranked, context, [7], "no")
    assert places(exported_papers(ranked, context, ListView(filter="drawn"))) == [7, 9, 21, 22]


@pytest.fixture
def searchable(empty_store, newest):
    papers = [
        Paper("a", "Minimum Wages", "We study Zürich.", ("Ada Lovelace",)),
        Paper("b", "Wages", "Hours in the\nminimum.", ("B. Max",), ("J31",), "Wages series"),
        Paper("c", "Prices of $K_3$", "", ("Max Ada", "Lovelace Bo")),
    ]
    commit_import(empty_store, [ListedPaper(paper, newest, ("lab",)) for paper in papers], person="import")
    return empty_store, ReviewContext("lab", newest, papers, None, shown_order(None, 3), None)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", "abc", id="nothing"),
        pytest.param("  ", "abc", id="blank"),
        pytest.param("WAGE", "ab", id="whatever-the-case"),
        pytest.param("minimum wage", "a", id="several-words-are-a-phrase-if-any-paper-has-it"),
        pytest.param("wages  minimum", "ab", id="in-any-order"),
        pytest.param("zürich ada", "a", id="beyond-ascii-and-an-author"),
        pytest.param("lovelace ada", "ac", id="else-words-anywhere"),
        pytest.param("max", "bc", id="author"),
        pytest.param("series", "", id="series-is-not-searched"),
        pytest.param("J31", "", id="codes-are-not-searched"),
        pytest.param("w.ges", "", id="no-pattern"),
        pytest.param('"ada lovelace"', "a", id="quoted-phrase"),
        pytest.param("“the minimum” max", "b", id="phrase-across-lines-and-a-word"),
        pytest.param('"minimum w', "a", id="unclosed-quote"),
        pytest.param('""', "abc", id="nothing-in-quotes"),
        pytest.param("k3", "c", id="formula-as-displayed"),
        pytest.param("$k_3$", "c", id="formula-source"),
    ],
)
def test_a_paper_matches_if_it_contains_all_parts_of_the_query(searchable, query, expected):
    store, context = searchable
    assert "".join(row.paper.paper_id for row in exported_papers(store, context, ListView(query=query))) == expected


def test_a_paper_is_found_by_its_id_and_by_its_tags(empty_store, newest):
    papers = [Paper("repec:x:12", "Wages"), Paper("repec:x:13", "Wages")]
    commit_import(empty_store, [ListedPaper(paper, newest, ("lab",)) for paper in papers], person="import")
    context = ReviewContext("lab", newest, papers, None, shown_order(None, 2), None)
    notes.add_notes(empty_store, [Note("lab", newest, "repec:x:12", "tag", "Citation impact", "ada")])
    assert places(exported_papers(empty_store, context, ListView(query="wages RePEc:x:13"))) == [2]
    assert places(exported_papers(empty_store, context, ListView(query='wages "citation IMPACT"'))) == [1]


def test_filter_and_query_both_count(ranked, context):
    decide(ranked, context, [1, 2, 3, 4], "yes")
    word = in_order(context)[1].title.split()[0]
    rows = exported_papers(ranked, context, ListView(filter="yes", query=word))
    assert 2 in places(rows)
    assert all(row.place < 5 and word.lower() in f"{row.paper.title} {row.paper.abstract}".lower() for row in rows)


def test_the_export_has_publication_tags_and_notes(ranked, context):
    decide(ranked, context, [1, 4], "yes")
    decide(ranked, context, [2], "maybe")
    decide(ranked, context, [4], "no", about="publish")
    first = in_order(context)[0].paper_id
    entries = [("tag", "survey"), ("tag", "=1+1"), ("note", "Good.\nLong.")]
    notes.add_notes(ranked, [Note("lab", context.issue, first, kind, text, "Ann") for kind, text in entries])
    rows = exported_papers(ranked, context, ListView())
    assert [(row.label, row.published) for row in rows[:5]] == [
        ("yes", True),
        ("maybe", False),
        ("undecided", False),
        ("yes", False),
        ("undecided", False),
    ]
    assert (rows[0].tags, rows[0].note) == (("survey", "=1+1"), "Good.\nLong.")
    assert exported_papers(ranked, context, ListView(tag="survey")) == rows[:1]
    assert exported_papers(ranked, context, ListView(tag="sur")) == []


def test_published_papers_are_marked_as_published(ranked, context):
    decide(ranked, context, [1, 4], "yes")
    decide(ranked, context, [4], "no", about="publish")
    workflow.publish_report_issue(ranked, "lab", context.issue, context.shown, person="Ann")
    assert places([row for row in exported_papers(ranked, context, ListView()) if row.published]) == [1]


def test_imported_selections_were_published(searchable):
    store, context = searchable
    assert all(row.label == "yes" and row.published for row in exported_papers(store, context, ListView()))


# ---- files


def written(rows, ending):
    (kind,) = (one for one in FORMATS.values() if one.ending == ending)
    file = BytesIO()
    kind.write(PaperList(rows, "Labour, 2026-11-16"), file)
    return file.getvalue()


def test_csv_starts_no_formula_and_opens_in_excel(searchable):
    store, context = searchable
    notes.add_notes(store, [Note("lab", context.issue, "a", "tag", "=1+1", "Ann")])
    content = written(exported_papers(store, context, ListView()), "csv")
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))
    assert [(row["paper_id"], row["tags"]) for row in rows] == [("a", "'=1+1"), ("b", ""), ("c", "")]


@pytest.mark.parametrize(
    ("ending", "start", "of_each"),
    [
        ("ris", b"TY  - GEN", b"TY  - "),
        ("bib", b"@misc{a,", b"@misc"),
        ("md", b"# Labour, 2026-11-16\n\n1. Minimum Wages\\\n", b"\n\n"),
        ("rdf", b"Template-Type: ReDIF-Paper 1.0\n", b"Template-Type"),
        ("xml", b"<?xml", b"</text>"),
        ("json", b"[\n", b'"source": "Presort"'),
        ("parquet", b"PAR1", b""),
    ],
)
def test_other_formats(searchable, ending, start, of_each):
    store, context = searchable
    content = written(exported_papers(store, context, ListView()), ending)
    assert content.startswith(start)
    assert not of_each or content.count(of_each) - (ending == "md") == 3


@pytest.mark.parametrize(
    ("report", "shown", "expected"),
    [
        pytest.param("lab", ListView(), "lab-2026-11-16-all.csv", id="all"),
        pytest.param("cs.AR", ListView("list", "yes"), "cs.AR-2026-11-16-relevant.csv", id="relevant"),
        pytest.param("lab", ListView(filter="drawn", query=" x "), "lab-2026-11-16-drawn-found.csv", id="searched"),
        pytest.param("lab", ListView(tag="data"), "lab-2026-11-16-all-found.csv", id="tagged"),
        pytest.param("../../etc/passwd", ListView(), "etc-passwd-2026-11-16-all.csv", id="a-path"),
        pytest.param('a"\r\nb: c\\d', ListView(), "a-b-c-d-2026-11-16-all.csv", id="a-header"),
        pytest.param("Ökonomie", ListView(), "konomie-2026-11-16-all.csv", id="beyond-ascii"),
        pytest.param("经济", ListView(), "report-2026-11-16-all.csv", id="nothing-safe"),
    ],
)
def test_the_file_name_describes_the_content(newest, report, shown, expected):
    assert file_name(report, newest, shown, "csv") == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (ListView(), "all papers, presorted."),
        (ListView("list", "no"), "papers that are not relevant, in list order."),
        (ListView(filter="drawn"), "papers drawn at random, presorted."),
        (ListView(filter="undecided", query="a  b"), "undecided papers with 'a b', presorted."),
    ],
)
def test_the_selection_is_described_in_words(shown, expected):
    assert view_text(shown).endswith(expected)


# ---- the dialog


def test_the_box_offers_all_formats_in_groups(store, open_page):
    page = open_page(export_page, store)
    assert not page.exception
    assert [button.label for button in page.download_button] == [
        f"Download {label}" for label in ("CSV", "Markdown", "RIS", "BibTeX", "CSL-JSON", "ReDIF", "AMF", "Parquet")
    ]
    assert [caption.value for caption in page.caption][:3] == list(GROUPS.values())
    assert r"relevant papers with '\_\_wage\_\_', in list order." in page.markdown[0].value
