"""Training data: decisions by Krichel's rule, and examples if there are no decisions yet."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Hints, History, Paper
from presort.ranker.gather import BACKGROUND, MIN_RELEVANT, can_train, gather, training_rows
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.tokens import FIELDS, tokens_of
from presort.ranker.train import TOO_FEW, rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import (
    SUBJECTS,
    as_rows,
    listed_scores,
    make_history,
    make_issues,
    make_paper,
    with_tokens,
)

ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]
REPORTS = list(SUBJECTS)
EXAMPLES = {
    "trade": (Paper("seed 1", "Tariff, quota, port", "Export, import, customs, border, shipping"),),
    "work": (Paper("seed 1", "Wage and strike"), Paper("seed 2", "Union pension", "Salary hiring overtime employer")),
}


@st.composite
def histories(draw):
    """Draw histories with empty issues, skipped issues and papers marked maybe."""
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))
    words = draw(st.lists(st.sampled_from(["yes", "maybe", "no"]), min_size=sum(sizes), max_size=sum(sizes)))
    return History(
        issues=make_issues(len(sizes)),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp),
        papers=[Paper(f"p{row}", "title") for row in range(sum(sizes))],
        relevant={"trade": as_rows(*(row for row, word in enumerate(words) if word == "yes"))},
        maybe={"trade": as_rows(*(row for row, word in enumerate(words) if word == "maybe"))},
    )


def slow_training_rows(history, report, before):
    rows, y = [], []
    for issue in range(before):
        issue_rows = range(history.starts[issue], history.starts[issue + 1])
        if not any(row in history.relevant[report] for row in issue_rows):
            continue
        for row in issue_rows:
            if row not in history.maybe[report]:
                rows.append(row)
                y.append(int(row in history.relevant[report]))
    return rows, y


def gathered(history, first, last, *, reports=REPORTS, hints=None):
    return gather("any", history, first, last, reports, hints or {}, MemoryModelStore())


def known_of(history, report, first, last):
    """Return the training data of a report, paper by paper."""
    found = gathered(history, first, last, reports=[report])
    rows, y = found.known[report]
    assert (np.diff(rows) > 0).all()
    return {found.task.papers[row].paper_id: int(word) for row, word in zip(rows, y, strict=True)}


def spelled_out(tokens):
    return [
        [tokens.vocabulary[number] for number in getattr(tokens, field)[paper : paper + 1].values]
        for field in FIELDS
        for paper in range(len(tokens))
    ]


@given(histories(), st.data())
def test_training_rows_agree_with_a_slow_reference(history, data):
    before = data.draw(st.integers(0, len(history.issues)))
    rows, y = training_rows(history, "trade", before)
    assert (rows.tolist(), y.tolist()) == slow_training_rows(history, "trade", before)


@pytest.mark.parametrize(
    ("relevant", "maybe", "before", "expected"),
    [
        pytest.param([1], [], 3, ([0, 1, 2], [0, 1, 0]), id="other-papers-of-a-used-issue-are-negatives"),
        pytest.param([1], [], 0, ([], []), id="nothing-before-the-first-issue"),
        pytest.param([4], [], 1, ([], []), id="later-issues-are-ignored"),
        pytest.param([1], [2], 3, ([0, 1], [0, 1]), id="maybe-is-no-example"),
        pytest.param([], [2, 3], 3, ([], []), id="maybe-alone-does-not-use-an-issue"),
        pytest.param([], [], 3, ([], []), id="nothing-selected"),
    ],
)
def test_training_rows_by_hand(relevant, maybe, before, expected):
    papers = [Paper(f"p{row}", "title") for row in range(9)]
    history = History(
        make_issues(3), np.arange(0, 10, 3), papers, {"trade": as_rows(*relevant)}, {"trade": as_rows(*maybe)}
    )
    rows, y = training_rows(history, "trade", before)
    assert (rows.tolist(), y.tolist()) == expected


@pytest.mark.parametrize(
    ("y", "n_seeds", "is_enough"),
    [
        pytest.param([1] * MIN_RELEVANT + [0], 0, True, id="just-enough"),
        pytest.param([1] * (MIN_RELEVANT - 1) + [0], 0, False, id="one-too-few"),
        pytest.param([1, 0], 1, True, id="one-example"),
        pytest.param([1, 1, 1], 2, False, id="nothing-against-them"),
        pytest.param([], 0, False, id="nothing"),
    ],
)
def test_minimum_of_training_data(y, n_seeds, is_enough):
    assert can_train(np.array(y, dtype=np.int8), n_seeds) is is_enough


@given(histories(), st.data())
def test_without_irrelevant_papers_the_newest_issues_are_negatives(history, data):
    first = data.draw(st.integers(0, len(history.issues) - 1))
    n_seeds = data.draw(st.integers(1, 2))
    seeds = [Paper(f"seed {number}", "title") for number in range(n_seeds)]
    n_before, n_all = (int(history.starts[issue]) for issue in (first, first + 1))
    rows, y = slow_training_rows(history, "trade", first)
    words = dict(zip(rows, y, strict=True))
    if 0 not in y:
        past = range(n_before) if n_before else range(n_all)
        unsure = [row for row in history.maybe["trade"] if row < n_before]
        words = {**{row: 0 for row in past if row not in unsure}, **words}
    expected = {f"p{row}": word for row, word in words.items()} | {f"{seed.paper_id} of trade": 1 for seed in seeds}
    known = known_of(replace(history, seeds={"trade": seeds}), "trade", first, first + 1)
    assert known == expected
    assert list(known)[-n_seeds:] == [f"{seed.paper_id} of trade" for seed in seeds]


def test_only_some_recent_issues_are_negatives_for_examples():
    history = replace(make_history(BACKGROUND + 4, 3), relevant={}, seeds=EXAMPLES)
    known = known_of(history, "trade", BACKGROUND + 2, BACKGROUND + 3)
    assert list(known) == [f"p{row}" for row in range(2 * 3, (BACKGROUND + 2) * 3)] + ["seed 1 of trade"]


@pytest.mark.parametrize("first", [0, 4])
@pytest.mark.parametrize("recipe", ALL)
def test_examples_make_a_report_rankable_from_the_first_issue_on(recipe, first):
    history = make_history()
    ranked = list(rank_block(recipe, replace(history, relevant={}, seeds=EXAMPLES), first, first + 1, REPORTS))
    assert [one.report for one in ranked if one.note == TOO_FEW] == ["health"]
    for one in ranked:
        if one.report != "health":
            is_relevant = np.isin(one.order + history.starts[first], history.relevant[one.report])
            places = np.arange(20)
            assert places[is_relevant].mean() + 3 < places[~is_relevant].mean()
            assert len(one.scores) == 20
            assert one.n_relevant == len(EXAMPLES[one.report])
            assert one.n_trained_on == (80 if first else 20) + one.n_relevant


@pytest.mark.parametrize("recipe", ALL)
def test_examples_are_used_together_with_decisions(recipe):
    history = make_history()
    with_seeds = replace(
        history, seeds={"trade": [Paper("seed 1", "Hospital nurse", "patient disease vaccine doctor")] * 20}
    )
    [plain], [seeded] = (list(rank_block(recipe, one, 4, 5, ["trade"])) for one in (history, with_seeds))
    assert seeded.n_relevant == plain.n_relevant + 20
    assert seeded.n_trained_on == plain.n_trained_on + 20
    of_health = [row - 80 for row in history.relevant["health"] if 80 <= row < 100]
    ranks = [np.flatnonzero(np.isin(one.order, of_health)).mean() for one in (plain, seeded)]
    assert ranks[1] < ranks[0]


@pytest.mark.parametrize("recipe", ALL)
@pytest.mark.parametrize("first", [0, 4])
def test_later_data_does_not_change_a_ranking_by_examples(recipe, first):
    history = replace(make_history(), relevant={}, seeds=EXAMPLES)
    rng = random.Random(3)
    end = history.starts[first + 1]
    own_and_later = np.arange(history.starts[first], 120)
    altered = replace(
        history,
        papers=[*history.papers[:end], *(make_paper(1000 + row, "work", rng) for row in range(120 - end))],
        relevant={"trade": own_and_later[::3], "health": own_and_later[1::2]},
        maybe={"trade": own_and_later[1::3], "work": own_and_later},
    )
    expected = listed_scores(rank_block(recipe, history, first, first + 1, REPORTS))
    assert listed_scores(rank_block(recipe, altered, first, first + 1, REPORTS)) == expected
    together = listed_scores(rank_block(recipe, altered, first, first + 2, REPORTS))
    assert {key: scores for key, scores in together.items() if key[1] == first} == expected


@pytest.mark.parametrize("recipe", ALL)
def test_scores_by_examples_do_not_depend_on_the_other_requested_reports(recipe):
    history = replace(make_history(), seeds=EXAMPLES)
    history = replace(history, relevant={report: history.relevant[report] for report in ("trade", "health")})
    everybody = listed_scores(rank_block(recipe, history, 4, 5, REPORTS))
    for report in REPORTS:
        assert listed_scores(rank_block(recipe, history, 4, 5, [report])) == {(report, 4): everybody[report, 4]}


@pytest.mark.parametrize("recipe", ALL)
@pytest.mark.parametrize(
    "starts",
    [
        pytest.param([0, 0, 20, 40], id="first-issue-empty"),
        pytest.param([0, 0, 0, 40], id="first-two-empty"),
        pytest.param([0, 0, 0, 0], id="no-papers"),
    ],
)
def test_examples_and_empty_issues(recipe, starts):
    history = make_history(2)
    history = History(make_issues(3), np.array(starts), history.papers[: starts[-1]], {}, seeds=EXAMPLES)
    for first, last in ((0, 1), (0, 3), (1, 3), (2, 3)):
        for one in rank_block(recipe, history, first, last, REPORTS):
            size = starts[one.issue_index + 1] - starts[one.issue_index]
            assert sorted(one.order) == list(range(size))
            assert len(one.scores) == (0 if one.report == "health" else size)


@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("seeds", [{}, EXAMPLES], ids=["no-examples", "examples"])
@pytest.mark.parametrize("muted", [(), ("tariff", "we show")], ids=["nothing-muted", "muted"])
def test_stored_tokens_cover_all_papers_of_the_task(first, seeds, muted):
    history = with_tokens(replace(make_history(), seeds=seeds))
    found = gathered(history, first, 5, hints={"trade": Hints(muted=muted), "health": Hints(muted=muted[:1])})
    task = found.task
    assert task.kept_tokens is task.tokens
    assert spelled_out(task.tokens) == spelled_out(tokens_of(task.papers))
    assert [*task.new[: len(found.papers)]] == history.papers[history.starts[first] : history.starts[5]]
    n_edited = sum(len(rows) for rows in found.muted.values())
    assert len(task.new) == len(found.papers) + n_edited
    assert bool(n_edited) is bool(muted)


@pytest.mark.parametrize("first", [0, 4])
@pytest.mark.parametrize("recipe", ALL)
def test_stored_tokens_give_the_same_rankings(recipe, first):
    history = replace(make_history(), seeds=EXAMPLES)
    hints = {"trade": Hints(muted=("tariff",), boosted=("health writer1",)), "health": Hints(muted=("nurse",))}
    for one, known_hints in ((history, hints), (replace(history, seeds={}), {})):
        plain = listed_scores(rank_block(recipe, one, first, 6, REPORTS, hints=known_hints))
        assert listed_scores(rank_block(recipe, with_tokens(one), first, 6, REPORTS, hints=known_hints)) == plain
