"""Real papers, if the corpus is available: all are imported, a repetition changes nothing, and memory stays small."""

import json
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.store import open_store
from presort.data.text.prose import prose
from tests.data.forks import run
from tests.data.workspaces import CORPUS

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus of real papers in {CORPUS}")

NEWEST = {"arxiv": 4, "nber": 24}  # issues: two or three thousand papers, staged in two chunks
MEMORY = 400 * 1024  # KiB; half of it is used before anything is read
IMPORT_TWICE = """
import json, resource, sys
from dataclasses import asdict
from pathlib import Path
from presort.data.importers.listings import read_listings
from presort.data.intake.commit_import import commit_import
from presort.data.store import open_store
from presort.data.text.prose import prose

store = open_store(Path(sys.argv[1]))
counts = [asdict(commit_import(store, read_listings(Path(sys.argv[2])), person="files").summary) for _ in range(2)]
store.close()
print(json.dumps({"counts": counts, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


@dataclass(frozen=True)
class Imported:
    """The newest issues as read by pandas, and the output and result of importing them twice in a separate process."""

    rows: pd.DataFrame
    workspace: Path
    first: dict[str, int]
    again: dict[str, int]
    peak: int  # KiB


@pytest.fixture(scope="module", params=["arxiv", "nber"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    folder = tmp_path_factory.mktemp(request.param)
    path, workspace = folder / "newest.parquet", folder / "workspace"
    papers = pq.read_table(CORPUS / f"{request.param}.parquet")
    issues = pc.unique(papers["issue"]).sort("descending")
    pq.write_table(papers.filter(pc.is_in(papers["issue"], issues[: NEWEST[request.param]])), path)
    done = run(IMPORT_TWICE, workspace, path)
    assert done.code == 0, done.errors
    answer = json.loads(done.output)
    rows = pd.read_parquet(path, columns=["paper_id", "title", "issue", "reports"])
    return Imported(rows, workspace, *answer["counts"], answer["peak"])


def selections(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each paper and report that selected it."""
    single = rows.assign(report=rows["reports"].str.split(";")).explode("report")
    single["report"] = single["report"].str.strip()
    return single[single["report"].fillna("") != ""].drop_duplicates(["issue", "paper_id", "report"])


def plain(title: str) -> str:
    """Return a title without control characters, without TeX outside of formulas, and with single spaces."""
    return prose(" ".join("".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in title).split()))


@pytest.mark.whole
def test_the_corpus_is_imported_completely(imported):
    selected = selections(imported.rows)
    assert imported.first == {
        "listings": len(imported.rows),
        "new_issues": imported.rows["issue"].nunique(),
        "new_papers": imported.rows["paper_id"].nunique(),
        "updated_papers": 0,
        "new_listings": len(imported.rows),
        "new_reports": selected["report"].nunique(),
        "new_selections": len(selected),
        "selections_left": 0,
        "matched": 0,
    }


def test_a_second_import_changes_nothing(imported):
    assert imported.again == dict.fromkeys(imported.first, 0) | {"listings": len(imported.rows)}


def test_memory_stays_small(imported):
    assert imported.peak < MEMORY


def test_the_stored_papers_equal_the_file(imported):
    store = open_store(imported.workspace)
    days = imported.rows.groupby(imported.rows["issue"].astype(str))
    assert {str(issue.date): issue.n_papers for issue in catalogue.issues(store)} == days.size().to_dict()
    assert decisions.n_relevant(store) == selections(imported.rows)["report"].value_counts().to_dict()
    for day in (min(days.groups), max(days.groups)):
        papers = catalogue.papers(store, date.fromisoformat(day))
        assert [paper.paper_id for paper in papers] == days.get_group(day)["paper_id"].tolist()
        assert [paper.title for paper in papers] == [plain(title) for title in days.get_group(day)["title"]]
    store.close()


@pytest.mark.parametrize("imported", ["arxiv"], indirect=True)
def test_the_known_numbers_of_arxiv(imported):
    names = ("new_papers", "new_issues", "new_reports", "new_selections")
    assert [imported.first[name] for name in names] == [3_587, 4, 65, 4_963]
