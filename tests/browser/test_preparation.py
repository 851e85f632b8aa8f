"""Service with past issues from files: stop advice is prepared while the first list is open, and then appears."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.editing import decisions
from presort.data.intake.commit_import import commit_import
from presort.data.learning.tokens import keep_tokens
from presort.data.running.service import set_rankers
from presort.data.store import open_store
from presort.desk.review import preparation
from presort.desk.service import workflow
from presort.desk.session.stop_advice import AWAITED
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.versions import RECIPES
from tests.browser.conftest import serving
from tests.browser.reviewing import open_review, press, wait_until_saved

FAST = "krichel-2007"
LONG = 240_000  # milliseconds: a worker starts and ranks about sixty small lists


@pytest.fixture
def imported(tmp_path):
    """Workspace after an import, with the newest issue ranked for one report."""
    with closing(open_store(tmp_path / "workspace")) as store:
        commit_import(store, make_world(seed=3, n_issues=8, papers_per_issue=40).listings, person="import")
        keep_tokens(store, tokenise, TOKENISATION)
        set_rankers(store, FAST, [], person="Ann")
        list(workflow.rank(store, [RECIPES[FAST]], reports=["lab"]))
        yield store


def test_advice_is_prepared_during_reading_and_then_shown_automatically(page, imported):
    with serving(imported.folder, sorts=True) as address:
        open_review(page, address, "lab")
        expect(page.get_by_text("Preparing stop advice").first).to_be_visible()
        expect(page.get_by_text(AWAITED).first).to_be_visible()
        press(page, "y")
        wait_until_saved(page)
        expect(page.get_by_text(preparation.ADVICE_READY)).to_be_visible(timeout=LONG)
        expect(page.get_by_text(re.compile("stop near|you can stop|read to the end")).first).to_be_visible()
        expect(page.get_by_text(AWAITED)).to_have_count(0)
        newest = catalogue.issues(imported)[-1].date
        assert list(decisions.labels(imported, "lab", newest).values()) == ["yes"], "what was decided meanwhile stays"
