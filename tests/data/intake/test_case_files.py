"""Files of real producers, imported one after the other."""

import datetime
from pathlib import Path

import pytest

from presort.data.importers.choices import Choices
from presort.data.importers.listings import read_listings
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportReport
from presort.data.store import Store
from tests.data.workspaces import FIRST, SECOND, THIRD, ids, make_listed, take_in

CASES = Path(__file__).parents[3] / ".." / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the shared case files are not here")


@pytest.fixture
def begun(store) -> Store:
    """Workspace after its first import, so that duplicates are searched."""
    take_in(store, [make_listed("p0", FIRST)])
    return store


def import_file(store: Store, name: str, issue: datetime.date) -> ImportReport:
    return commit_import(store, read_listings(CASES / name, Choices(issue)), person="files")


def test_running_numbers_of_another_week_mean_other_papers(begun):
    for name, issue in (("r18_week1.ris", SECOND), ("r18_week2.ris", THIRD)):
        report = import_file(begun, name, issue)
        assert (report.summary.new_listings, report.summary.updated_papers) == (2, 0)
    assert import_file(begun, "r18_week2.ris", THIRD).summary.new_papers == 0


@pytest.mark.parametrize(
    ("names", "n_listed"),
    [
        pytest.param(["r05_shared_url.ris"], 3, id="one-address"),
        pytest.param(["r07_same_words.ris"], 2, id="two-editorials"),
        pytest.param(["r02_na_doi.ris"], 2, id="no-doi"),
        pytest.param(["r19_part_i_ii.ris", "r19_part_i_ii_b.ris"], 2, id="two-parts"),
        pytest.param(["r21_markup.ris", "r21_plain.ris"], 1, id="with-and-without-markup"),
        pytest.param(["r16_markup.ris", "r21_plain.ris"], 1, id="with-and-without-doi"),
        pytest.param(["t12a.csv", "t12b.csv"], 1, id="article-and-preprint"),
    ],
)
def test_each_paper_is_listed_once(begun, names, n_listed):
    for _ in range(2):  # the second import finds nothing new
        for name in names:
            import_file(begun, name, SECOND)
        assert len(ids(begun, SECOND)) == n_listed
