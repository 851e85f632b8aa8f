"""Unknown values in the page address: the address stays unchanged, and the page offers the valid values."""

import pytest

from presort.data import catalogue


def review_page():
    from presort.desk.review import page

    page.show()


def publish_page():
    from presort.desk.publish import page

    page.show()


def report_page():
    from presort.desk.report import page

    page.show()


def week_page():
    from presort.desk.week import page

    page.show()


def address(page, name):
    return "".join(page.query_params[name])  # a list of one, or an address written by a page


def messages(page):
    return [text.value.replace("\\", "") for text in page.warning]


@pytest.mark.parametrize("shown", [review_page, publish_page, report_page])
def test_an_unknown_report_is_reported_and_the_address_stays(ranked, newest, open_page, shown):
    page = open_page(shown, ranked, report="n*pe", issue="1999-01-01")
    assert not page.exception
    assert messages(page) == ["There is no report n*pe."]
    assert (address(page, "report"), address(page, "issue")) == ("n*pe", "1999-01-01")
    assert [box.value for box in page.selectbox] == [None]


def test_another_choice_opens_the_page(ranked, ranked_workspace, newest, open_page):
    page = open_page(publish_page, ranked, report="nope", issue="1999-01-01")
    page.selectbox(key="instead-of-report").select("mac").run()
    assert messages(page) == ["There is no issue 1999-01-01."]
    assert (address(page, "report"), address(page, "issue")) == ("mac", "1999-01-01")
    page.selectbox(key="instead-of-issue").select(newest).run()
    assert not [text for text in messages(page) if "There is no" in text]
    assert (page.selectbox(key="report").value, page.selectbox(key="issue").value) == ("mac", newest)
    assert address(page, "issue") == str(newest)


def test_this_week_reports_an_unknown_report_too(ranked, open_page):
    page = open_page(week_page, ranked, only="nope")
    assert messages(page) == ["There is no report nope."]
    page.selectbox(key="instead-of-only").select("lab").run()
    assert page.selectbox(key="only").value == "lab"


def test_a_retired_report_is_reported_as_such(ranked, open_page):
    catalogue.retire_report(ranked, "lab")
    assert messages(open_page(review_page, ranked, report="lab")) == ["Report lab is retired."]
