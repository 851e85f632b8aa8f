"""Columns of a dropped table: guessed, chosen and remembered. Also a date column that may contain the issue."""

from datetime import date

from presort.data import catalogue
from presort.data.editing.preferences import MAX_VALUE, set_preference
from presort.data.records import Issue
from presort.desk.importing.columns import (
    COLUMNS_REMEMBERED,
    MOST_KEPT,
    NAME,
    NO_IDS,
    issue_column_text,
    missing_columns_text,
    store_mapping,
    stored_mapping,
)
from presort.desk.text import escape
from tests.desk.importing.dropping import box, drop, figures, keys, messages, press


def remembered(page):
    return COLUMNS_REMEMBERED in [shown.value for shown in page.caption]


def test_the_columns_of_a_table_are_guessed_and_can_be_chosen(open_import, empty_store):
    odd = "Nr;Überschrift;Wer\n1;Löhne;Ann Lee\n2;Geld;Bo Chen\n"
    page = drop(open_import(empty_store), ("odd.csv", odd)).run()
    assert page.warning[0].value == escape(missing_columns_text(["Title"]))
    assert page.dataframe[0].value["First paper"].tolist() == ["1", "Löhne", "Ann Lee"]
    for field, column in (("paper_id", "Nr"), ("title", "Überschrift"), ("authors", "Wer")):
        (box,) = [box for box in page.selectbox if box.key.startswith(f"column-{field}-")]
        box.set_value(column)
    page.run()
    assert not page.warning
    assert page.dataframe[0].value["Used as"].tolist() == ["Id", "Title", "Authors"]
    press(page, "import")
    (issue,) = catalogue.issues(empty_store)
    assert [paper.authors for paper in catalogue.papers(empty_store, issue.date)] == [("Ann Lee",), ("Bo Chen",)]


def test_a_table_without_ids_is_imported_and_its_papers_are_recognised_later(open_import, empty_store):
    table = "title,abstract,authors,year\nWages,We show.,Ann Lee,2026\nMoney,We ask.,Bo Chen,2026\n"
    page = drop(open_import(empty_store), ("week.csv", table)).run()
    assert not page.warning
    assert NO_IDS in [shown.value for shown in page.caption]
    press(page, "import")
    (issue,) = catalogue.issues(empty_store)
    wages, money = catalogue.papers(empty_store, issue.date)
    assert (wages.title, money.title) == ("Wages", "Money")
    assert wages.paper_id.startswith("title:") != money.paper_id
    again = drop(open_import(empty_store), ("week.csv", table.replace("Wages", "WAGES"))).run()
    assert (figures(again)["New"], figures(again)["Updated"]) == ("0", "1")


def test_a_found_column_is_kept_if_another_is_missing(open_import, empty_store):
    page = drop(open_import(empty_store), ("odd.csv", "Key,Überschrift,Author\n1,Löhne,Ann Lee\n")).run()
    assert {box.label: box.value for box in page.selectbox if box.value} == {"Id": "Key", "Authors": "Author"}


def test_a_column_chosen_for_one_field_is_removed_from_the_other(open_import, empty_store):
    page = drop(open_import(empty_store), ("odd.csv", "id,title,date\n1,Wages,2030-01-07\n")).run()
    boxes = {box.label: box for box in page.selectbox}
    assert boxes["Date"].value == "date"
    boxes["Issue"].set_value("date").run()
    assert {box.label: box.value for box in page.selectbox if box.value} == {
        "Id": "id",
        "Title": "title",
        "Issue": "date",
    }
    assert not page.warning


def test_dates_that_look_like_the_issue_are_used_by_one_click(open_import, empty_store):
    rows = "".join(f"x{n},Wages {n},{'2030-01-07' if n < 30 else '2030-01-14'}\n" for n in range(60))
    page = drop(open_import(empty_store), ("weeks.csv", f"id,title,date\n{rows}")).run()
    assert issue_column_text("date", 2) in messages(page)
    assert len(page.date_input) == 1
    (take,) = [button for button in page.button if button.label == "Use as Issue"]
    before = {one.key for one in page.selectbox}
    take.click().run()
    # New boxes: while a preview is polled, the browser may still send the old boxes' values, and undo the click.
    assert before.isdisjoint(one.key for one in page.selectbox)
    assert not [button for button in page.button if button.label == "Use as Issue"]
    assert (box(page, "Issue").value, box(page, "Date").value) == ("date", "")
    assert not page.date_input
    press(page, "import")
    assert catalogue.issues(empty_store) == [Issue(date(2030, 1, 7), 30), Issue(date(2030, 1, 14), 30)]


def test_chosen_columns_are_reused_for_the_next_file_with_these_headings(open_import, empty_store):
    page = drop(open_import(empty_store), ("one.csv", "Nr,Überschrift,issue\n1,Löhne,2030-01-07\n")).run()
    box(page, "Id").set_value("Nr")
    box(page, "Title").set_value("Überschrift").run()
    assert not remembered(page)
    press(page, "import")
    drop(page, ("two.csv", "issue,Überschrift,Nr\n2030-01-14,Geld,2\n")).run()
    assert remembered(page)
    assert "import" in keys(page)
    assert {label: box(page, label).value for label in ("Id", "Title", "Issue")} == {
        "Id": "Nr",
        "Title": "Überschrift",
        "Issue": "issue",
    }
    drop(page, ("three.csv", "Nr,Überschrift,issue,more\n3,Zins,2030-01-21,\n")).run()
    assert not remembered(page)
    assert "import" not in keys(page)


def test_choices_equal_to_the_guess_are_forgotten(open_import, empty_store):
    page = open_import(empty_store)
    for number, chosen, expected in ((1, "other", False), (2, "title", True), (3, "title", False)):
        drop(page, (f"{number}.csv", f"id,title,other,issue\n{number},Wages,Jobs,2030-01-07\n")).run()
        assert remembered(page) == expected
        box(page, "Title").set_value(chosen).run()
        press(page, "import")


def test_few_column_choices_are_stored_and_invalid_ones_ignored(empty_store):
    for number in range(MOST_KEPT + 1):
        store_mapping(empty_store, "ann", ["a" * 300, str(number)], {"title": "a" * 300})
    kept = [stored_mapping(empty_store, "ann", [str(number), "a" * 300]) for number in range(MOST_KEPT + 1)]
    assert kept == [None] + [{"title": "a" * 300}] * MOST_KEPT
    store_mapping(empty_store, "ann", ["b"], {"title": "b" * (MAX_VALUE - 200)})
    assert stored_mapping(empty_store, "ann", ["b"]) is not None
    assert stored_mapping(empty_store, "ann", ["a" * 300, str(MOST_KEPT)]) is None
    assert stored_mapping(empty_store, "ben", ["b"]) is None
    for other in ('[["b"]]', '{"x": {"colour": "red"}}'):
        set_preference(empty_store, "ann", NAME, other)
        assert stored_mapping(empty_store, "ann", ["b"]) is None
