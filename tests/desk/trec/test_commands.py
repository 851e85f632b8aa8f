import csv
import io
import json
from pathlib import Path

import pytest

from presort.desk.trec.scores import SAME, STANDARD
from presort.metrics import MEASURES
from tests.desk.trec.files import QRELS, RUN, SCORES, good_run, needs_shared, shared, write

CALL = ("score", "run.trec", "qrels.trec")


def test_score_shows_every_measure_and_the_few_topics(presort):
    printed = presort("score", "run.trec", "qrels.trec").stdout
    assert printed.startswith("run.trec against qrels.trec: 2 topics, 5 papers returned, 3 of 3 relevant papers")
    lines = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line}
    assert lines["measure"] == ["mean", "median", "topics", "1", "2"]
    assert lines["AP"] == ["1.0000", "1.0000", "2", "1.0000", "1.0000"]
    assert {*STANDARD, *MEASURES} - SAME.keys() <= lines.keys()
    assert "sorted by descending ID as in trec_eval: 1 paper." in printed
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
@pytest.mark.parametrize("measure", ["P(rel=2)@3", "ponori", "search_length"])
def test_score_by_some_measures_only(presort, form, measure):
    result = presort(*CALL, "--measure", measure, "--measure", "nDCG@7", *form)
    assert result.exit_code == 0
    assert measure in result.stdout
    assert "nDCG@7" in result.stdout
    assert not any(f"{name} " in result.stdout for name in {*STANDARD, *MEASURES} - {measure, "nDCG"})


@needs_shared
def test_score_of_a_trec_run_fits_a_terminal_and_names_undefined_measures(presort):
    printed = presort("score", *shared("run.trec", "qrels.trec")).stdout
    assert max(map(len, printed.splitlines())) <= 80
    flat = " ".join(printed.split())
    assert "3 topics, 1,500 papers returned, 131 of 561 relevant papers found" in flat
    assert "430 relevant papers not returned, in 2 topics (301, 302): nan for" in flat
    assert "AP 0.1785 0.0858 3 0.0324 0.4175 0.0858" in flat
    assert "last_relevant_position 107.0000 107.0000 1 nan nan 107.0000" in flat
    assert "copnori 100 % −" in flat  # noqa: RUF001


@needs_shared
def test_a_collection_size_ranks_unreturned_papers_last(presort):
    result = presort("score", *shared("run.trec", "qrels.trec"), "--collection-size", 528_155, "--json")
    scored = json.loads(result.stdout)
    assert scored["collection_size"] == 528_155
    assert [scored["topics"][topic]["last_relevant_position"] for topic in ("301", "302", "303")] == [
        528_155,
        528_155,
        107,
    ]
    assert scored["n_topics"]["nosel"] == 3
    printed = presort("score", *shared("run.trec", "qrels.trec"), "--collection-size", 528_155).stdout
    assert max(map(len, printed.splitlines())) <= 80
    assert "last_relevant_position 352,139 528,155 3 relative" in " ".join(printed.split())
    assert "in 2 topics (301, 302): put last among 528,155." in " ".join(printed.split())


def test_values_that_round_to_1_are_written_exactly(presort):
    """In any column, neither the best order of one topic nor a bad one of another hides it."""
    good_run("t", {1: 40, 2: 10})
    write("qrels.trec", "".join(f"{topic} 0 r{number} 1\n" for topic in (1, 2) for number in range(10)))
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    exact = "Closer to 1 than the table can show: ponori 100 % − 3.9e-169 (mean, median), ponori 100 % − 7.9e-169 (1)"  # noqa: RUF001
    assert exact in flat
    write("t.trec", Path("t.trec").read_text() + "3 Q0 r0 2 0 t\n3 Q0 n0 1 1 t\n")
    write("qrels.trec", Path("qrels.trec").read_text() + "3 0 r0 1\n")
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    assert "copnori 0.3333 1.0000 3 1.0000 1.0000 -1.0000" in flat
    assert "Closer to 1 than the table can show: ponori 100 % − 7.9e-169 (median, 1), copnori" in flat  # noqa: RUF001


def test_the_best_order_is_not_nearer_to_1_than_shown(presort):
    write("qrels.trec", "1 0 a 1\n2 0 a 1\n")
    flat = " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())
    assert "copnori 1.0000 1.0000 2 1.0000 1.0000" in flat
    assert "Closer to 1" not in flat


def test_the_median_is_written_exactly_where_the_mean_is_not_near_1(presort):
    good_run("t", dict.fromkeys(range(12), 20))
    bad = "".join(f"12 Q0 {paper} 0 {place} t\n" for place, paper in enumerate(("r0", "n0")))
    write("t.trec", Path("t.trec").read_text() + bad)
    relevant = [(topic, f"r{number}") for topic in range(12) for number in range(10)]
    write("qrels.trec", "".join(f"{topic} 0 {paper} 1\n" for topic, paper in [*relevant, (12, "r0")]))
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    assert "Closer to 1 than the table can show: ponori 100 % − 7.5e-175 (median), copnori" in flat  # noqa: RUF001


def test_score_as_json(presort):
    write("run.trec", RUN + "3 Q0 a 1 1 mine\n5 Q0 a 1 1 mine\n")
    write("qrels.trec", QRELS + "2 0 z 1\n3 0 a 0\n4 0 a 1\n")
    scored = json.loads(presort("score", "run.trec", "qrels.trec", "--json").stdout)
    assert scored["run"] == "mine"
    assert list(scored["topics"]) == ["1", "2", "3"]
    assert scored["topics"]["1"]["AP"] == scored["mean"]["RR"] == 1
    assert scored["topics"]["2"]["AP"] == 0.5
    assert scored["topics"]["2"]["nosel"] is None
    assert scored["topics"]["3"]["AP"] is None
    assert scored["mean"]["AP"] == scored["median"]["AP"] == 0.75
    assert (scored["n_topics"]["AP"], scored["n_topics"]["nosel"]) == (2, 1)
    assert scored["n_tied"] == 1
    assert scored["never_returned"] == {"2": 1}
    assert scored["nothing_relevant"] == ["3"]
    assert (scored["only_in_run"], scored["only_in_qrels"]) == (["5"], ["4"])


def test_left_out_topics_are_reported(presort):
    write("run.trec", RUN + "3 Q0 a 1 1 mine\n5 Q0 a 1 1 mine\n")
    write("qrels.trec", QRELS + "3 0 a 0\n" + "".join(f"{topic} 0 a 1\n" for topic in range(60, 70)))
    printed = " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())
    assert "No relevant paper in 1 topic (3): nan (0 in trec_eval)." in printed
    assert "Judged but not in the run: 10 topics (60, 61, 62, 63 and 6 more), left out of the means" in printed
    assert "In the run but not judged: 1 topic (5), left out." in printed


def test_score_as_csv(presort):
    write("qrels.trec", QRELS + "2 0 z 1\n")
    rows = list(csv.DictReader(io.StringIO(presort("score", "run.trec", "qrels.trec", "--csv").stdout)))
    assert [row["topic"] for row in rows] == ["1", "2"]
    assert [float(row["AP"]) for row in rows] == [1, 0.5]
    assert [row["last_relevant_position"] for row in rows] == ["2.0", ""]


def test_csv_has_the_topics_of_json(presort):
    write("run.trec", RUN + "=3 Q0 a 1 1 mine\n=3 Q0 b 1 2 mine\n")
    write("qrels.trec", QRELS + "=3 0 a 1\n")
    rows = {row["topic"]: row for row in csv.DictReader(io.StringIO(presort(*CALL, "--csv").stdout))}
    scored = json.loads(presort(*CALL, "--json").stdout)
    assert list(rows) == ["1", "2", "'=3"]
    for topic, scores in scored["topics"].items():
        for name, value in scores.items():
            cell = rows[topic.replace("=", "'=")][name]
            assert (float(cell) if cell else None) == pytest.approx(value), (topic, name)
    assert scored["mean"]["AP"] != scored["median"]["AP"]


def test_names_from_files_are_escaped_in_csv_and_terminal(presort):
    write("run.trec", "=1+1 Q0 a 1 1 t\n[red]x[/b] Q0 a 1 1 t\n")
    write("qrels.trec", "=1+1 0 a 1\n[red]x[/b] 0 a 1\n")
    rows = presort("score", "run.trec", "qrels.trec", "--csv").stdout.splitlines()
    assert rows[1].startswith("'=1+1,")
    write("qrels.trec", "=1+1 0 a 1\n[red]x[/b] 0 a 0\n")
    assert "1 topic ([red]x[/b])" in presort("score", "run.trec", "qrels.trec").stdout


def test_a_topic_may_have_any_name(presort):
    write("run.trec", "mean Q0 a 1 1 t\nall Q0 a 1 1 t\n")
    write("qrels.trec", "mean 0 a 1\nall 0 a 1\n")
    assert presort("score", "run.trec", "qrels.trec").exit_code == 0
    assert json.loads(presort("score", "run.trec", "qrels.trec", "--json").stdout)["topics"]["mean"]["AP"] == 1


def test_many_topics_are_summarised_in_the_terminal(presort):
    write("run.trec", "".join(f"{topic} Q0 a 1 1 t\n" for topic in range(10)))
    write("qrels.trec", "".join(f"{topic} 0 a 1\n" for topic in range(10)))
    assert "measure mean median topics AP" in " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())


def test_topics_with_long_names_are_only_summarised(presort):
    write("run.trec", f"{'long' * 10} Q0 a 1 1 t\n")
    write("qrels.trec", f"{'long' * 10} 0 a 1\n")
    assert "measure mean median topics AP" in " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["score", "run.trec"], "QRELS", id="no-qrels"),
        pytest.param(["score", "run.trec", "qrels.trec", "--json", "--csv"], "one of --json and --csv", id="two-kinds"),
        pytest.param(["score", "run.trec", "qrels.trec", "--collection-size", "0"], "collection-size", id="size-0"),
        pytest.param(
            ["score", "run.trec", "qrels.trec", "--collection-size", "2"],
            "run.trec: collection_size must be 3 or more",
            id="size-too-small",
        ),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--collection-size", "2"],
            "run.trec: collection_size must be 3 or more",
            id="size-too-small-for-a-run",
        ),
        pytest.param(
            ["compare", "scores.csv", "--collection-size", "9"],
            "can't be used with a table of scores",
            id="size-of-table",
        ),
        pytest.param(["compare"], "Missing argument", id="nothing-to-compare"),
        pytest.param(["compare", "run.trec", "qrels.trec"], "needs at least two runs", id="one-run"),
        pytest.param(["compare", "run.trec", "run.trec", "qrels.trec"], "contains the same run twice", id="run-twice"),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--measure", "AUC"],
            "got 'AUC'",
            id="AUC",
        ),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--rows", "systems"], "table of scores", id="rows"
        ),
        pytest.param(["compare", "scores.csv", "--rows", "papers"], "papers", id="rows-are-neither"),
        pytest.param(["compare", "scores.csv", "--measure", "AP"], "only with runs", id="measure-for-a-table"),
    ],
)
def test_a_wrong_call_exits_2_and_names_what_is_wrong(presort, words, message):
    result = presort(*words)
    assert result.exit_code == 2
    plain = " ".join(result.stderr.replace("│", " ").split())
    assert message in plain


@pytest.mark.parametrize(
    ("files", "words", "message"),
    [
        pytest.param({}, ["score", "nowhere", "qrels.trec"], "nowhere: can't be read: No such file", id="no-file"),
        pytest.param({}, ["score", ".", "qrels.trec"], ".: can't be read: Is a directory", id="folder"),
        pytest.param(
            {"run.trec": RUN + "3 Q0 a 1 high t\n"},
            ["score", "run.trec", "qrels.trec"],
            "run.trec, line 6: score 'high' is not a finite number; use a format such as 12.5 or -3e-2",
            id="score",
        ),
        pytest.param(
            {},
            ["score", "qrels.trec", "run.trec"],
            "run.trec, line 1: expected 4 fields (topic iteration paper judgement), found 6; is this a run?",
            id="exchanged",
        ),
        pytest.param(
            {"qrels.trec": "x1 0 a 1\n"},
            ["score", "run.trec", "qrels.trec"],
            "run.trec: has none of the topics of qrels.trec: its topics are like '1', not 'x1'",
            id="no-common-topic",
        ),
        pytest.param(
            {"qrels.trec": QRELS.replace("2 0 a", "3 0 a").replace("2 0 b", "3 0 b")},
            ["compare", "run.trec", "other.trec", "qrels.trec"],
            "qrels.trec: 1 of 2 topics has scores for every system on every measure (AP, P@10, R@100); "
            "at least 2 are needed",
            id="one-common-topic",
        ),
        pytest.param(
            {"scores.csv": SCORES.replace("0.4", "?")},
            ["compare", "scores.csv"],
            "scores.csv, row 4, column old: '?' is not a number",
            id="bad-cell",
        ),
        pytest.param(
            {"scores.csv": SCORES.replace("0.4", "").replace("0.1", "nan")},
            ["compare", "scores.csv"],
            "scores.csv: 1 of 3 topics has scores for every system on every measure (score); at least 2 are needed",
            id="missing-cells",
        ),
    ],
)
def test_an_error_outside_the_program_exits_1_with_one_line(presort, files, words, message):
    for name, content in files.items():
        write(name, content)
    result = presort(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"presort: {message}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
