"""Explanations of ranks for every ranker, and their texts."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.learning.models import find_models, model_store
from presort.data.records import Decision, Hints, Paper, Ranking, Report
from presort.desk.service import workflow
from presort.desk.why.explanation import Pick, make_explainer, merge_sub_terms
from presort.desk.why.labels import (
    describe_hints,
    hint_changes_text,
    reasons_up_and_down,
    strongest_reasons,
    training_data_text,
)
from presort.ranker.hints import has
from presort.ranker.recipe import Reason
from presort.ranker.stacked import method
from presort.ranker.versions import RECIPES
from tests.metrics.strategies import BRIEF

pytestmark = pytest.mark.whole

FAST = RECIPES["krichel-2007"]


def rank(store, recipe, issue=None, report="lab"):
    list(workflow.rank(store, [recipe], issue=issue, reports=[report]))
    day = issue or catalogue.issues(store)[-1].date
    return rankings.newest_rankings(store, report, day)[recipe.name].ranking


@pytest.mark.usefixtures("has_vectors")
@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_ranker_explains_and_uses_hints(store, newest, recipe):
    ranking = rank(store, recipe)
    found = make_explainer(store, recipe, newest)
    best, last = (found.explain("lab", int(ranking.positions[place])) for place in (0, -1))
    for why in (best, last):
        assert sum(abs(reason.share) for reason in why.reasons) == pytest.approx(1)
    assert sum(reason.share for reason in best.reasons) > sum(reason.share for reason in last.reasons)
    papers = read_history(store, newest)
    picked = {papers.papers[row].title for row in papers.relevant["lab"]}
    assert len(best.similar) == 3
    assert {pick.title for pick in best.similar} <= picked
    assert all(0 < pick.similarity <= 1 and pick.issue < newest for pick in best.similar)
    assert found.is_of(ranking)
    assert_hints_are_used(store, newest, recipe, ranking, best)


def assert_hints_are_used(store, newest, recipe, ranking, best):
    """Check that muted terms are no reasons and boosted terms are named, for the paper that was first."""
    position = int(ranking.positions[0])
    paper = catalogue.papers(store, newest)[position - 1]
    up, _ = strongest_reasons(best.reasons)
    muted, boosted = [reason.text for reason in up if reason.field == "word" and has(paper, reason.text)][:2]
    for kind, term in {"mute": muted, "boost": boosted}.items():
        add_hint(store, "lab", kind, term, person="ann")
    add_hint(store, "lab", "mute", "stands nowhere", person="ann")
    add_hint(store, "mac", "mute", boosted, person="bob")
    found = make_explainer(store, recipe, newest)
    why = found.explain("lab", position)
    assert muted not in {reason.text for reason in why.reasons}
    assert why.hints == Hints(muted=(muted,), boosted=(boosted,))
    assert not found.is_of(ranking)
    assert found.is_of(rank(store, recipe))


def test_a_ranking_is_not_explained_by_a_model_with_later_decisions(store, newest):
    ranking = rank(store, FAST)
    earlier = catalogue.issues(store)[2].date
    behind = next(
        report.code for report in catalogue.reports(store) if earlier not in publications.published(store, report.code)
    )
    own = rank(store, FAST, report=behind)
    papers = [paper.paper_id for paper in catalogue.papers(store, earlier)]
    decisions.decide(store, [Decision(behind, earlier, paper, "yes", "ann") for paper in papers[:5]])
    found = make_explainer(store, FAST, newest)
    assert found.is_of(ranking)
    assert not found.is_of(own)


def test_a_new_report_has_no_explanations_until_it_has_examples(store, newest):
    catalogue.add_reports(store, [Report("new", "A new report")])
    ranking = rank(store, FAST, report="new")
    found = make_explainer(store, FAST, newest)
    assert found.explain("new", 1) is None
    assert not found.is_of(ranking)
    wages = next(p for p in catalogue.papers(store, newest) if "wage" in f"{p.title} {p.abstract}".lower())
    add_hint(store, "new", "seed", f"{wages.title}\n{wages.abstract}", person="ann")
    ranking = rank(store, FAST, report="new")
    found = make_explainer(store, FAST, newest)
    assert found.is_of(ranking)
    position = catalogue.papers(store, newest).index(wages) + 1
    assert position == ranking.positions[0]
    (pick,) = found.explain("new", position).similar
    assert pick == Pick(wages.title, pick.similarity, None)


def test_a_paper_that_joined_the_issue_makes_another_list(store, newest):
    ranking = rank(store, FAST)
    is_old = ranking.positions != ranking.positions.max()
    shorter = replace(ranking, positions=ranking.positions[is_old], scores=ranking.scores[is_old])
    assert not make_explainer(store, FAST, newest).is_of(shorter)


def test_explaining_an_old_issue_keeps_the_newest_models(empty_store, listings, monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 2)
    large = {"lab", "mac"}  # a model of a growing service would be retrained each time
    commit_import(
        empty_store,
        [replace(one, selected_by=tuple(large.intersection(one.selected_by))) for one in listings],
        person="import",
    )
    days = [issue.date for issue in catalogue.issues(empty_store)]
    recipe, folder = RECIPES["presort-1"], model_store(empty_store).path
    for day in days[-4:]:
        rank(empty_store, recipe, day)
    kept = find_models(folder, recipe.name)
    make_explainer(empty_store, recipe, days[3])
    assert kept
    assert find_models(folder, recipe.name)[: len(kept)] == kept


def word(text, share):
    return Reason("word", text, share)


WAGES = Paper(
    "p1",
    "Minimum wages and the wage gap",
    "We look at non-compete clauses. Minimum wages rose; the wage rose.",
    ("Anne-Marie Ek", "Bo Ek", "Zoë Núñez"),
    ("J31 J38", "E3"),
)


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        pytest.param(
            [word("minimum", 0.5), word("minimum wages", 0.5)], [word("minimum wages", 1.0)], id="only-in-the-phrase"
        ),
        pytest.param(
            [word("wage", 0.5), word("wage gap", 0.5)], [word("wage", 0.5), word("wage gap", 0.5)], id="also-alone"
        ),
        pytest.param(
            [word("minimum", 0.75), word("minimum wages", 0.25)],
            [word("minimum", 0.75), word("minimum wages", 0.25)],
            id="word-with-most-of-the-weight",
        ),
        pytest.param(
            [word("minimum wages", 0.5), word("minimum", -0.25), word("gap", 0.25)],
            [word("gap", 0.5), word("minimum wages", 0.5)],
            id="opposite-parts-are-offset",
        ),
        pytest.param(
            [Reason("code", "E", 0.25), Reason("code", "E3", 0.5), Reason("code", "J", 0.25)],
            [Reason("code", "E3", 0.75), Reason("code", "J", 0.25)],
            id="a-group-of-one-code-and-one-of-two",
        ),
        pytest.param([Reason("code", "e3", 1.0)], [Reason("code", "E3", 1.0)], id="code-as-written"),
        pytest.param(
            [Reason("author", "zoe", 0.25), Reason("author", "zoë núñez", 0.25), Reason("author", "ek", 0.5)],
            [Reason("author", "Zoë Núñez", 0.5), Reason("author", "ek", 0.5)],
            id="name-and-shared-name",
        ),
        pytest.param([Reason("author", "annemarie", 1.0)], [Reason("author", "Anne-Marie Ek", 1.0)], id="hyphen"),
        pytest.param(
            [Reason("record", "", -0.5), Reason("series", "notes", 0.5)],
            [Reason("record", "", -0.5), Reason("series", "notes", 0.5)],
            id="other-terms-unchanged",
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_sub_terms_are_merged_into_the_full_term(reasons, expected):
    assert merge_sub_terms(WAGES, reasons) == sorted(expected, key=lambda one: (-abs(one.share), one.field, one.text))


SHARES = st.floats(-1, 1).filter(lambda share: abs(share) > 1e-6)


@BRIEF
@given(st.lists(st.builds(Reason, st.sampled_from(["word", "code", "author", "record"]), st.text("abej3 "), SHARES)))
def test_only_some_reasons_are_named_and_all_are_counted(reasons):
    reasons = sorted(reasons, key=lambda one: -abs(one.share))
    up, down = strongest_reasons(reasons)
    assert len(up) <= 6
    assert len(down) <= 4
    assert all(one.share >= 0.01 for one in up)
    assert all(one.share <= -0.01 for one in down)
    for line, chosen, n_all in zip(
        reasons_up_and_down(reasons),
        (up, down),
        np.bincount([one.share < 0 for one in reasons], minlength=2),
        strict=True,
    ):
        n_more = [int(part.split()[0]) for part in line.partition(": ")[2].split(" · ") if "small" in part]
        assert len(chosen) + sum(n_more) == n_all
        assert line.endswith(": nothing") == (n_all == 0)


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        pytest.param(Hints(), "", id="nothing"),
        pytest.param(Hints(muted=tuple("abcdefg")), "muted 'a', 'b', 'c', 'd', 'e' and 2 more", id="many"),
        pytest.param(Hints(boosted=("wage", "tax")), "boosted 'wage', 'tax'", id="boosted"),
    ],
)
def test_texts_on_hints(hints, message):
    assert describe_hints(hints) == message


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        pytest.param(Hints(up_to=3), Hints(up_to=5), "", id="added-and-removed"),
        pytest.param(Hints(), Hints(muted=("a", "b")), "mutes 'a', 'b'.", id="muted"),
        pytest.param(Hints(muted=("a",)), Hints(boosted=("a",)), "boosts 'a'.", id="turned-round"),
        pytest.param(Hints(muted=("a", "b")), Hints(), "no longer mutes or boosts 'a', 'b'.", id="taken-back"),
        pytest.param(Hints(seeds=("a",)), Hints(), "trains on no examples.", id="no-example-left"),
        pytest.param(Hints(seeds=("a", "b")), Hints(seeds=("b", "a")), "", id="in-another-order"),
        pytest.param(Hints(), Hints(seeds=("a", "b")), "trains on 2 examples.", id="examples"),
    ],
)
def test_texts_on_hints_of_the_next_ranking(before, now, message):
    assert hint_changes_text(before, now) == (message and f"The next ranking {message}")


@pytest.mark.parametrize(
    ("n_relevant", "seeds", "message"),
    [
        pytest.param(0, (), "0 relevant papers before 2026-11-16", id="nothing"),
        pytest.param(928, (), "928 relevant papers before 2026-11-16", id="decisions"),
        pytest.param(3, ("a", "b", "c"), "3 examples", id="examples"),
        pytest.param(2, ("a",), "1 example and 1 relevant paper before 2026-11-16", id="both"),
        pytest.param(1, ("Wages.",), "the report's criteria", id="criteria"),
        pytest.param(2, ("Wages.", "a"), "the report's criteria and 1 example", id="criteria-and-example"),
    ],
)
def test_texts_on_the_training_data(n_relevant, seeds, message):
    empty = np.empty(0, dtype=np.int32)
    ranking = Ranking("lab", date(2026, 11, 16), "presort-1", date(2026, 11, 16), 0, n_relevant, empty, empty)
    assert training_data_text(ranking, Hints(seeds=seeds), "Wages.") == message
