import csv
import io
import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from desk import paired_tests
from desk.cli import app
from desk.printing import out
from desk.trec_scores import STANDARD
from metrics import MEASURES

SHARED = Path(__file__).parents[2] / ".." / "shared" / "reference"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared reference files are not here")
RUN = "1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n1 Q0 c 3 2 mine\n2 Q0 a 1 1 mine\n2 Q0 b 2 0.5 mine\n"
OTHER = "1 Q0 b 1 3 theirs\n1 Q0 a 2 2 theirs\n1 Q0 c 3 1 theirs\n2 Q0 b 1 1 theirs\n2 Q0 a 2 0.5 theirs\n"
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 0\n"
CALL = ("score", "run.trec", "qrels.trec")
SCORES = "topic,old,new\n1,0.1,0.3\n2,0.2,0.2\n3,0.4,0.5\n"

runner = CliRunner()


@pytest.fixture
def presort(tmp_path, monkeypatch):
    """Call the command line in a folder with small files; a workspace must not appear there."""
    files = {"run.trec": RUN, "other.trec": OTHER, "qrels.trec": QRELS, "scores.csv": SCORES}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "width", 80)

    def call(*words):
        result = runner.invoke(app, [str(word) for word in words])
        assert not (tmp_path / "workspace").exists()
        return result

    return call


def shared(*names):
    return [SHARED / name for name in names]


def write(name, content):
    Path(name).write_text(content, encoding="utf-8")


def test_score_shows_every_measure_and_the_few_topics(presort):
    printed = presort("score", "run.trec", "qrels.trec").stdout
    assert printed.startswith("run.trec against qrels.trec: 2 topics, 5 papers returned, 3 of 3 relevant ones")
    lines = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line}
    assert lines["measure"] == ["mean", "median", "topics", "1", "2"]
    assert lines["AP"] == ["1.0000", "1.0000", "2", "1.0000", "1.0000"]
    assert {*STANDARD, *MEASURES} - {"average_precision"} <= lines.keys()
    assert "put by descending id as in trec_eval: 1 paper." in printed
    assert max(map(len, printed.splitlines())) <= 80


@needs_shared
def test_score_of_the_run_of_trec_fits_a_terminal_and_says_what_is_not_known(presort):
    printed = presort("score", *shared("run.trec", "qrels.trec")).stdout
    assert max(map(len, printed.splitlines())) <= 80
    flat = " ".join(printed.split())
    assert "3 topics, 1,500 papers returned, 131 of 561 relevant ones among them" in flat
    assert "430 relevant papers never returned, in 2 topics (301, 302): nan where" in flat
    assert "AP 0.1785 0.0858 3 0.0324 0.4175 0.0858" in flat
    assert "last_relevant_position 107.0000 107.0000 1 nan nan 107.0000" in flat
    assert "copnori 100 % −" in flat  # noqa: RUF001


@needs_shared
def test_a_collection_size_puts_what_was_never_returned_last(presort):
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
    assert "in 2 topics (301, 302): taken for the last of 528,155." in " ".join(printed.split())


def test_what_reads_as_1_but_is_not_is_written_exactly(presort):
    """In whatever column: neither the best order of one topic nor a bad one of another hides it."""
    good_run("t", {1: 40, 2: 10})
    write("qrels.trec", "".join(f"{topic} 0 r{number} 1\n" for topic in (1, 2) for number in range(10)))
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    exact = "Nearer to 1 than the table can show: ponori 100 % − 3.9e-169 (mean, median), ponori 100 % − 7.9e-169 (1)"  # noqa: RUF001
    assert exact in flat
    write("t.trec", Path("t.trec").read_text() + "3 Q0 r0 2 0 t\n3 Q0 n0 1 1 t\n")
    write("qrels.trec", Path("qrels.trec").read_text() + "3 0 r0 1\n")
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    assert "copnori 0.3333 1.0000 3 1.0000 1.0000 -1.0000" in flat
    assert "Nearer to 1 than the table can show: ponori 100 % − 7.9e-169 (median, 1), copnori" in flat  # noqa: RUF001


def test_the_best_order_is_not_nearer_to_1_than_shown(presort):
    write("qrels.trec", "1 0 a 1\n2 0 a 1\n")
    flat = " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())
    assert "copnori 1.0000 1.0000 2 1.0000 1.0000" in flat
    assert "Nearer to 1" not in flat


def test_the_median_is_written_exactly_where_the_mean_is_not_near_1(presort):
    good_run("t", dict.fromkeys(range(12), 20))
    bad = "".join(f"12 Q0 {paper} 0 {place} t\n" for place, paper in enumerate(("r0", "n0")))
    write("t.trec", Path("t.trec").read_text() + bad)
    relevant = [(topic, f"r{number}") for topic in range(12) for number in range(10)]
    write("qrels.trec", "".join(f"{topic} 0 {paper} 1\n" for topic, paper in [*relevant, (12, "r0")]))
    flat = " ".join(presort("score", "t.trec", "qrels.trec").stdout.split())
    assert "Nearer to 1 than the table can show: ponori 100 % − 7.5e-175 (median), copnori" in flat  # noqa: RUF001


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


def test_what_is_left_out_is_said(presort):
    write("run.trec", RUN + "3 Q0 a 1 1 mine\n5 Q0 a 1 1 mine\n")
    write("qrels.trec", QRELS + "3 0 a 0\n" + "".join(f"{topic} 0 a 1\n" for topic in range(60, 70)))
    printed = " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())
    assert "Nothing relevant in 1 topic (3): nan; trec_eval says 0." in printed
    assert "Judged, but not in the run: 10 topics (60, 61, 62, 63 and 6 more), left out of the means" in printed
    assert "In the run, but never judged: 1 topic (5), left out." in printed


def test_score_as_csv(presort):
    write("qrels.trec", QRELS + "2 0 z 1\n")
    rows = list(csv.DictReader(io.StringIO(presort("score", "run.trec", "qrels.trec", "--csv").stdout)))
    assert [row["topic"] for row in rows] == ["1", "2", "mean", "median", "n_topics"]
    assert [float(row["AP"]) for row in rows] == [1, 0.5, 0.75, 0.75, 2]
    assert [row["last_relevant_position"] for row in rows] == ["2.0", "", "2.0", "2.0", "1.0"]


def test_the_rows_of_csv_are_the_sums_of_json(presort):
    write("run.trec", RUN + "=3 Q0 a 1 1 mine\n=3 Q0 b 1 2 mine\n")
    write("qrels.trec", QRELS + "=3 0 a 1\n")
    rows = {row["topic"]: row for row in csv.DictReader(io.StringIO(presort(*CALL, "--csv").stdout))}
    scored = json.loads(presort(*CALL, "--json").stdout)
    assert list(rows)[:3] == ["1", "2", "'=3"]
    for row in ("mean", "median", "n_topics"):
        for name, value in scored[row].items():
            cell = rows[row][name]
            assert (float(cell) if cell else None) == pytest.approx(value), (row, name)
    assert rows["mean"]["AP"] != rows["median"]["AP"]


def test_csv_and_terminal_are_safe_from_what_a_file_says(presort):
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


def test_many_topics_are_summed_up_in_the_terminal(presort):
    write("run.trec", "".join(f"{topic} Q0 a 1 1 t\n" for topic in range(10)))
    write("qrels.trec", "".join(f"{topic} 0 a 1\n" for topic in range(10)))
    assert "measure mean median topics AP" in " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())


def test_topics_of_long_names_have_no_room(presort):
    write("run.trec", f"{'long' * 10} Q0 a 1 1 t\n")
    write("qrels.trec", f"{'long' * 10} 0 a 1\n")
    assert "measure mean median topics AP" in " ".join(presort("score", "run.trec", "qrels.trec").stdout.split())


def test_compare_runs(presort):
    printed = presort("compare", "run.trec", "other.trec", "qrels.trec").stdout
    assert printed.startswith("2 systems on 2 topics by AP, P@10, R@100.")
    assert max(map(len, printed.splitlines())) <= 80
    for heading in ("Unanimous improvement", "Paired tests by AP", "Paired tests by R@100", "Systems and topics by AP"):
        assert heading in printed
    compared = json.loads(presort("compare", "run.trec", "other.trec", "qrels.trec", "--json").stdout)
    assert compared["measures"] == ["AP", "P@10", "R@100"]
    first, second = compared["systems"]
    assert (first["system"], first["improves"], first["reference"]) == ("mine", ["theirs"], None)
    assert (second["system"], second["reference"], second["reference_uir"]) == ("theirs", "mine", 1)
    assert compared["uir"]["theirs"]["mine"] == -1
    (test,) = compared["tests"]["AP"]
    assert (test["system"], test["other"], test["wilcoxon"], test["permutation"]) == ("mine", "theirs", 0.5, 0.5)
    assert [topic["topic"] for topic in compared["systems_topics"]["topics"]] == ["1", "2"]


def test_compare_by_other_measures_turns_those_of_which_lower_is_better(presort):
    words = ["compare", "run.trec", "other.trec", "qrels.trec"]
    measures = ["--measure", "search_length", "--measure", "nosel", "--measure", "nosel"]
    compared = json.loads(presort(*words, *measures, "--json").stdout)
    assert compared["measures"] == ["search_length", "nosel"]
    assert [system["system"] for system in compared["systems"]] == ["mine", "theirs"]
    assert [system["search_length"] for system in compared["systems"]] == [0, -1]
    assert compared["with_minus_sign"] == ["search_length"]
    assert [system["mean_f"] for system in compared["systems"]] == [None, None]  # the perfect one would have 0
    flat = " ".join(presort(*words, *measures).stdout.split())
    assert "With a minus sign, so that higher is better everywhere, and without F: search_length." in flat
    assert "system search_length nosel improves reference UIR mine 0.0000 1.0000 1 - - theirs" in flat


def good_run(tag, last):
    """Put 9 of 10 relevant papers first and the tenth at this place of 610, another for each topic."""
    lines = []
    for topic, place in last.items():
        papers = [f"r{number}" for number in range(9)] + [f"n{number}" for number in range(600)]
        papers.insert(place - 1, "r9")
        lines += [f"{topic} Q0 {paper} 0 {-rank} {tag}\n" for rank, paper in enumerate(papers)]
    write(f"{tag}.trec", "".join(lines))


def test_compare_tells_orders_apart_whose_values_round_to_1(presort):
    good_run("good", {1: 20, 2: 20, 3: 30})
    good_run("worse", {1: 40, 2: 40, 3: 50})
    write("qrels.trec", "".join(f"{topic} 0 r{number} 1\n" for topic in (1, 2, 3) for number in range(10)))
    words = ["compare", "worse.trec", "good.trec", "qrels.trec", "--measure", "ponori", "--measure", "copnori"]
    compared = json.loads(presort(*words, "--json").stdout)
    assert compared["by_place"] == compared["with_minus_sign"] == ["ponori", "copnori"]
    assert compared["uir"]["good"]["worse"] == 1
    best, _ = compared["systems"]
    places = [1.5, 1.5, 3, 4.5, 4.5, 6]  # good before worse, on each topic and among all
    assert (best["system"], best["ponori"]) == ("good", -sum(places[:3]) / 3)
    assert best["mean_f"] is None
    for measure in ("ponori", "copnori"):
        (test,) = compared["tests"][measure]
        assert (test["difference"], test["permutation"]) == (3, 0.25)
    printed = " ".join(presort(*words).stdout.split())
    assert "1.0000" not in printed.split("Paired tests")[0]
    assert "By place among all 6 exact scores, from 1, the best, as values of different orders round to 1" in printed
    assert "everywhere, and without F: ponori, copnori." in printed


def test_compare_puts_what_was_never_returned_last_in_a_collection(presort):
    write("qrels.trec", QRELS + "1 0 z 1\n2 0 z 1\n")
    words = ["compare", "run.trec", "other.trec", "qrels.trec", "--measure", "nosel", "--measure", "copnori"]
    failed = presort(*words)
    assert failed.exit_code == 1
    assert "'presort score' says where one is missing and what --collection-size does" in failed.stderr
    compared = json.loads(presort(*words, "--collection-size", 10, "--json").stdout)
    assert (compared["collection_size"], compared["n_topics"]) == (10, 2)
    assert [system["system"] for system in compared["systems"]] == ["mine", "theirs"]
    for system in compared["systems"]:
        assert system["nosel"] == pytest.approx(-(1 / 3 + 1 / 2) / 2)  # the last of 10 is relevant in both
    assert compared["uir"]["mine"]["theirs"] == 1  # by Copnori: mine has the others earlier


def test_topics_that_lack_a_score_are_left_out_and_said(presort):
    write("other.trec", OTHER + "3 Q0 a 1 1 theirs\n")
    write("qrels.trec", QRELS + "3 0 a 1\n")
    words = ["compare", "run.trec", "other.trec", "qrels.trec"]
    assert json.loads(presort(*words, "--json").stdout)["left_out"] == ["3"]
    assert "Left out, as not every system has every score there: 1 topic (3)." in presort(*words).stdout


def test_runs_of_the_same_tag_go_by_their_files(presort):
    write("other.trec", OTHER.replace("theirs", "mine"))
    compared = json.loads(presort("compare", "run.trec", "other.trec", "qrels.trec", "--json").stdout)
    assert [system["system"] for system in compared["systems"]] == ["run.trec", "other.trec"]
    Path("sub").mkdir()
    write("sub/run.trec", OTHER.replace("theirs", "mine"))
    compared = json.loads(presort("compare", "run.trec", "sub/run.trec", "qrels.trec", "--json").stdout)
    assert {system["system"] for system in compared["systems"]} == {"run.trec", str(Path("sub/run.trec"))}


@pytest.mark.parametrize("rows", ["topics", "systems"])
def test_compare_a_table_of_scores(presort, rows):
    if rows == "systems":
        write("scores.csv", "system,1,2,3\nold,0.1,0.2,0.4\nnew,0.3,0.2,0.5\n")
    compared = json.loads(presort("compare", "scores.csv", "--rows", rows, "--json").stdout)
    new, old = compared["systems"]
    assert (new["system"], new["score"], new["improves"]) == ("new", pytest.approx(1 / 3), ["old"])
    assert old["reference_uir"] == pytest.approx(2 / 3)
    assert [topic["topic"] for topic in compared["systems_topics"]["topics"]] == ["1", "2", "3"]
    printed = presort("compare", "scores.csv", "--rows", rows).stdout
    assert printed.startswith("2 systems on 3 topics by score.")
    assert "Hardest topics: 1 (0.200), 2 (0.200), 3 (0.450)" in printed


def test_systems_without_any_difference_are_said_to_have_no_hubs(presort):
    write("scores.csv", "topic,a,b\n1,0.1,0.1\n2,0.2,0.2\n")
    assert "Topics that tell systems apart best: not defined" in presort("compare", "scores.csv").stdout


def test_a_topic_that_tells_systems_apart_the_other_way_round_is_not_among_the_worst(presort):
    topics = {"same": (0.5, 0.5), "turned": (0.2, 0.7), **{f"t{n}": (0.9, 0.1 + n / 100) for n in range(9)}}
    write("scores.csv", "topic,a,b\n" + "".join(f"{name},{a},{b}\n" for name, (a, b) in topics.items()))
    flat = " ".join(presort("compare", "scores.csv").stdout.split())
    best, worst = flat.split("Topics that tell systems apart best: ")[1].split(
        " Topics that tell systems apart worst: "
    )
    assert best.startswith("t0 (")
    assert worst.startswith("same (0.000), turned (-0.")


def test_p_values_that_were_not_sought_are_not_shown(presort, monkeypatch):
    monkeypatch.setattr(paired_tests, "MOST_ANSWERS", 0)
    printed = presort("compare", "scores.csv").stdout
    assert "permutation\n" not in printed
    assert "No permutation test: after that correction a small p-value would take too many" in " ".join(printed.split())
    (test,) = json.loads(presort("compare", "scores.csv", "--json").stdout)["tests"]["score"]
    assert test["permutation"] is test["permutation_holm"] is None


@needs_shared
def test_compare_the_systems_of_trec_8(presort):
    """All 129 systems: no more than 80 columns and no more pairs than can be told apart."""
    printed = presort("compare", *shared("trec8_ap.csv")).stdout
    assert max(map(len, printed.splitlines())) <= 80
    flat = " ".join(printed.split())
    assert "Holm's correction over 8,256 pairs" in flat
    assert "only the best is tested against each other one. Which is best was seen on the same topics" in flat
    assert "... and 109 more rows; --json has all." in flat
    compared = json.loads(presort("compare", *shared("trec8_ap.csv"), "--json").stdout)
    assert len(compared["systems"]) == len(compared["uir"]) == 129
    assert all(math.isfinite(topic["hub"]) for topic in compared["systems_topics"]["topics"])
    assert len(compared["tests"]["score"]) == 128
    for test in compared["tests"]["score"]:
        assert test["permutation_holm"] >= min(1, 8_129 * test["permutation"])  # the smallest factor of the family


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["score", "run.trec"], "QRELS", id="no-qrels"),
        pytest.param(["score", "run.trec", "qrels.trec", "--json", "--csv"], "one of --json and --csv", id="two-kinds"),
        pytest.param(["score", "run.trec", "qrels.trec", "--collection-size", "0"], "collection-size", id="size-0"),
        pytest.param(
            ["score", "run.trec", "qrels.trec", "--collection-size", "2"],
            "topic '1' of run.trec alone has 3 papers, 3 returned and 0 relevant",
            id="size-too-small",
        ),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--collection-size", "2"],
            "topic '1' of run.trec alone has 3 papers",
            id="size-too-small-for-a-run",
        ),
        pytest.param(
            ["compare", "scores.csv", "--collection-size", "9"], "not for a table of scores", id="size-of-table"
        ),
        pytest.param(["compare"], "Missing argument", id="nothing-to-compare"),
        pytest.param(["compare", "run.trec", "qrels.trec"], "needs two runs or more", id="one-run"),
        pytest.param(["compare", "run.trec", "run.trec", "qrels.trec"], "a run is given twice", id="run-twice"),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--measure", "AUC"], "'AUC' is none of AP, RR", id="AUC"
        ),
        pytest.param(
            ["compare", "run.trec", "other.trec", "qrels.trec", "--rows", "systems"], "table of scores", id="rows"
        ),
        pytest.param(["compare", "scores.csv", "--rows", "papers"], "papers", id="rows-are-neither"),
        pytest.param(["compare", "scores.csv", "--measure", "AP"], "no other measure", id="measure-of-a-table"),
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
            "run.trec, row 6, column score: 'high' is not a number; write it as 12.5 or -3e-2",
            id="score",
        ),
        pytest.param(
            {},
            ["score", "qrels.trec", "run.trec"],
            "run.trec, row 1: has 6 fields, 4 are needed: topic iteration paper judgement; is this a run?",
            id="exchanged",
        ),
        pytest.param(
            {"qrels.trec": "x1 0 a 1\n"},
            ["score", "run.trec", "qrels.trec"],
            "run.trec: has none of the topics of qrels.trec, such as 'x1'; it has '1'",
            id="no-common-topic",
        ),
        pytest.param(
            {"qrels.trec": QRELS.replace("2 0 a", "3 0 a").replace("2 0 b", "3 0 b")},
            ["compare", "run.trec", "other.trec", "qrels.trec"],
            "qrels.trec: 1 of 2 topics have a score of every system by AP, P@10, R@100, at least 2 are needed",
            id="one-common-topic",
        ),
        pytest.param(
            {"scores.csv": SCORES.replace("0.4", "?")},
            ["compare", "scores.csv"],
            "scores.csv, row 3, column old: '?' is not a number",
            id="bad-cell",
        ),
        pytest.param(
            {"scores.csv": SCORES.replace("0.4", "").replace("0.1", "nan")},
            ["compare", "scores.csv"],
            "scores.csv: 1 of 3 topics have a score of every system by score, at least 2 are needed",
            id="missing-cells",
        ),
    ],
)
def test_what_is_wrong_outside_exits_1_with_one_line(presort, files, words, message):
    for name, content in files.items():
        write(name, content)
    result = presort(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"presort: {message}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
