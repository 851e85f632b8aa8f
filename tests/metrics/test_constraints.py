"""Verdicts on known measures: MEASURES section 2, meta-evaluation (Amigó, Gonzalo, Verdejo, SIGIR 2013, section 4)."""

import math
import re
from collections import Counter
from functools import cache

import ir_measures
import pytest
from ir_measures import AP, RR, P, nDCG

from presort.metrics import Outcome, f_measure, ranking_reliability_sensitivity
from presort.metrics.constraint_cases import clustering_rag_bag, clustering_size_versus_quantity
from presort.metrics.constraints import CONSTRAINTS, Finding, check_constraints


@cache
def from_ir_measures(measure):
    @cache
    def value(flags, n_relevant):
        not_returned = {f"missed{i}": 1 for i in range(n_relevant - sum(flags))}
        qrels = {"issue": {str(i): flag for i, flag in enumerate(flags)} | not_returned}
        run = {"issue": {str(i): -i for i in range(len(flags))}}
        return ir_measures.calc_aggregate([measure], qrels, run)[measure]

    return value


def rank_biased_precision(p):
    """RBP(rel=1) from ir-measures, which needs another package there."""
    return lambda flags, n_relevant: sum((1 - p) * p**i for i, flag in enumerate(flags) if flag)


@cache
def reliability_sensitivity_f(top):
    """F(R, S) of the returned papers. Relevant papers that were not returned are below the cut."""

    @cache
    def value(flags, n_relevant):
        found = [position for position, flag in enumerate(flags, start=1) if flag]
        n = len(flags) + n_relevant - len(found)
        outcome = Outcome([*found, *range(len(flags) + 1, n + 1)], n)
        figures = ranking_reliability_sensitivity(outcome, k=len(flags), top=top, weight=0.8)
        return f_measure(figures.priority_reliability, figures.priority_sensitivity)

    return value


def failed(findings):
    return {name: finding.case for name, finding in findings.items() if not finding.holds}


FLAT = {"confidence": "1 over 10, 1 relevant"}
TOO_DEEP = {"deepness threshold": "n = 300: (1, then 599 zeros) over (300 zeros, then 300 ones)"}
TOO_SHALLOW = {"closeness threshold": "n = 2: (2 zeros, then 2 ones) over (1, then 3 zeros)"}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        pytest.param(from_ir_measures(AP), TOO_DEEP | FLAT, id="AP"),
        pytest.param(from_ir_measures(nDCG), TOO_DEEP | FLAT, id="nDCG"),
        pytest.param(
            from_ir_measures(P @ 10),
            {
                "priority": "10 over 01, 1 relevant",
                "deepness": "one relevant paper of 3: loss from position 1 to 2 over loss from 2 to 3",
            }
            | FLAT,
            id="P@10",
        ),
        # It also fails priority, which MEASURES doesn't mention: papers below the first relevant one don't count.
        pytest.param(
            from_ir_measures(RR), {"priority": "110 over 101, 2 relevant"} | TOO_SHALLOW | FLAT, id="reciprocal-rank"
        ),
        pytest.param(rank_biased_precision(0.8), FLAT, id="RBP"),
        pytest.param(rank_biased_precision(0.5), TOO_SHALLOW | FLAT, id="RBP-of-an-impatient-editor"),
        pytest.param(rank_biased_precision(0.99), TOO_DEEP | FLAT, id="RBP-of-a-patient-editor"),
        pytest.param(reliability_sensitivity_f(30), {}, id="F(R,S)-at-30"),
        pytest.param(reliability_sensitivity_f(10), TOO_SHALLOW, id="F(R,S)-at-10"),
        pytest.param(
            lambda flags, n_relevant: sum(flags) / len(flags),
            {
                "priority": "10 over 01, 1 relevant",
                "deepness": "one relevant paper of 3: loss from position 1 to 2 over loss from 2 to 3",
            }
            | TOO_DEEP,
            id="precision",
        ),
    ],
)
def test_ranking(measure, expected):
    assert failed(check_constraints(measure, "ranking")) == expected


def test_the_case_shows_both_values():
    """Average precision of the deepest case is 1/300 compared with the mean of i

    (300 + i).
    """
    findings = check_constraints(from_ir_measures(AP), "ranking")
    mean = sum(i / (300 + i) for i in range(1, 301)) / 300
    case = "n = 300: (1, then 599 zeros) over (300 zeros, then 300 ones)"
    assert findings["deepness threshold"] == Finding(False, case, pytest.approx(1 / 300), pytest.approx(mean), 299)
    assert findings["confidence"] == Finding(False, "1 over 10, 1 relevant", 1.0, 1.0, 1)
    closeness = findings["closeness threshold"]
    assert closeness == Finding(
        True, "n = 3: (3 zeros, then 3 ones) over (1, then 5 zeros)", pytest.approx(23 / 60), 1 / 3, 2
    )
    assert findings["priority"].holds
    assert findings["priority"].case == ""


def test_a_threshold_that_holds_has_its_first_n():
    """P@10 includes the n relevant papers below n others up to n = 9."""
    finding = check_constraints(from_ir_measures(P @ 10), "ranking")["deepness threshold"]
    assert finding == Finding(True, "n = 10: (1, then 19 zeros) over (10 zeros, then 10 ones)", 0.1, 0.0, 299)


def test_a_threshold_must_hold_up_to_the_longest_list():
    """Only n = 150 is correct. All larger n are not."""
    finding = check_constraints(lambda flags, n: float(n == 150 and flags[0] == 1), "ranking")["deepness threshold"]
    assert not finding.holds
    assert finding.case.startswith("n = 300")


def test_long_lists_are_tried():
    """nDCG of the first 25 fails only if there are papers below: the step below the cut costs most."""
    findings = check_constraints(from_ir_measures(nDCG @ 25), "ranking")
    assert not findings["priority"].holds
    assert findings["deepness"].case == "one relevant paper of 100: loss from position 24 to 25 over loss from 25 to 26"


def companions(clusters):
    return {paper: set(cluster) for cluster in clusters for paper in cluster}


@cache
def bcubed_precision(output, gold):
    ours, theirs = companions(output), companions(gold)
    return sum(len(ours[paper] & theirs[paper]) / len(ours[paper]) for paper in ours) / len(ours)


def bcubed_recall(output, gold):
    return bcubed_precision(gold, output)


def bcubed_f(output, gold):
    return f_measure(bcubed_precision(output, gold), bcubed_recall(output, gold))


def n_pairs(clusters):
    return sum(math.comb(len(cluster), 2) for cluster in clusters)


def rand_index(output, gold):
    """Share of the pairs of papers that both sides put in one cluster, or both in different ones."""
    together = n_pairs(set(cluster) & set(members) for cluster in output for members in gold)
    every = n_pairs([papers_of(gold)])
    return (every + 2 * together - n_pairs(output) - n_pairs(gold)) / every


def purity(output, gold):
    largest = [max(len(set(cluster) & set(members)) for members in gold) for cluster in output]
    return sum(largest) / sum(map(len, output))


MIXED = {"homogeneity": "a1 | b2 over a1 b2"}
SCATTERED = {"completeness": "a1 a2 over a1 | a2"}
RAGS = {"rag bag": "clean1 clean2 | messy1 messy2 odd over clean1 clean2 odd | messy1 messy2"}
SIZES = {
    "size versus quantity": "big1 big2 | big3 | pair1 pair1' | pair2 pair2' over "
    "big1 big2 big3 | pair1 | pair1' | pair2 | pair2'"
}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        pytest.param(bcubed_f, {}, id="BCubed-F"),
        pytest.param(bcubed_precision, SCATTERED | SIZES, id="BCubed-precision"),
        pytest.param(bcubed_recall, MIXED | RAGS, id="BCubed-recall"),
        pytest.param(rand_index, RAGS | SIZES, id="pair-counting"),
        pytest.param(purity, SCATTERED | RAGS | SIZES, id="purity"),
    ],
)
def test_clustering(measure, expected):
    """Not in MEASURES: pair counting and purity also fail rag bag, and purity fails size versus quantity."""
    assert failed(check_constraints(measure, "clustering")) == expected


@pytest.mark.parametrize("cases", [clustering_rag_bag, clustering_size_versus_quantity])
def test_worse_clusterings_are_those_of_the_source(cases):
    """The same number of papers changes on both sides. Only their places differ."""
    for case in cases():
        ((more, gold),), ((less, _),) = case.more, case.less
        mixed = [sum(len({gold_of(paper, gold) for paper in c}) > 1 for c in side) for side in (more, less)]
        assert Counter(papers_of(more)) == Counter(papers_of(less)) == Counter(papers_of(gold))
        assert mixed[1] - mixed[0] == (1 if cases is clustering_rag_bag else 0)


def gold_of(paper, gold):
    return next(i for i, cluster in enumerate(gold) if paper in cluster)


def papers_of(clusters):
    return [paper for cluster in clusters for paper in cluster]


def f_of_sets(output, gold):
    return 2 * sum(o and g for o, g in zip(output, gold, strict=True)) / (sum(output) + sum(gold))


def accuracy(output, gold):
    return sum(o == g for o, g in zip(output, gold, strict=True)) / len(gold)


def odds_ratio(output, gold):
    """Infinite if one kind of error does not occur."""
    table = Counter(zip(output, gold, strict=True))
    errors = table[1, 0] * table[0, 1]
    return table[1, 1] * table[0, 0] / errors if errors else math.inf


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        pytest.param(f_of_sets, {}, id="F"),
        pytest.param(accuracy, {}, id="accuracy"),
        pytest.param(odds_ratio, {}, id="infinite-is-more"),
        pytest.param(
            lambda output, gold: float(any(o and g for o, g in zip(output, gold, strict=True))),
            {"priority": "2 of 2 returned papers relevant over 1, 2 of all 3 relevant"},
            id="found-anything",
        ),
        pytest.param(
            lambda output, gold: sum(output),
            {"priority": "1 of 1 returned papers relevant over 0, 1 of all 2 relevant"},
            id="papers-returned",
        ),
    ],
)
def test_filtering(measure, expected):
    assert failed(check_constraints(measure, "filtering")) == expected


def test_rounding_errors_are_no_difference():
    findings = check_constraints(lambda flags, n: sum(flags) + 1e-14 * flags[0], "ranking")
    assert findings["priority"].case == "10 over 01, 1 relevant"
    findings = check_constraints(lambda flags, n: 1e-200 * rank_biased_precision(0.8)(flags, n), "ranking")
    assert failed(findings) == FLAT  # a small value is not a rounding error


@pytest.mark.parametrize("task", CONSTRAINTS)
def test_nan_fails_a_constraint(task):
    findings = check_constraints(lambda *_: math.nan, task)
    assert all(not finding.holds for finding in findings.values())
    assert all(math.isnan(finding.more) for finding in findings.values())


@pytest.mark.parametrize(("task", "most"), [("ranking", 1800), ("clustering", 1500), ("filtering", 650)])
def test_the_measure_is_called_at_most_as_often_as_documented(task, most):
    best = {
        "ranking": reliability_sensitivity_f(30),
        "clustering": bcubed_f,
        "filtering": accuracy,
    }
    calls = Counter()

    def counted(*arguments):
        calls[arguments] += 1
        return best[task](*arguments)

    findings = check_constraints(counted, task)
    assert failed(findings) == {}
    assert most * 0.9 < calls.total() <= most
    assert set(calls.values()) == {1}
    assert check_constraints(counted, task) == findings  # the same cases in every call


def test_unknown_task():
    message = "task must be one of ranking, clustering, filtering, got 'sorting'"
    with pytest.raises(ValueError, match=re.escape(message)):
        check_constraints(lambda flags, n: 0, "sorting")
