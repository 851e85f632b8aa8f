"""Tables that a phone scrolls sideways: which report or ranker a row is of stays in sight."""

import json

import pytest

MANY = 5  # columns, which a phone can't show beside each other


def overview():
    from desk.overview import page

    page.show()


def report():
    from desk.report import page

    page.show()


def natural_order():
    from desk.natural_order import page

    page.show()


def manage():
    from desk.manage import page

    page.show()


@pytest.mark.parametrize("page", [overview, report, natural_order, manage])
def test_the_first_column_of_a_wide_table_stays_in_sight(page, replayed, open_page):
    shown = open_page(page, replayed)
    assert not shown.exception
    wide = [table.proto for table in shown.dataframe if len(table.proto.column_order or table.value.columns) >= MANY]
    assert wide
    for one in wide:
        assert any(column.get("pinned") for column in json.loads(one.columns).values()), one.columns
