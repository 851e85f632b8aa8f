import json
import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pytest

from presort.data.errors import RefusedError
from presort.desk.replay import experiment, experiment_commands
from presort.desk.text import exact_text
from presort.metrics import MEASURES, Outcome, copnori_loss, ponori_loss
from presort.metrics.loss import as_decimal
from presort.ranker.experiment import Run
from presort.ranker.versions import RECIPES
from tests.desk.command_line import invoke

KRICHEL = RECIPES["krichel-2007"]
RUNS = [
    Run("lab", 2, np.array([1, 3], dtype=np.int32), 300, 900, 40),
    Run("lab", 1, np.array([1, 2, 299], dtype=np.int32), 300, 900, 39, "slow"),
    Run("lab", 3, np.array([1, 2], dtype=np.int32), 300, 900, 40),
    Run("mac", 1, np.array([2, 5, 9], dtype=np.int32), 300, 900, 30),
]


@pytest.fixture
def presort(store):
    def call(*words):
        return invoke(["--workspace", str(store.folder), "experiment", *map(str, words)])

    return call


def flat(text):
    return " ".join(text.split())


def test_every_run_is_measured_on_its_positions():
    table = experiment.score_runs(RUNS)
    assert table[["report", "run"]].to_numpy().tolist() == [["lab", 1], ["lab", 2], ["lab", 3], ["mac", 1]]
    by_key = {(run.report, run.number): run for run in RUNS}
    for row in table.itertuples():
        run = by_key[row.report, row.run]
        outcome = Outcome(run.positions, run.n_papers)
        for name in ("aselt", "lofop", "nosel", "copnori", "ponori"):
            assert getattr(row, name) == pytest.approx(MEASURES[name].compute(outcome))
        assert (row.copnori_gap, row.ponori_gap) == (float(copnori_loss(outcome)), float(ponori_loss(outcome)))
        assert (row.n_relevant, row.n_trained_on, row.n_trained_relevant) == (outcome.r, 900, run.n_trained_relevant)


def test_aselt_of_one_run_by_hand():
    assert experiment.score_runs(RUNS)["aselt"][1] == (300 + 1 - 2 * 2) / (300 - 2)


def test_summary_by_hand():
    table = experiment.score_runs(RUNS)
    summary = experiment.summarise(table).set_index(["measure", "report"])
    assert len(summary) == 10
    for name in experiment.TABLED:
        values = table.loc[table["report"] == "lab", name].to_list()
        row = summary.loc[(name, "lab")]
        assert (row["runs"], row["min"], row["max"]) == (3, min(values), max(values))
        assert row["mean"] == pytest.approx(sum(values) / 3)
        assert row["median"] == statistics.median(values)
        mean = sum(map(Fraction, values)) / 3
        assert row["deviation"] == pytest.approx(math.sqrt(sum((Fraction(x) - mean) ** 2 for x in values) / 2))
        assert math.isnan(summary.loc[(name, "mac"), "deviation"])


def test_deviations_of_values_near_1_are_those_of_the_exact_distances():
    close = [Run("lab", number, np.array([1, 2, 3 + number], dtype=np.int32), 300, 9, 3) for number in (1, 2)]
    table = experiment.score_runs(close)
    assert table["ponori"].tolist() == [1.0, 1.0]
    summary = experiment.summarise(table).set_index("measure")
    first, second = (ponori_loss(Outcome(run.positions, 300)) for run in close)
    assert summary.loc["ponori", "deviation"] == pytest.approx(float(second - first) / math.sqrt(2))
    assert 0 < summary.loc["ponori", "deviation"] < 1e-80


def test_a_run_in_which_all_are_relevant_is_left_out_of_the_figures():
    everything = Run("lab", 4, np.arange(1, 301, dtype=np.int32), 300, 900, 40)
    with_it, without = (experiment.summarise(experiment.score_runs(runs)) for runs in ([*RUNS, everything], RUNS))
    assert with_it.equals(without)


def test_plans_cover_the_whole_history_and_existing_reports(store):
    history, plans = experiment.plan(store, KRICHEL, n_runs=3, n_held_out=30)
    assert len(history.issues) == 8
    assert len(plans) == 12
    _, [one] = experiment.plan(store, KRICHEL, reports=["lab", "lab"], n_runs=3, n_held_out=30)
    assert [x.tolist() for x in one.held_out] == [
        x.tolist() for plan in plans if plan.report == "lab" for x in plan.held_out
    ]
    with pytest.raises(RefusedError, match="There is no report 'nobody'"):
        experiment.plan(store, KRICHEL, reports=["nobody"])


def test_an_empty_workspace_is_refused(empty_store):
    with pytest.raises(RefusedError, match="Import issues with past selections first"):
        experiment.plan(empty_store, KRICHEL)


def test_progress_counts_runs(store):
    history, plans = experiment.plan(store, KRICHEL, reports=["lab", "mac"], n_runs=2, n_held_out=30)
    done = []
    steps = list(experiment.follow_runs(KRICHEL, history, plans, done))
    assert [(x.done, x.total, x.report) for x in steps] == [(1, 4, "lab"), (2, 4, "lab"), (3, 4, "mac"), (4, 4, "mac")]
    assert [(run.report, run.number) for run in done] == [("lab", 1), ("lab", 2), ("mac", 1), ("mac", 2)]


OPTIONS = ["--ranker", "krichel-2007", "--held-out", 30, "--runs", 3, "--jobs", 1, "--report", "lab", "--report", "mac"]


def test_json_has_every_run_the_summary_and_left_out_reports(presort):
    result = presort(*OPTIONS, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert {name: found[name] for name in ("ranker", "runs_a_report", "held_out", "seed", "left_out")} == {
        **{"ranker": "krichel-2007", "runs_a_report": 3},
        **{"held_out": 30, "seed": 1, "left_out": {}},
    }
    assert [(run["report"], run["run"]) for run in found["runs"]] == [(x, n) for x in ("lab", "mac") for n in (1, 2, 3)]
    assert "does not predict weekly performance" in found["protocol"]
    for run in found["runs"]:
        outcome = Outcome(run["positions"], 30)
        assert run["copnori"] == pytest.approx(MEASURES["copnori"].compute(outcome))
        assert run["ponori_gap"] == float(ponori_loss(outcome))
    assert [(row["measure"], row["report"]) for row in found["summary"]] == [
        (name, report) for name in experiment.TABLED for report in ("lab", "mac")
    ]
    assert presort(*OPTIONS, "--json").stdout == result.stdout
    assert json.loads(presort(*OPTIONS, "--json", "--seed", 2).stdout)["runs"] != found["runs"]


def test_json_of_a_single_run_has_no_nan(presort):
    found = json.loads(presort(*OPTIONS, "--json", "--runs", 1).stdout, parse_constant=pytest.fail)
    assert {row["deviation"] for row in found["summary"]} == {None}


def test_tables_name_the_protocol_and_its_limits(presort):
    printed = flat(presort(*OPTIONS).stdout)
    assert printed.startswith("krichel-2007: 3 runs per report, 30 papers held out in each, seed 1.")
    for head in ("Aselt report mean min max deviation", "2-Ponori report median mean deviation lab"):
        assert head in printed
    assert "Protocol of Krichel (2007)" in printed
    assert "does not predict weekly performance; use 'presort replay'" in printed
    assert "including the features" in printed
    assert "Left out" not in printed


def test_only_the_best_order_reads_as_100_percent(capsys):
    close = [Run("lab", number, np.array([1, 2, 2 + number], dtype=np.int32), 300, 9, 3, "slow") for number in (1, 2)]
    experiment_commands.show(experiment.score_runs(close), [])
    lines = [re.split(r"  +", line.strip()) for line in capsys.readouterr().out.splitlines()]
    middle, extremes = (lines[place + 2] for place, line in enumerate(lines) if line == ["2-Ponori"])
    gap = ponori_loss(Outcome([1, 2, 4], 300))
    assert middle[1:3] == [exact_text([as_decimal(gap / 2)])] * 2
    assert extremes[1:] == [exact_text([as_decimal(gap)]), "100 %"]
    assert middle[1].startswith("100 % − ")  # noqa: RUF001
    assert middle[3] == f"{100 * float(gap) / math.sqrt(2):.1e} %"
    assert ["2 runs: slow"] in lines


def test_all_reports_left_out(presort):
    result = presort("--report", "lab", "--held-out", 5000)
    assert result.exit_code == 0, result.stderr
    assert "Left out: lab" in flat(result.stdout)
    assert "at least 5,003 are required to hold out 5,000" in flat(result.stdout)
    assert "Aselt" not in result.stdout
    found = json.loads(presort("--report", "lab", "--held-out", 5000, "--json").stdout)
    assert (found["runs"], found["summary"], list(found["left_out"])) == ([], [], ["lab"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        pytest.param(["--report", "nobody"], 1, "There is no report 'nobody'", id="unknown-report"),
        pytest.param(["--ranker", "none"], 2, "--ranker", id="unknown-ranker"),
        pytest.param(["--runs", 0], 2, "--runs", id="no-run"),
        pytest.param(["--held-out", 0], 2, "--held-out", id="nothing-held-out"),
        pytest.param(["--seed", -1], 2, "--seed", id="negative-seed"),
    ],
)
def test_wrong_calls_are_refused(presort, words, code, message):
    result = presort(*words)
    assert result.exit_code == code
    assert message in result.stderr
