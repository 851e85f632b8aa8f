from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import Recipe
from presort.ranker.train import blocks, rank_block, replay, replay_apart
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, make_history

RECIPE = RECIPES["krichel-2007"]
REPORTS = list(SUBJECTS)


def contents(ranked):
    return {
        (one.report, one.issue_index): (one.trained_before, one.order.tolist(), one.scores.tolist()) for one in ranked
    }


def never():
    raise AssertionError("features were made")


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 40))
def test_blocks_follow_each_other_without_gap(first, n_issues, retrain_every):
    cut = blocks(first, first + n_issues, retrain_every)
    assert [issue for block in cut for issue in range(*block)] == list(range(first, first + n_issues))
    assert all(one[1] == other[0] for one, other in pairwise(cut))
    assert all(end - start == retrain_every for start, end in cut[:-1])


def test_blocks_of_less_than_an_issue_are_refused():
    with pytest.raises(ValueError, match="retrain_every must be at least 1 issue, got 0"):
        blocks(0, 5, 0)


def test_every_block_is_trained_on_earlier_data():
    history = make_history()
    walked = contents(replay(RECIPE, history, 2, 5, reports=REPORTS, retrain_every=2))
    expected = [*rank_block(RECIPE, history, 2, 4, REPORTS), *rank_block(RECIPE, history, 4, 5, REPORTS)]
    assert walked == contents(expected)
    assert {one[0] for one in walked.values()} == {2, 4}


@pytest.mark.parametrize("recipe", ["krichel-2007", "presort-1", "presort-2"])
def test_rankings_without_readers_are_equal_and_have_no_words(recipe):
    history = make_history()
    read = list(replay(RECIPES[recipe], history, 4, 5, reports=REPORTS, has_readers=True))
    unread = list(replay(RECIPES[recipe], history, 4, 5, reports=REPORTS))
    assert contents(unread) == contents(read)
    assert all(one.words for one in read)
    assert not any(one.words for one in unread)


def test_an_interrupted_replay_resumes():
    history = make_history()
    whole = contents(replay(RECIPE, history, 2, 5, reports=REPORTS))
    done = {((2, 3), report) for report in REPORTS} | {((3, 4), "health")}
    rest = contents(replay(RECIPE, history, 2, 5, reports=REPORTS, skip=done))
    assert rest == {key: one for key, one in whole.items() if ((key[1], key[1] + 1), key[0]) not in done}


def test_a_finished_block_computes_no_features():
    recipe = Recipe("no features", "Fails when used.", SeparateReports(never, never))
    done = {(block, report) for block in blocks(2, 6, 3) for report in REPORTS}
    assert list(replay(recipe, make_history(), 2, 6, reports=REPORTS, retrain_every=3, skip=done)) == []


def whole(ranked):
    return sorted(
        (one.ranker, one.report, one.issue_index, one.trained_before, one.order.tobytes(), one.scores.tobytes())
        for one in ranked
    )


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("retrain_every", [1, 3])
def test_parts_give_the_results_of_a_whole_replay_even_with_stored_models(retrain_every):
    history, recipes = make_history(19, 12), [RECIPE, RECIPES["presort-1"]]
    how = {"reports": REPORTS, "retrain_every": retrain_every}
    skip = {recipe.name: {(block, "work") for block in blocks(6, 12, retrain_every)} for recipe in recipes}
    skip[RECIPE.name] |= {(block, report) for block in blocks(6, 19, retrain_every)[2:] for report in REPORTS}
    expected = [ranked for one in recipes for ranked in replay(one, history, 6, 19, skip=skip[one.name], **how)]
    found = list(replay_apart(recipes, history, 6, 19, n_jobs=1, skip=skip, **how))
    assert whole(found) == whole(expected)
    groups = [key for key, _ in groupby((one.ranker, one.report, one.trained_before) for one in found)]
    assert len(groups) == len(set(groups))  # rankings of one training are consecutive


def test_finished_parts_are_skipped():
    done = {(block, report) for block in blocks(2, 6, 3) for report in REPORTS}
    recipe = Recipe("no features", "Fails when used.", SeparateReports(never, never))
    how = {"reports": REPORTS, "retrain_every": 3, "n_jobs": 1}
    assert list(replay_apart([recipe], make_history(), 2, 6, skip={recipe.name: done}, **how)) == []
