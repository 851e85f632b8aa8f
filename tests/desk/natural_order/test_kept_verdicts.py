"""Verdicts kept by report are those of all reports at once, and only what changed is compared anew."""

import pandas as pd

from desk.natural_order import kept_verdicts
from desk.natural_order.kept_verdicts import KeptVerdicts
from desk.scores.natural_order import exact_verdicts, judge
from tests.desk.scores.test_natural_order import random_table


def reports(*seeds):
    tables = [random_table(seed, each=2).assign(report=f"report {seed}") for seed in seeds]
    return pd.concat(tables, ignore_index=True)


def assert_judged_alike(one, other):
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    pd.testing.assert_frame_equal(one.verdicts, other.verdicts)
    pd.testing.assert_frame_equal(one.differences, other.differences)
    assert one.n_left_out == other.n_left_out


def test_they_are_those_of_all_reports_at_once():
    scores, kept = reports(1, 2, 3), KeptVerdicts()
    for _ in range(2):
        assert_judged_alike(judge(scores, kept.of(scores)), judge(scores))


def test_only_a_report_that_changed_is_compared_anew(monkeypatch):
    scores, kept, compared = reports(1, 2, 3), KeptVerdicts(), []
    kept.of(scores)

    def compared_too(table):
        compared.extend(table["report"].unique())
        return exact_verdicts(table)

    monkeypatch.setattr(kept_verdicts, "exact_verdicts", compared_too)
    changed = scores.drop(index=scores.index[scores["report"] == "report 2"][:4]).reset_index(drop=True)
    assert_judged_alike(judge(changed, kept.of(changed)), judge(changed))
    assert compared == ["report 2"]
    some = changed[changed["report"] != "report 1"]  # as somebody sees it who may not see all
    assert_judged_alike(judge(some, kept.of(some)), judge(some))
    assert compared == ["report 2"]
