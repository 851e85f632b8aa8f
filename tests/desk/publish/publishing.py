"""Actions and lookups for tests of the *Publish* page."""

from presort.data.editing import publications


def ticks(page):
    return [box.value for box in page.checkbox]


def preview(page):
    (text,) = page.code
    return text.value


def published_issue(store, day):
    return publications.published(store, "lab").get(day)


def maybe_buttons(page):
    return [button for button in page.button if (button.key or "").startswith("maybe-")]


def n_older(page):
    return sum((button.key or "").startswith("empty-") for button in page.button)


def publish_it(page, button="publish-it"):
    """Click the button, and confirm the dialog if there is one. Returns whether there was one."""
    page.button(key=button).click().run()
    if "publish-now" not in {one.key for one in page.button}:
        return False
    page.button(key="publish-now").click().run()
    assert not page.exception
    return True


def figures(page):
    """Return the value of each metric by its label."""
    return {metric.label: metric.value for metric in page.metric}


def warnings(page):
    return [warning.value for warning in page.warning]


def opened_page():
    """Texts that a page shows for a published issue."""
    from presort.data import catalogue
    from presort.desk.publish import publication
    from presort.desk.ui import cache
    from presort.desk.ui.report_choice import choose

    chosen = choose()
    publication.show(chosen, chosen.published_issue, catalogue.papers(cache.store(), chosen.issue))
