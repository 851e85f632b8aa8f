"""Rankings and figures of a published report issue use no data from after its first publication."""

import random
import shutil
from contextlib import closing

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint
from presort.data.editing.pending import SortedBy, pending
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read
from presort.data.learning import outcomes, rankings
from presort.data.learning.sorted_lists import official_lists
from presort.data.records import Condition, Decision
from presort.data.store import open_store
from presort.desk.scores import table
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.service import workflow
from presort.desk.service.pending import outdated_issues, rank_pending
from presort.desk.service.rankers import known_rankers_of, review_ranking
from presort.ranker.versions import RECIPES

pytestmark = pytest.mark.whole

FAST, TOGETHER = RECIPES["krichel-2007"], RECIPES["presort-2"]


def finish(work):
    return list(work)


def decide(store, report, issue, papers, word="yes"):
    decisions.decide(store, [Decision(report, issue, paper.paper_id, word, "ada") for paper in papers])


def publish(store, issue, shown, report="lab"):
    mark_read(store, report, issue, shown.id, len(shown.ranking.positions), person="ada")
    workflow.publish_report_issue(store, report, issue, shown, person="ada")


@pytest.fixture
def published(store, newest):
    """The newest issue, published for lab in the order of a ranking whose last paper is relevant."""
    finish(workflow.rank(store, [FAST, RECIPES["arxiv-sanity"]], reports=["lab", "mac"]))
    shown = rankings.newest_rankings(store, "lab", newest)[FAST.name]
    decide(store, "lab", newest, [last_of(store, shown)])
    publish(store, newest, shown)
    return store


def last_of(store, shown):
    return catalogue.papers(store, shown.ranking.issue)[shown.ranking.positions[-1] - 1]


def boost_last(store, issue, report="lab"):
    """Boost a term that only the last paper of the shown ranking contains."""
    shown = rankings.newest_rankings(store, report, issue)[FAST.name]
    paper = last_of(store, shown)
    for word in paper.title.split():
        add_hint(store, report, "boost", word, person="ada")
    add_hint(store, report, "seed", f"{paper.title}\n{paper.abstract}", person="ada")


def figures(store, report="lab"):
    scored = table.scores(store, report=report)
    official = rows_of(store, scored, SORTED)
    return scored.assign(outcome=scored["outcome"].map(repr)).to_csv(), official["ranking_id"].tolist()


def test_reopening_and_publishing_again_does_not_move_a_figure(published, newest):
    before = figures(published)
    boost_last(published, newest)
    reopen(published, "lab", newest, "A typo.", person="ada")
    assert review_ranking(published, "lab", newest).ranking.ranker == FAST.name
    finish(workflow.rank(published, [FAST], issue=newest, reports=["lab"]))
    finish(rank_pending(published, reports=["lab"]))
    publish(published, newest, review_ranking(published, "lab", newest))
    assert figures(published) == before


def test_a_reopened_issue_is_shown_as_it_was_read_and_never_outdated(published, newest):
    shown = rankings.newest_rankings(published, "lab", newest)[FAST.name]
    boost_last(published, newest)
    reopen(published, "lab", newest, "A typo.", person="ada")
    (waiting,) = [one for one in pending(published, ["lab"], today=newest) if one.issue == newest]
    assert set(known_rankers_of(published, [waiting])["lab", newest].values()) == {SortedBy.ALL}
    assert outdated_issues(published, [waiting]) == []
    assert finish(rank_pending(published, reports=["lab"])) == []
    assert review_ranking(published, "lab", newest).id == shown.id


def test_ranking_a_past_issue_uses_no_later_hint_and_changes_no_figure(replayed):
    past = catalogue.issues(replayed)[-3].date
    before = figures(replayed)
    (row,) = table.scores(replayed, report="lab").query("ranker == @FAST.name and issue == @past").itertuples()
    (relevant,) = [catalogue.papers(replayed, past)[0]]
    add_hint(replayed, "lab", "seed", f"{relevant.title}\n{relevant.abstract}", person="ada")
    finish(workflow.rank(replayed, [FAST], issue=past, reports=["lab"]))
    made = rankings.newest_rankings(replayed, "lab", past)[FAST.name]
    assert (made.ranking.hints_up_to, np.isnan(row.replay)) == (0, False)
    assert figures(replayed) == before
    of_lab = [one for of_report in official_lists(replayed, FAST.name) for one in of_report if one.report == "lab"]
    assert row.ranking_id in [one.ranking_id for one in of_lab if one.issue == past]


def test_a_ranking_with_later_hints_is_never_official(published, newest):
    """An older version of Presort created such rankings."""
    before = figures(published)
    shown = rankings.newest_rankings(published, "lab", newest)[FAST.name]
    add_hint(published, "lab", "boost", "wage", person="ada")
    backwards = shown.ranking.positions[::-1].copy()
    rankings.add_rankings(
        published, [workflow.dataclasses.replace(shown.ranking, positions=backwards, hints_up_to=1, ranker="presort-1")]
    )
    workflow.score(published)
    made = [x for x in outcomes.scored_rankings(published, "lab") if x.ranker == "presort-1"]
    assert [x.condition for x in made] == [Condition.HINDSIGHT]
    assert figures(published) == before


@pytest.mark.parametrize("recipe", [RECIPES["asreview-u4"], TOGETHER], ids=["alone", "together"])
@pytest.mark.parametrize("seed", range(2))
def test_later_data_does_not_change_a_ranking(published, newest, tmp_path, recipe, seed):
    """If a ranker has not ranked the issue yet, a later ranking is identical to one computed at once, bit by bit."""
    figures_then = figures(published)
    published.close()
    elsewhere = shutil.copytree(published.folder, tmp_path / "elsewhere")
    with closing(open_store(published.folder)) as store:
        finish(workflow.rank(store, [recipe], issue=newest, reports=["lab", "mac"]))
        at_once = ranked_of(store, recipe, newest)
    with closing(open_store(elsewhere)) as store:
        live_through(store, newest, random.Random(seed))
        assert figures_of_issue(figures(store)[0], newest) == figures_of_issue(figures_then[0], newest)
        finish(workflow.rank(store, [recipe], issue=newest, reports=["lab"]))
        later = ranked_of(store, recipe, newest)
    assert later.positions.tolist() == at_once.positions.tolist()
    assert later.scores.tobytes() == at_once.scores.tobytes()
    assert (later.hints_up_to, later.decisions_up_to) == (at_once.hints_up_to, at_once.decisions_up_to)


def ranked_of(store, recipe, issue, report="lab"):
    return rankings.newest_rankings(store, report, issue)[recipe.name].ranking


def figures_of_issue(csv, issue):
    return [line.split(",", 1)[1] for line in csv.splitlines() if str(issue) in line]


def live_through(store, newest, dice):
    """Add hints and examples, and change decisions on earlier issues, for this report and for others."""
    days = [issue.date for issue in catalogue.issues(store)]
    for report in ("lab", "mac", "edu"):
        for day in dice.sample(days[:-1], 3):
            papers = catalogue.papers(store, day)
            if day in publications.published(store, report):
                reopen(store, report, day, "Once more.", person="ada")
            decide(store, report, day, dice.sample(papers, 5), dice.choice(["yes", "no", "maybe", "undecided"]))
            if dice.random() < 0.5:
                workflow.publish_report_issue(store, report, day, None, person="ada")
        paper = dice.choice(catalogue.papers(store, newest))
        add_hint(store, report, dice.choice(["mute", "boost"]), dice.choice(paper.title.split()), person="ada")
        add_hint(store, report, "seed", f"{paper.title}\n{paper.abstract}", person="ada")
