"""Actions and lookups for tests of the *Manage* page."""


def page_of_manage():
    from presort.desk.manage import page

    page.show()


def press(page, key):
    """Press a button of the page or its dialog. Fails if the page shows an error."""
    page.button(key=key).click().run()
    assert not page.exception
    assert not page.error
    return page


def refused(page, key):
    """Press a button and return the error that the dialog shows."""
    page.button(key=key).click().run()
    assert not page.exception
    return page.error[0].value.replace("\\", "")


def pick(page, name, row):
    """Select a row of a table through the session state, because `AppTest` can't click rows."""
    times = page.session_state[f"picked-{name}"]
    selection = {"rows": [row], "columns": [], "cells": []}
    page.session_state[f"frame-{name}-{times}"] = {"selection": selection}
    page.run()
    assert not page.exception
    return page
