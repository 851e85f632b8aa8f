"""What a test sees on the page Publish."""

from presort.data.editing import publications


def ticks(page):
    return [box.value for box in page.checkbox]


def page_texts(page):
    return " ".join(text.value for text in [*page.success, *page.markdown])


def preview(page):
    (text,) = page.code
    return text.value


def published_issue(store, day):
    return publications.published(store, "lab").get(day)


def maybe_buttons(page):
    return [button for button in page.button if (button.key or "").startswith("maybe-")]


def older_says(page):
    return [text.value for text in page.markdown if str(text.value).startswith("An older issue")]


def opened_page():
    """What a page shows of an issue that has gone out."""
    from presort.data import catalogue
    from presort.desk.publish import published
    from presort.desk.ui import cache
    from presort.desk.ui.report_choice import choose

    chosen = choose()
    published.show(chosen, chosen.published_issue, catalogue.papers(cache.store(), chosen.issue))
