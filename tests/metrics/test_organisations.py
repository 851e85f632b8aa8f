import math
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.organisations import reliability_sensitivity
from presort.metrics.reliability import ReliabilitySensitivity, f_measure, ranking_reliability_sensitivity
from tests.metrics.strategies import outcomes

# An organisation is a list of levels, a level a list of clusters, and a cluster a list of papers.

LEVEL_1, LEVEL_2, LEVEL_3 = [["d1"], ["d2", "d3", "d4"]], [["d4", "d5"], ["d6", "d7"]], [["d6", "d7"]]
GOLD = [LEVEL_1, LEVEL_2, LEVEL_3]
VARIANTS = [
    {"collection": collection, "weighting": weighting}
    for collection, weighting in product(["open", "closed"], ["discount", "uniform"])
]
CLOSED = {"collection": "closed", "weighting": "uniform"}

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))


def values(figures: ReliabilitySensitivity) -> tuple[float, ...]:
    return (
        figures.priority_reliability,
        figures.priority_sensitivity,
        figures.clustering_reliability,
        figures.clustering_sensitivity,
    )


def slow_occurrences(organisation, c, collection, weighting):
    """Return (paper, level, cluster, weight), with the weight of a level shared evenly, and the weight of the tail."""
    n = sum(len(cluster) for level in organisation for cluster in level)
    found, above = [], 0
    for level, clusters in enumerate(organisation):
        size = sum(map(len, clusters))
        weight = (c / (c + above) - c / (c + above + size)) / size if weighting == "discount" else 1 / (c + n)
        for number, cluster in enumerate(clusters):
            found += [(paper, level, (level, number), weight) for paper in cluster]
        above += size
    if collection == "open":
        return found, c / (c + n)
    total = sum(occurrence[3] for occurrence in found)
    return [(*occurrence[:3], occurrence[3] / total) for occurrence in found], 0


def slow_count(listed, holds):
    """Count, for every pair of papers, the pairs of occurrences in a relation."""
    counts = {}
    for a, b in product(listed, listed):
        if holds(a, b):
            counts[a[0], b[0]] = counts.get((a[0], b[0]), 0) + 1
    return counts


def is_above(a, b):
    return a[1] < b[1]


def is_together(a, b):
    return a[2] == b[2]


def share(pair, ours, theirs):
    return min(ours[pair], theirs.get(pair, 0)) * Fraction(1, ours[pair])


def slow_reliability(ours, tail, theirs):
    """Return priority and clustering reliability by the equation of MEASURES section 2, relation by relation."""
    if not ours:
        return math.nan, math.nan
    above = slow_count(ours, is_above), slow_count(theirs, is_above)
    together = slow_count(ours, is_together), slow_count(theirs, is_together)
    priority, clustering = 0, tail
    for a in ours:
        rest = sum(b[3] for b in ours if b[1] != a[1]) + tail  # 1 minus the weight of the level
        for b in ours:
            if a[1] != b[1]:
                pair = (a[0], b[0]) if is_above(a, b) else (b[0], a[0])
                priority += share(pair, *above) * a[3] * b[3] / rest
            if is_together(a, b):
                cluster = sum(other[3] for other in ours if is_together(a, other))
                clustering += share((a[0], b[0]), *together) * a[3] * b[3] / cluster
        if tail:
            times, in_theirs = (sum(b[0] == a[0] for b in side) for side in (ours, theirs))
            priority += Fraction(min(times, in_theirs), times) * a[3] * tail * (1 / rest + 1 / (1 - tail))
    is_ordered = tail or len({a[1] for a in ours}) > 1
    return float(priority) if is_ordered else math.nan, float(clustering)


def slow_reliability_sensitivity(output, gold, top=30, weight=0.8, collection="open", weighting="discount"):
    if not gold:
        return (math.nan,) * 4
    c = (1 - weight) * top / weight
    x, x_tail = slow_occurrences(output, c, collection, weighting)
    g, g_tail = slow_occurrences(gold, c, collection, weighting)
    (r_before, r_together), (s_before, s_together) = slow_reliability(x, x_tail, g), slow_reliability(g, g_tail, x)
    return r_before, s_before, r_together, s_together


def fast_reliability_sensitivity(*arguments, **options):
    return values(reliability_sensitivity(*arguments, **options))


@pytest.mark.parametrize("measure", [slow_reliability_sensitivity, fast_reliability_sensitivity])
@pytest.mark.parametrize(
    ("system", "expected"),
    [
        pytest.param(GOLD, (1, 1, 1, 1), id="0-gold-itself"),
        pytest.param([LEVEL_1, LEVEL_2, [["d6"], ["d7"]]], (1, 1, 1, 0.97), id="1-last-level-broken"),
        pytest.param([[["d1"], ["d2", "d3"], ["d4"]], LEVEL_2, LEVEL_3], (1, 1, 1, 0.795), id="2-first-level-broken"),
        pytest.param([[["d1"], ["d3", "d4"]], LEVEL_2, LEVEL_3], (1, 0.775, 1, 0.74), id="3-d2-left-out"),
        pytest.param(
            [[["d1"], ["d3", "d4"]], LEVEL_2, [["d6", "d7", "d8"]]], (0.943, 0.775, 0.96, 0.74), id="4-d8-instead-of-d2"
        ),
        pytest.param([LEVEL_3, LEVEL_2, LEVEL_1], (0.64, 0.59, 1, 1), id="5-levels-reversed"),
    ],
)
def test_table_9(measure, system, expected):
    """MEASURES section 2, required values: Table 9 of Amigó, Gonzalo, Verdejo (SIGIR 2013), N = 10, W = 0.8.

    Cells with three decimals differ from the print: three cells named by MEASURES, and .80 in row 2, rounded from
    .7949.
    """
    for figure, printed in zip(measure(system, GOLD, top=10), expected, strict=True):
        assert figure == pytest.approx(printed, abs=0.0005 if printed in (0.943, 0.775, 0.795) else 0.005)


# Few papers, so that most occur several times: in clusters, levels, and twice in one cluster.
clusters = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3)
overlapping = st.lists(st.lists(clusters, min_size=1, max_size=3), max_size=4)


@st.composite
def without_overlap(draw):
    """Draw an organisation of some of 20 papers, each listed once."""
    papers = draw(st.permutations(range(20)))[: draw(st.integers(1, 20))]
    places = st.tuples(st.integers(1, draw(st.integers(1, 20))), st.integers(1, 4))
    levels = {}
    for paper in papers:
        level, cluster = draw(places)
        levels.setdefault(level, {}).setdefault(cluster, []).append(paper)
    return [list(levels[level].values()) for level in sorted(levels)]


@every_variant
@given(overlapping, overlapping, st.sampled_from([1, 10, 30]), st.sampled_from([Fraction(4, 5), Fraction(1, 10)]))
def test_papers_listed_several_times(variant, output, gold, top, weight):
    """Compared with the equation in fractions."""
    figures = fast_reliability_sensitivity(output, gold, top=top, weight=weight, **variant)
    slow = slow_reliability_sensitivity(output, gold, top, weight, **variant)
    assert figures == pytest.approx(slow, rel=1e-12, abs=1e-14, nan_ok=True)


@given(st.sampled_from(VARIANTS), without_overlap(), without_overlap())
def test_papers_listed_once(variant, output, gold):
    figures = fast_reliability_sensitivity(output, gold, **variant)
    assert figures == pytest.approx(slow_reliability_sensitivity(output, gold, **variant), rel=1e-12, nan_ok=True)


@given(st.sampled_from(VARIANTS), overlapping, overlapping)
def test_bounds_symmetry_and_invariances(variant, output, gold):
    figures = fast_reliability_sensitivity(output, gold, **variant)
    assert all(0 <= figure <= 1 or math.isnan(figure) for figure in figures)
    if output and gold:
        r_before, s_before, r_together, s_together = fast_reliability_sensitivity(gold, output, **variant)
        assert figures == pytest.approx((s_before, r_before, s_together, r_together), nan_ok=True)
    turned = [[tuple(cluster[::-1]) for cluster in level[::-1]] for level in output]
    assert figures == pytest.approx(fast_reliability_sensitivity(turned, gold, **variant), nan_ok=True)
    number = {paper: 100 - place for place, paper in enumerate("abcdef")}
    renamed = [
        [[[number[paper] for paper in cluster] for cluster in level] for level in side] for side in (output, gold)
    ]
    assert figures == pytest.approx(fast_reliability_sensitivity(*renamed, **variant), nan_ok=True)


@given(st.sampled_from(VARIANTS), overlapping.filter(bool))
def test_gold_against_itself(variant, gold):
    figures = fast_reliability_sensitivity(gold, gold, **variant)
    priority = 1 if variant["collection"] == "open" or len(gold) > 1 else math.nan
    assert figures == pytest.approx((priority, priority, 1, 1), nan_ok=True)


@given(
    outcomes(max_n=25),
    st.integers(0, 30),
    st.floats(1, 100, allow_nan=False),
    st.floats(0.05, 0.95, allow_nan=False),
)
def test_a_ranking_down_to_a_cut(outcome, k, top, weight):
    """MEASURES section 2: the equation, the general function and the one for rankings agree, even if undefined."""
    ranking = [[[position]] for position in range(1, min(k, outcome.n) + 1)]
    selection = [[[position] for position in outcome.positions.tolist()]] if outcome.r else []
    slow = slow_reliability_sensitivity(ranking, selection, top, weight)
    general = fast_reliability_sensitivity(ranking, selection, top=top, weight=weight)
    special = values(ranking_reliability_sensitivity(outcome, k, top, weight))
    assert special == pytest.approx(slow, rel=1e-9, abs=1e-12, nan_ok=True)
    assert general == pytest.approx(special, rel=1e-12, abs=1e-15, nan_ok=True)


def slow_bcubed(output, gold):
    """Precision and recall of BCubed: mean share of a paper's cluster that is also in its cluster on the other side."""
    ours, theirs = ({paper: set(cluster) for cluster in side for paper in cluster} for side in (output, gold))
    precision = [Fraction(len(ours[paper] & theirs[paper]), len(ours[paper])) for paper in ours]
    recall = [Fraction(len(ours[paper] & theirs[paper]), len(theirs[paper])) for paper in ours]
    return float(sum(precision) / len(precision)), float(sum(recall) / len(recall))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_one_level_without_overlap_is_bcubed(labels):
    """MEASURES section 2, required values: closed and uniform."""
    sides = []
    for side in zip(*labels, strict=True):
        sides.append([[paper for paper, label in enumerate(side) if label == one] for one in sorted(set(side))])
    figures = reliability_sensitivity([sides[0]], [sides[1]], **CLOSED)
    bcubed = slow_bcubed(*sides)
    assert (figures.clustering_reliability, figures.clustering_sensitivity) == pytest.approx(bcubed, rel=1e-12)
    assert math.isnan(figures.priority_reliability)
    assert math.isnan(figures.priority_sensitivity)


def two_levels(is_relevant):
    """Put the relevant papers on one level and the others on the next. Empty levels are left out."""
    levels = ([[paper] for paper, flag in enumerate(is_relevant) if flag == wanted] for wanted in (True, False))
    return [level for level in levels if level]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_two_levels_are_a_filter(flags):
    """MEASURES section 2, required values: R = P(not G|not X) P(G|X), S = P(not X|not G) P(X|G), closed and uniform."""
    x, g = zip(*flags, strict=True)
    both, neither = sum(a and b for a, b in flags), sum(not a and not b for a, b in flags)
    expected = [
        both * neither / (sum(side) * (len(side) - sum(side))) if len(set(side)) > 1 else math.nan for side in (x, g)
    ]
    figures = reliability_sensitivity(two_levels(x), two_levels(g), **CLOSED)
    assert (figures.priority_reliability, figures.priority_sensitivity) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("taken", [True, False])
def test_trivial_outputs_gain_nothing(taken):
    """MEASURES section 2, required values: such an output has one level, so R is NaN, and F is 0 because S is."""
    figures = reliability_sensitivity(two_levels([taken] * 5), two_levels([True, False, True, False, False]), **CLOSED)
    assert math.isnan(figures.priority_reliability)
    assert figures.priority_sensitivity == 0
    assert f_measure(figures.priority_reliability, figures.priority_sensitivity) == 0


@pytest.mark.parametrize(
    ("output", "variant", "expected"),
    [
        pytest.param([], {}, (math.nan, 0, math.nan, 7.5 / 9.5), id="nothing-listed"),
        pytest.param([], CLOSED, (math.nan, math.nan, math.nan, 0), id="nothing-listed-closed"),
        pytest.param([[["c"]]], {}, (0, 0, 7.5 / 8.5, 7.5 / 9.5), id="nothing-shared"),
        # the listed papers weigh 2 of 9.5; b is in its own cluster
        pytest.param([[["a"], ["b"]]], {}, (1, 1, 1, 8.5 / 9.5), id="cluster-broken"),
        # of the four pairs (a, a), one is in gold, which lacks the pairs (a, b), (b, a) and (b, b)
        pytest.param([[["a", "a"]]], {}, (0.5, 0.5, 8 / 9.5, 8 / 9.5), id="twice-in-a-cluster"),
        pytest.param([[["a", "a"]]], CLOSED, (math.nan, math.nan, 0.25, 0.25), id="twice-in-a-closed-cluster"),
    ],
)
def test_worked_by_hand(output, variant, expected):
    """Gold is one cluster of a and b. N = 30 and W = 0.8 yield c = 7.5."""
    figures = fast_reliability_sensitivity(output, [[["a", "b"]]], **variant)
    assert figures == pytest.approx(expected, nan_ok=True)


def test_uniform_weights_in_an_open_collection():
    """c = 7.5: each of two papers weighs 1/9.5 and the tail 7.5/9.5. Only the order of the two is wrong."""
    figures = reliability_sensitivity([[["a"]], [["b"]]], [[["b"]], [["a"]]], weighting="uniform")
    w, tail = 1 / 9.5, 7.5 / 9.5
    expected = 1 - 2 * w * w / (1 - w)
    assert expected == pytest.approx(2 * w * tail * (1 / (1 - w) + 1 / (1 - tail)))
    assert values(figures) == pytest.approx((expected, expected, 1, 1))


@every_variant
def test_an_empty_gold_organisation(variant):
    assert all(map(math.isnan, fast_reliability_sensitivity(GOLD, [], **variant)))


@every_variant
@pytest.mark.parametrize("weight", [2.0**-60, 2.0**-30, 1 - 2.0**-30, 1 - 2.0**-50])
def test_a_level_with_almost_all_or_almost_no_weight(variant, weight):
    """Compared with the equation in fractions: rounding errors don't dominate in 1

    W_d.
    """
    output = [[list("abcdefgh"), list("ijklmnop")], [["q"]], [["r", "a"]]]
    gold = [[["r"]], [list("qponmlkj"), list("ihgfedc")], [["b"]]]
    figures = fast_reliability_sensitivity(output, gold, weight=weight, **variant)
    slow = slow_reliability_sensitivity(output, gold, 30, Fraction(weight), **variant)
    assert figures == pytest.approx(slow, rel=1e-12)


def test_many_papers():
    """Compared with known counts: all levels reversed, and every two levels merged."""
    n = 4_000
    ranking = [[[paper]] for paper in range(n)]
    in_pairs = [[[paper], [paper + 1]] for paper in range(0, n, 2)]
    figures = reliability_sensitivity(ranking[::-1], ranking, **CLOSED)
    assert (figures.priority_reliability, figures.priority_sensitivity) == (0, 0)
    figures = reliability_sensitivity(in_pairs, ranking, **CLOSED)
    assert figures.priority_reliability == pytest.approx(1)
    assert figures.priority_sensitivity == pytest.approx(1 - 1 / (n - 1))  # n / 2 of n (n - 1) / 2 pairs are missing


def test_arrays_and_ids_of_any_type():
    output, gold = [[["a", ("b", 1)]], [[2]]], [[[2]], [["a", ("b", 1)]]]
    arrays = [np.array([[1, 3]]), np.array([[2]])], [np.array([[2]]), np.array([[1, 3]])]
    assert reliability_sensitivity(output, gold) == reliability_sensitivity(*arrays)


@pytest.mark.parametrize("name", ["output", "gold"])
@pytest.mark.parametrize(
    ("organisation", "message"),
    [
        pytest.param("ab", "{} must be a list of levels, got 'ab'", id="text-for-levels"),
        pytest.param(None, "{} must be a list of levels, got None", id="nothing-for-levels"),
        pytest.param(np.array(3), "{} must be a list of levels, got array(3)", id="number-for-levels"),
        pytest.param(["ab"], "a level of {} must be a non-empty list of clusters, got 'ab'", id="text-for-clusters"),
        pytest.param([[["a"]], []], "a level of {} must be a non-empty list of clusters, got []", id="empty-level"),
        pytest.param([["ab"]], "a cluster of {} must be a non-empty list of ids, got 'ab'", id="text-for-ids"),
        pytest.param([[{"a", "b"}]], "a cluster of {} must be a non-empty list of ids, got {{", id="set-for-ids"),
        pytest.param([[3]], "a cluster of {} must be a non-empty list of ids, got 3", id="number-for-ids"),
        pytest.param([[["a"], []]], "a cluster of {} must be a non-empty list of ids, got []", id="empty-cluster"),
        pytest.param([[["a", ["b"]]]], "paper ids of {} must be hashable, got", id="too-deeply-nested"),
        pytest.param([[["a", math.nan]]], "paper ids of {} must not be missing, got nan", id="nan"),
        pytest.param([[["a", pd.NA]]], "paper ids of {} must not be missing, got <NA>", id="missing"),
        pytest.param([[["a", None]]], "paper ids of {} must not be missing, got None", id="none"),
    ],
)
def test_wrong_organisations(name, organisation, message):
    with pytest.raises(ValueError, match=re.escape(message.format(name))):
        reliability_sensitivity(**{"output": GOLD, "gold": GOLD, name: organisation})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top must be a positive number of papers, got 0"),
        ({"top": math.inf}, "top must be a positive number of papers, got inf"),
        ({"weight": 1}, "weight must be between 0 and 1, got 1"),
        ({"weight": "0.8"}, "weight must be between 0 and 1, got '0.8'"),
        ({"top": 1e90, "weight": 1e-90}, "top and weight must be less extreme, got 1e+90 and 1e-90"),
        ({"collection": "shut"}, "collection must be one of ('open', 'closed'), got 'shut'"),
        ({"weighting": None}, "weighting must be one of ('discount', 'uniform'), got None"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        reliability_sensitivity(GOLD, GOLD, **options)
