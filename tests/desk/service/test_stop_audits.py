"""Forecast of each list before it was read, from lists of earlier days only."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from presort.data.learning import stop_audits
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import SortedList
from presort.desk.service import workflow
from presort.desk.service.stop_audits import make_stop_audits
from presort.desk.session.progress import relevance_models_before
from presort.ranker.parallel import use_workers
from presort.ranker.stopping.audit import audit_of
from presort.ranker.stopping.relevance_model import fit_relevance_models
from presort.ranker.versions import RECIPES
from tests.ranker.lists import drawn_list, drawn_service, relevance_models_of

pytestmark = pytest.mark.whole

RANKER = "krichel-2007"
MODEL = relevance_models_of(drawn_service(5))["report 0"]


def sorted_list(read_up_to=200):
    one = drawn_list(np.random.default_rng(7))
    is_read = np.arange(200) < read_up_to
    return SortedList(7, "lab", date(2026, 1, 5), one.scores, is_read, one.is_relevant & is_read)


def slow_expected(one):
    """Compute a separate forecast for each read paper, given those above it."""
    expected = np.zeros(200)
    for place in np.flatnonzero(one.is_read):
        above = one.is_read & (np.arange(200) < place)
        forecast = MODEL.forecast(one.scores, above, one.is_relevant & above)
        expected[place] = (forecast.weights @ forecast.hidden)[place]
    return expected


@pytest.mark.parametrize("read_up_to", [200, 150, 90])
def test_forecasts_of_read_papers_are_compared_with_the_findings(read_up_to):
    one = sorted_list(read_up_to)
    nothing = np.zeros(200, dtype=bool)
    stop = MODEL.forecast(one.scores, nothing, nothing).stop(0.05)
    assert stop < read_up_to
    expected = MODEL.chances_when_read(one.scores, one.is_read, one.is_relevant)
    np.testing.assert_allclose(expected, slow_expected(one), rtol=1e-9)
    audit = audit_of(MODEL, one)
    assert (audit.ranking_id, audit.n_read_below) == (7, read_up_to - stop)
    assert audit.expected_below == pytest.approx(expected[stop:].sum())
    assert (audit.found, audit.found_below) == (one.is_relevant.sum(), one.is_relevant[stop:].sum())


def test_a_list_read_down_to_the_stop_point_alone_can_not_be_audited():
    nothing = np.zeros(200, dtype=bool)
    stop = MODEL.forecast(sorted_list().scores, nothing, nothing).stop()
    audit = audit_of(MODEL, sorted_list(stop))
    assert (audit.n_read_below, audit.expected_below, audit.found_below) == (0, 0, 0)


def test_updated_advice_to_read_further_is_no_underestimate():
    """The simulated service follows the model. Editors read as far as advised each time, and spot-check the rest."""
    rng = np.random.default_rng(4)
    service = drawn_service(6, n_reports=8, n_weeks=24, spread=0.7)
    known = {report: lists[:8] for report, lists in service.items()}
    expected = found = 0
    for week in range(8, 24):
        relevance_models = fit_relevance_models(known, before=service["report 0"][week].day)
        for report, lists in service.items():
            one, read_up_to, at = lists[week], 0, 1
            while read_up_to < at:
                read_up_to = min(at, read_up_to + 5)
                is_read = np.arange(200) < read_up_to
                at = relevance_models[report].forecast(one.scores, is_read, one.is_relevant & is_read).stop()
            if len(rest := np.flatnonzero(~is_read)):
                is_read[rng.choice(rest, min(10, len(rest)), replace=False)] = True
            known[report] = [*known[report], replace(one, is_read=is_read, is_relevant=one.is_relevant & is_read)]
            of_list = SortedList(week, report, one.day, one.scores, is_read, one.is_relevant & is_read)
            audit = audit_of(relevance_models[report], of_list)
            expected, found = expected + audit.expected_below, found + audit.found_below
    assert expected > 20
    assert found < expected + 2.5 * np.sqrt(expected)
    assert found > 0.5 * expected


def test_the_advice_of_first_lists_is_audited_like_any_other():
    audit = audit_of(relevance_models_of({"new": []})["new"], sorted_list())
    assert audit.n_read_below > 0
    assert 0 < audit.expected_below < audit.n_read_below


def test_replay_and_learn_compute_missing_audits(finished):
    made = stop_audits.read_stop_audits(finished)
    lists = sorted_lists(finished, RANKER)
    assert [(one.report, one.issue) for one in made] == [(x.report, x.issue) for some in lists.values() for x in some]
    assert make_stop_audits(finished) == 0
    with finished.writing() as connection:
        connection.exec_driver_sql("DELETE FROM stop_audit WHERE ranking_id % 2 = 0")
    assert stop_audits.rankings_without_audit(finished)
    workflow.learn(finished)
    assert stop_audits.read_stop_audits(finished) == made
    assert stop_audits.rankings_without_audit(finished) == {}


def test_audits_of_all_rankers_are_sent_to_workers_together(replayed):
    made, sent = stop_audits.read_stop_audits(replayed), []
    assert len({one.ranker for one in made}) == 2
    with replayed.writing() as connection:
        connection.exec_driver_sql("DELETE FROM stop_audit")

    class Backwards:
        def run(self, work, shared, calls):
            sent.append(list(calls))
            yield from (work(*shared, *call) for call in sent[-1][::-1])

    with use_workers(Backwards()):
        assert make_stop_audits(replayed, 2) == len(made)
    assert len(sent) == 1
    assert stop_audits.read_stop_audits(replayed) == made


@pytest.mark.parametrize("place", [-1, -3])
def test_later_lists_do_not_change_earlier_audits(finished, place):
    one = sorted_lists(finished, RANKER)["lab"][place]
    (kept,) = [x.audit for x in stop_audits.read_stop_audits(finished) if (x.report, x.issue) == ("lab", one.issue)]
    assert audit_of(relevance_models_before(finished, RANKER, one.issue)["lab"], one) == kept
    knowing_more = relevance_models_before(finished, RANKER, one.issue + timedelta(days=1))["lab"]
    assert audit_of(knowing_more, one) != kept


def test_a_replay_has_audits_in_addition_to_those_of_editors(finished):
    last = stop_audits.read_stop_audits(finished)[-1].issue
    list(workflow.replay(finished, [RECIPES[RANKER]], first=last, last=last, reports=["lab"]))
    replays = {one.replay for one in stop_audits.read_stop_audits(finished)}
    assert len(replays) == 2
