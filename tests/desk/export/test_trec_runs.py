"""Export of rankings and decisions as TREC files: `presort score` computes the same figures as the app."""

import json
from datetime import date

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import ListedPaper, Paper
from presort.data.store import open_store
from presort.desk.scores import table as scores_table
from presort.desk.service import workflow
from presort.desk.trec.scores import OURS, SAME, STANDARD
from presort.metrics import read_qrels, read_run
from presort.ranker.versions import RECIPES
from tests.data.workspaces import make_ranking
from tests.desk.command_line import invoke

NAMES = ["krichel-2007", "arxiv-sanity"]


def call(store, *words):
    return invoke(["--workspace", str(store.folder), *map(str, words)])


@pytest.fixture(scope="module")
def replayed(tmp_path_factory, listings):
    """All issues but the newest, replayed by two rankers. The first reports had too little training data at first."""
    store = open_store(tmp_path_factory.mktemp("trec") / "workspace")
    commit_import(store, listings, person="import")
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES[name] for name in NAMES]
    list(workflow.replay(store, recipes, first=days[0], last=days[-2], retrain_every=2))
    yield store
    store.close()


def scored_by_command(folder, ranker):
    result = invoke(["score", str(folder / f"{ranker}.run"), str(folder / "qrels.txt"), "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def assert_same_figures(folder, table, ranker):
    """Compare every measure of every report issue with the app's value, to 12 digits."""
    scored = scored_by_command(folder, ranker)
    mine = table[table["ranker"] == ranker]
    topics = [f"{report}.{issue:%Y-%m-%d}" for report, issue in zip(mine["report"], mine["issue"], strict=True)]
    assert list(scored["topics"]) == sorted(topics)
    assert scored["only_in_run"] == []
    assert (scored["n_tied"], scored["never_returned"]) == (0, {})
    theirs = pd.DataFrame.from_dict(scored["topics"], orient="index", dtype=float).loc[topics]
    for measure in scores_table.MEASURED:
        name = SAME.get(measure, measure)
        assert name in (*OURS, *STANDARD)
        np.testing.assert_allclose(theirs[name], mine[measure], rtol=1e-12, atol=0, err_msg=name)


def test_every_measure_equals_that_of_the_app(replayed, tmp_path):
    result = call(replayed, "export-trec", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    table = scores_table.scores(replayed)
    assert not table["is_trained"].all()
    assert table["is_trained"].any()
    n = len(table) // 2
    assert f"krichel-2007: {n} topics\n" in result.stdout
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        "arxiv-sanity.run",
        "krichel-2007.run",
        "qrels.txt",
    ]
    for ranker in NAMES:
        assert_same_figures(tmp_path / "out", table, ranker)


def test_runs_keep_the_order_and_judgements_the_relevant_papers(replayed, tmp_path):
    call(replayed, "export-trec", tmp_path / "out")
    qrels = read_qrels(tmp_path / "out" / "qrels.txt")
    for ranker in NAMES:
        run = read_run(tmp_path / "out" / f"{ranker}.run")
        assert run.tag == ranker
        for one in scores_table.official_rankings(replayed):
            if one.ranker == ranker:
                topic = f"{one.report}.{one.issue}"
                papers = catalogue.papers(replayed, one.issue)
                order = rankings.ranking(replayed, one.ranking_id).ranking.positions
                assert list(run[topic]) == [papers[position - 1].paper_id for position in order]
                assert len(qrels[topic]) == one.n_papers
                assert sum(qrels[topic].values()) == len(one.places)


def test_export_of_selected_reports_issues_and_rankers(replayed, tmp_path):
    day = catalogue.issues(replayed)[3].date
    words = ["--replay", 1, "--from", day, "--to", day, "--report", "lab", "--report", "mac", "--ranker", NAMES[0]]
    assert call(replayed, "export-trec", tmp_path / "out", *words).exit_code == 0
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["krichel-2007.run", "qrels.txt"]
    assert list(read_qrels(tmp_path / "out" / "qrels.txt")) == [f"lab.{day}", f"mac.{day}"]


def test_only_a_new_or_an_empty_folder_is_written_to(replayed, tmp_path):
    (tmp_path / "empty").mkdir()
    assert call(replayed, "export-trec", tmp_path / "empty").exit_code == 0
    before = {one.name: one.read_bytes() for one in (tmp_path / "empty").iterdir()}
    for folder in ("empty", "empty/qrels.txt"):
        result = call(replayed, "export-trec", tmp_path / folder)
        assert result.exit_code == 1
        assert "already exists and is not empty. Choose a new or empty folder." in result.stderr
    assert {one.name: one.read_bytes() for one in (tmp_path / "empty").iterdir()} == before
    result = call(replayed, "export-trec", tmp_path / "no" / "folder")
    assert (result.exit_code, result.stderr.endswith(": No such file or directory.\n")) == (1, True)


def test_ties_late_papers_and_ids_with_spaces(empty_store, tmp_path):
    """Tied papers are in list order, which is the reverse of the order of ids here.

    Two papers were added after the ranking.
    """
    day = date(2026, 11, 2)

    def listed(paper_id, *reports):
        return ListedPaper(Paper(paper_id, "Wages"), day, reports)

    ids = ["a 1", "a 2", "a%203", "b", "a 3", "c"]
    commit_import(empty_store, [listed(one, *["lab"] * (one == "a%203")) for one in ids[:4]], person="import")
    scores = [0.5, 0.25, 0.25, 0.25 - 1e-12]
    rankings.add_rankings(empty_store, [make_ranking("lab", day, order=(2, 1, 3, 4), scores=scores)])
    commit_import(empty_store, [listed("a 3", "lab"), listed("c")], person="import")
    workflow.score(empty_store)
    table = scores_table.scores(empty_store)
    assert table["outcome"].tolist()[0].positions.tolist() == [3, 5]
    assert call(empty_store, "export-trec", tmp_path / "out").exit_code == 0
    assert_same_figures(tmp_path / "out", table, "krichel-2007")
    run = read_run(tmp_path / "out" / "krichel-2007.run")[f"lab.{day}"]
    assert list(run) == ["a%202", "a%201", "a%25203", "b", "a%203", "c"]
