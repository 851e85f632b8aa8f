"""The *Measures* page in `AppTest`, and the tables behind it."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from presort.data.records import Identity, Role
from presort.data.running import accounts, roles
from presort.desk.access import SignIn
from presort.desk.measures import tables
from presort.desk.measures.tables import constraints, meta_evaluation, scores_by_measure
from presort.desk.scores import table as scores_table
from presort.desk.ui import cache, visitor
from presort.metrics import MEASURES, Outcome, check_constraints, robustness, score, strictness

OURS = [MEASURES[name].label for name in scores_table.MEASURED]


def measures_page():
    from presort.desk.measures import page as measures

    measures.show()


@pytest.fixture(scope="module")
def findings():
    return constraints()


def test_measures_lists_every_measure(open_page, empty_store):
    page = open_page(measures_page, empty_store)
    assert page.table[0].value["Measure"].tolist() == [measure.label for measure in MEASURES.values()]
    assert len(page.latex) == 0  # until it is opened
    for name in MEASURES:
        page.session_state[f"measure-{name}"] = True
    page.run()
    assert [formula.value.strip("$\n") for formula in page.latex] == [measure.formula for measure in MEASURES.values()]
    for measure, example in zip(MEASURES.values(), page.code, strict=True):
        assert example.value.endswith(f"{measure.worked} = {measure.example_value():.4g}")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        pytest.param("Average precision", {"deepness threshold", "confidence"}, id="AP"),
        pytest.param("nDCG", {"deepness threshold", "confidence"}, id="nDCG"),
        pytest.param("Precision of the first 10", {"priority", "deepness", "confidence"}, id="P@10"),
        pytest.param("RR", {"priority", "closeness threshold", "confidence"}, id="reciprocal-rank"),
        pytest.param("F of Reliability and Sensitivity, whole list", set(), id="F(R,S)-at-30"),
    ],
)
def test_verdicts_of_the_source(findings, label, expected):
    """MEASURES, section 2, meta-evaluation. RR fails priority, too, see the tests of `check_constraints`."""
    assert {name for name, finding in findings[label].items() if not finding.holds} == expected


def test_measures_of_the_first_papers_break_at_their_cut(findings):
    deepness = findings["F of Reliability and Sensitivity of the first 30"]["deepness"]
    assert deepness.case == "one relevant paper of 100: loss from position 29 to 30 over loss from 30 to 31"


def test_measures_of_the_whole_list_satisfy_priority(findings):
    keeps = {label for label in OURS if findings[label]["priority"].holds}
    assert keeps == {MEASURES[name].label for name in scores_table.MEASURED} - {
        "Last relevant position",
        "Relative last position",
        "Search length",
        "Precision at the last relevant",
        "Nosel",
        "Sensitivity of the first 30",
    }


def test_a_measure_of_a_whole_list_is_tested_unchanged(findings):
    """With Aselt, relevant papers that were not returned count as directly below the list."""

    def aselt(flags, n_relevant):
        found = [position for position, flag in enumerate(flags, start=1) if flag]
        n = len(flags) + n_relevant - len(found)
        return MEASURES["aselt"].compute(Outcome([*found, *range(len(flags) + 1, n + 1)], n))

    assert repr(findings["Aselt"]) == repr(check_constraints(aselt, "ranking"))  # NaN is not equal to itself


def test_the_page_shows_the_constraints_and_a_case_on_request(open_page, empty_store, findings):
    page = open_page(measures_page, empty_store)
    assert not page.exception
    shown = page.dataframe[0].value.set_index("Measure")
    assert shown.index.to_list() == list(findings)
    for label, found in findings.items():
        assert [text == "satisfied" for text in shown.loc[label, list(found)]] == [one.holds for one in found.values()]
    page.selectbox(key="constraints-of").set_value("Nosel").run(timeout=30)
    assert "*priority*: violated by ■□ over □■, 2 relevant" in " ".join(text.value for text in page.markdown)
    assert page.info[0].value.startswith("No figures yet")


def made_up(rankers=("a", "b", "c"), n_issues=12, n_papers=200, seed=0):
    """Return a synthetic result of `presort.desk.scores.table.scores`."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2026-01-05", periods=n_issues, freq="7D")
    keys = [("lab", day, ranker) for day in days for ranker in rankers]
    outcomes = [Outcome(np.sort(rng.choice(n_papers, 4, replace=False)) + 1, n_papers) for _ in keys]
    table = pd.DataFrame(keys, columns=["report", "issue", "ranker"])
    described = table.assign(outcome=outcomes, n_papers=n_papers, n_relevant=4)
    return pd.concat([described, score(outcomes)], axis="columns")


@pytest.mark.parametrize(
    "measure", [name for name in scores_table.MEASURED if MEASURES[name].natural_order != "strict"]
)
def test_figures_equal_those_of_the_library(measure):
    table, rankers = made_up(), ["a", "b", "c"]
    judged = meta_evaluation(scores_by_measure(table, rankers)).set_index("measure")
    by_hand = {}
    for name in scores_table.MEASURED:
        values = table.pivot_table(name, "issue", "ranker").to_numpy()
        by_hand[name] = values if MEASURES[name].higher_is_better else -values
    assert judged.loc[measure, "robustness"] == robustness(by_hand, measure)
    assert judged.loc[measure, "strictness"] == strictness(by_hand, measure)
    assert judged.loc[measure, "n_strict"] == 12


@pytest.mark.parametrize("measure", ["copnori", "ponori", "nosel_copnori"])
def test_orders_that_round_to_100_percent_are_not_tied(measure):
    """In lists of 3,000 papers, all relevant papers but one are first.

    All floats are 1, so the natural order decides.
    """
    outcomes = [Outcome([*range(1, 21), last], 3_000) for day in range(2) for last in (21, 22, 24)]
    days = pd.to_datetime(["2026-01-05"] * 3 + ["2026-01-12"] * 3)
    keys = pd.DataFrame({"report": "lab", "issue": days, "ranker": list("abc") * 2})
    described = keys.assign(outcome=outcomes, n_papers=3_000, n_relevant=21)
    table = pd.concat([described, score(outcomes)], axis="columns")
    assert set(table["copnori"]) == {1.0}
    scores = scores_by_measure(table, ["a", "b", "c"])
    assert scores[measure].argsort(axis=1).tolist() == [[2, 1, 0]] * 2
    assert meta_evaluation(scores).set_index("measure").loc[measure, "robustness"] == pytest.approx(1)


def test_a_strict_measure_for_which_lower_is_better_has_the_levels_of_other_strict_measures(monkeypatch):
    expected = scores_by_measure(made_up(), ["a", "b", "c"])["copnori"]
    lower = replace(MEASURES["copnori"], higher_is_better=False)
    monkeypatch.setitem(tables.MEASURES, "copnori", lower)
    assert scores_by_measure(made_up(), ["a", "b", "c"])["copnori"].tolist() == expected.tolist()


def test_the_page_judges_measures_by_the_rankings_of_the_service(open_page, replayed):
    page = open_page(measures_page, replayed)
    assert not page.exception
    expected = meta_evaluation(scores_by_measure(scores_table.scores(replayed), ["arxiv-sanity", "krichel-2007"]))
    shown = page.dataframe[1].value
    assert shown["measure"].to_list() == OURS
    pd.testing.assert_frame_equal(shown.drop(columns="measure"), expected.drop(columns="measure"))
    assert any("strictness is at its minimum" in caption.value for caption in page.caption)
    page.multiselect(key="rankers").set_value(["krichel-2007"]).run(timeout=30)
    assert page.info[0].value == "Choose at least two rankers."


def test_one_ranker_cannot_judge_measures(open_page, finished):
    page = open_page(measures_page, finished)
    assert not page.exception
    assert "Only one ranker has ranked lists" in page.info[0].value


@pytest.mark.parametrize("kept", [0, 1])
def test_too_few_shared_report_issues(open_page, replayed, monkeypatch, kept):
    scored = scores_table.scores(replayed)
    scored = scored[scored["n_relevant"] > 0]
    days = [day for day, rows in scored.groupby("issue") if (rows["report"] == "lab").sum() == 2][:kept]
    is_kept = (scored["ranker"] == "krichel-2007") | (scored["issue"].isin(days) & (scored["report"] == "lab"))
    monkeypatch.setattr(cache, "all_scores", lambda replay: scored[is_kept])
    if not kept:  # both rankers, but of different issues
        apart = pd.concat(
            [scored[scored["ranker"] == name].iloc[[n]] for n, name in enumerate(scored["ranker"].unique())]
        )
        monkeypatch.setattr(cache, "all_scores", lambda replay: apart)
    page = open_page(measures_page, replayed)
    assert not page.exception
    assert f"These rankers have {kept} report issue" in page.info[0].value


def test_users_see_figures_of_their_own_reports_only(open_page, replayed, monkeypatch):
    scored = scores_table.scores(replayed)
    rankers, of_vic = sorted(scored["ranker"].unique()), scored[scored["report"] == "lab"]
    for role in (Role("Dora", "director"), Role("Vic", "viewer", "lab")):
        roles.grant(replayed, role, person="manage")
        account = Identity("https://id.example.org", role.person)
        accounts.accept(replayed, accounts.invite(replayed, role.person, person="manage"), account)
    monkeypatch.setattr(visitor, "must_sign_in", lambda: True)
    for name, seen in (("Dora", scored), ("Vic", of_vic), ("Dora", scored)):
        account = Identity("https://id.example.org", name)
        monkeypatch.setattr(visitor, "sign_in", lambda account=account: SignIn(account, datetime.now(UTC)))
        page = open_page(measures_page, replayed)
        assert not page.exception
        expected = meta_evaluation(scores_by_measure(seen, rankers))
        pd.testing.assert_frame_equal(page.dataframe[1].value.drop(columns="measure"), expected.drop(columns="measure"))
