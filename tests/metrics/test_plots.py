"""Charts of the library: their data, and rendering by Vega-Lite."""

import numpy as np
import pandas as pd
import pytest
import vl_convert
from scipy.stats import ttest_rel

from presort.metrics import Outcome, compare, f_curve, natural_order_table, plots, violations
from tests.metrics.test_comparison import some_scores

NEW = {str(topic): Outcome([1 + topic, 9 + topic], n=40) for topic in range(5)}
OLD = {str(topic): Outcome([5 + topic, 30 + topic], n=40) for topic in range(5)}


def drawn(chart):
    """Return the SVG, which contains names and titles as text."""
    return vl_convert.vegalite_to_svg(chart.to_dict())


def test_recall_is_the_mean_share_of_relevant_papers_read():
    chart = plots.recall_curves({"new": NEW, "old": [*OLD.values(), Outcome([], n=40)]})
    table = chart.data.pivot_table(index="papers", columns="system", values="recall")
    for papers in (0, 1, 9, 33, 40):
        for system, found in (("new", NEW), ("old", OLD)):
            expected = np.mean([np.mean(one.positions <= papers) for one in found.values()])
            assert table.loc[papers, system] == pytest.approx(expected)
    assert "old" in drawn(chart)


def test_a_long_list_has_a_bounded_number_of_points():
    chart = plots.recall_curves({"new": [Outcome([1, 90_000], n=100_000), Outcome([2], n=10)]})
    assert len(chart.data) == plots.MOST_POINTS + 1
    assert chart.data["recall"].iloc[-1] == 1


def test_f_curves_mark_where_systems_swap_places():
    curve = f_curve([[0.9, 0.8], [0.5, 0.4], [0.6, 0.1]], [[0.3, 0.2], [0.6, 0.7], [0.4, 0.4]])
    chart = plots.f_curves(curve, ["careful", "greedy", "third"])
    lines, circles = (layer.data for layer in chart.layer)
    assert lines.query("system == 'greedy' and alpha == 0")["f"].item() == pytest.approx(0.65)  # mean recall
    assert circles["alpha"].tolist() == [swap.alpha for swap in curve.swaps]
    assert "careful" in drawn(chart)


def test_the_interval_of_the_forest_is_that_of_the_paired_t_test():
    scores = some_scores(30, 3)
    found = compare(scores)
    table = plots.forest(found, "s1").data.set_index("other")
    for other in ("s0", "s2"):
        interval = ttest_rel(scores["s1"], scores[other]).confidence_interval(0.95)
        assert table.loc[other, ["low", "high"]].tolist() == pytest.approx(list(interval))
    best = found.improvements.index[0]
    assert set(plots.forest(found).data["other"]) == set(scores) - {best}
    assert "s2" in drawn(plots.forest(found, "s1"))


def test_the_natural_order_marks_steps_that_violate_it():
    table = natural_order_table(3, n=7)
    chart = plots.natural_order(table, ["average_precision", "copnori", "search_length"])
    lists, ap, copnori, _ = chart.hconcat
    assert len(lists.data) == 35 * 7
    assert lists.data.query("row == 0 and relevant")["position"].tolist() == [1, 2, 3]
    assert ap.data["violates"].any()
    assert violations(table.outcomes, ap.data["value"]).n_strict > 0
    assert not copnori.data["violates"].any()
    assert "Average precision" in drawn(chart)


@pytest.mark.parametrize(
    ("draw", "argument"),
    [
        (lambda: plots.recall_curves({}), "systems"),
        (lambda: plots.recall_curves({"new": [Outcome([], n=3)]}), "systems"),
        (lambda: plots.f_curves(f_curve([[0.5], [0.4]], [[0.1], [0.2]]), ["one"]), "systems"),
        (lambda: plots.f_curves(f_curve([[0.5], [0.4]], [[0.1], [0.2]]), ["one", "one"]), "systems"),
        (lambda: plots.forest(compare(some_scores(4, 2)), "s9"), "system"),
        (lambda: plots.natural_order(natural_order_table(1, n=3), "nosel"), "measures"),
        (lambda: plots.natural_order(natural_order_table(1, n=3), ["swets"]), "measures"),
        (lambda: plots.natural_order(natural_order_table(3, n=20), ["nosel"]), "table"),
    ],
)
def test_an_error_names_the_argument(draw, argument):
    with pytest.raises(ValueError, match=rf"^{argument} must "):
        draw()


def test_names_are_data_and_not_expressions():
    """A name with quotes, brackets or a dot is drawn like any other."""
    odd = "a.b[0]'\"<i>"
    found = compare(pd.DataFrame({odd: [0.6, 0.8, 0.7], "old": [0.5, 0.6, 0.7]}))
    assert "&lt;i&gt;" in drawn(plots.forest(found, "old"))
    assert "&lt;i&gt;" in drawn(plots.recall_curves({odd: NEW}))
