import signal
from datetime import date, timedelta
from itertools import islice

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint, hints
from presort.data.editing.pending import SortedBy, pending
from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.learning.models import find_models, model_store
from presort.data.records import Condition, Decision, ListedPaper, Paper, Report
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.desk.importing.importer import import_path
from presort.desk.service import workflow
from presort.desk.service.rankers import known_rankers_of
from presort.ranker.stacked import method
from presort.ranker.tokens import TOKENISATION, words_of
from presort.ranker.train import TOO_FEW
from presort.ranker.versions import RECIPES
from tests import forked

pytestmark = pytest.mark.whole

FAST = RECIPES["krichel-2007"]
OTHER = RECIPES["arxiv-sanity"]


def finish(work):
    return list(work)


def decide(store, report, issue, paper_ids, word="yes"):
    decisions.decide(store, [Decision(report, issue, paper_id, word, "ada") for paper_id in paper_ids])


def ids(store, issue):
    return [paper.paper_id for paper in catalogue.papers(store, issue)]


def test_rank_creates_one_ranking_per_report_of_the_newest_issue(store, newest):
    steps = finish(workflow.rank(store, [FAST]))
    codes = [report.code for report in catalogue.reports(store)]
    assert sorted(step.report for step in steps) == codes
    assert [step.done for step in steps] == list(range(1, len(codes) + 1))
    assert {step.total for step in steps} == {len(codes)}
    n_papers = len(ids(store, newest))
    for code in codes:
        found = rankings.newest_rankings(store, code, newest)["krichel-2007"].ranking
        assert sorted(found.positions.tolist()) == list(range(1, n_papers + 1))
        assert found.trained_before == newest


def test_ranking_again_from_the_same_decisions_creates_nothing(store):
    finish(workflow.rank(store, [FAST]))
    assert finish(workflow.rank(store, [FAST])) == []


def test_a_new_decision_on_an_earlier_issue_ranks_that_report_again(store, newest):
    finish(workflow.rank(store, [FAST]))
    behind = catalogue.issues(store)[-2].date
    report = next(r.code for r in catalogue.reports(store) if behind not in publications.published(store, r.code))
    decide(store, report, behind, ids(store, behind)[:1])
    assert [step.report for step in workflow.rank(store, [FAST])] == [report]


def test_a_decision_on_the_ranked_issue_or_a_later_one_changes_nothing(store, newest):
    before_newest = catalogue.issues(store)[-2].date
    finish(workflow.rank(store, [FAST, OTHER], issue=before_newest))
    report = next(
        r.code for r in catalogue.reports(store) if before_newest not in publications.published(store, r.code)
    )
    decide(store, report, newest, ids(store, newest)[:9])
    decide(store, report, before_newest, ids(store, before_newest)[:9])
    assert finish(workflow.rank(store, [FAST, OTHER], issue=before_newest)) == []


def test_papers_added_to_an_issue_cause_a_re_ranking(store, newest):
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    commit_import(store, [ListedPaper(Paper("late", "A late paper on wages"), newest)], person="import")
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    assert len(rankings.newest_rankings(store, "lab", newest)["krichel-2007"].ranking.positions) == len(
        ids(store, newest)
    )


def test_an_interrupted_ranking_resumes_with_the_remaining_reports(store):
    finished = [step.report for step in islice(workflow.rank(store, [FAST]), 4)]
    rest = [step.report for step in workflow.rank(store, [FAST])]
    assert sorted(finished + rest) == [report.code for report in catalogue.reports(store)]


KILLED = """
import os, signal, sys
from pathlib import Path
from presort.data.store import open_store
from presort.desk.service import workflow
from presort.ranker.versions import RECIPES
from tests import forked
store = open_store(Path(sys.argv[1]))
for step in workflow.rank(store, [RECIPES["krichel-2007"]]):
    if step.done == 5:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_ranking_leaves_complete_rankings_and_resumes(store, newest):
    workspace = store.folder
    store.close()
    assert forked.run(KILLED, workspace)[0] == -signal.SIGKILL
    opened = open_store(workspace)
    codes = [report.code for report in catalogue.reports(opened)]
    made = [code for code in codes if rankings.newest_rankings(opened, code, newest)]
    assert len(made) == 5
    assert sorted([*made, *(step.report for step in workflow.rank(opened, [FAST]))]) == codes
    opened.close()


def test_a_report_without_enough_selections_keeps_list_order(store, newest):
    catalogue.add_reports(store, [Report("new", "A new report")])
    (step,) = workflow.rank(store, [FAST], reports=["new"])
    assert step.note == TOO_FEW
    found = rankings.newest_rankings(store, "new", newest)["krichel-2007"].ranking
    assert found.positions.tolist() == list(range(1, len(found.positions) + 1))
    assert not len(found.scores)


def test_retired_reports_are_not_ranked(store):
    catalogue.retire_report(store, "lab")
    assert "lab" not in {step.report for step in workflow.rank(store, [FAST])}


def test_publishing_stores_the_relevant_papers_in_shown_order_and_scores_every_ranking(store, newest):
    finish(workflow.rank(store, [FAST, OTHER], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["arxiv-sanity"]
    papers = ids(store, newest)
    chosen = [papers[p - 1] for p in shown.ranking.positions[[8, 2, 5]].tolist()]
    decide(store, "lab", newest, chosen)
    decide(store, "lab", newest, papers[:1], word="maybe") if papers[0] not in chosen else None
    assert workflow.publish_report_issue(store, "lab", newest, shown, person="ada") == 3
    published_issue = publications.published(store, "lab")[newest]
    assert published_issue.published == tuple(shown.ranking.positions[[2, 5, 8]].tolist())
    assert published_issue.ranking_id == shown.id
    scored = {x.ranker: x for x in outcomes.scored_rankings(store, "lab") if x.issue == newest}
    assert scored["arxiv-sanity"].places.tolist() == [3, 6, 9]
    assert scored["arxiv-sanity"].condition is Condition.SHOWN
    assert scored["krichel-2007"].condition is not Condition.SHOWN


def test_a_publication_is_kept_even_if_scores_can_not_be_stored(store, newest, monkeypatch):
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    decide(store, "lab", newest, ids(store, newest)[:2])

    def busy(*_):
        raise WorkspaceError("presort.db is being written to by another process")

    with monkeypatch.context() as patched:
        patched.setattr(outcomes, "score_published_issues", busy)
        assert workflow.publish_report_issue(store, "lab", newest, shown, person="ada") == 2
    assert len(publications.published(store, "lab")[newest].published) == 2
    assert not outcomes.scored_rankings(store, "lab")
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    assert [one.issue for one in outcomes.scored_rankings(store, "lab")] == [newest]


def test_publishing_twice_is_refused_and_changes_nothing(store, newest):
    workflow.publish_report_issue(store, "lab", newest, None, person="ada")
    with pytest.raises(RefusedError, match=r"lab .* was published on"):
        workflow.publish_report_issue(store, "lab", newest, None, person="bob")
    assert publications.published(store, "lab")[newest].person == "ada"


def test_publishing_an_older_issue_re_ranks_that_report(store, newest):
    """Undecided papers become negatives then, so the ranking differs although no decision was added."""
    behind = catalogue.issues(store)[-2].date
    report = next(r.code for r in catalogue.reports(store) if behind not in publications.published(store, r.code))
    decide(store, report, behind, ids(store, behind)[:3])
    finish(workflow.rank(store, [FAST]))
    workflow.publish_report_issue(store, report, behind, None, person="ada")
    assert [step.report for step in workflow.rank(store, [FAST])] == [report]


def test_real_papers_do_not_mix_with_the_demo(store, tmp_path):
    catalogue.set_setting(store, DEMO, "1")
    with pytest.raises(RefusedError, match="contains the demo"):
        import_path(store, tmp_path / "papers.csv", person="import")


def test_an_empty_report_issue_can_be_published(store, newest):
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    assert workflow.publish_report_issue(store, "lab", newest, shown, person="ada") == 0
    (scored,) = [x for x in outcomes.scored_rankings(store, "lab") if x.issue == newest]
    assert scored.places.tolist() == []


def test_selections_imported_after_a_ranking_score_it(store, newest, tmp_path):
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    file = tmp_path / "selected.csv"
    paper = catalogue.papers(store, newest)[4]
    file.write_text(f'paper_id,title,issue,reports\n{paper.paper_id},"{paper.title}",{newest},lab\n', encoding="utf-8")
    import_path(store, file, person="import")
    assert [x.issue for x in outcomes.scored_rankings(store, "lab")] == [newest]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda s: workflow.rank(s, [FAST], reports=["xyz"]), "no report xyz", id="unknown-report"),
        pytest.param(
            lambda s: workflow.rank(s, [FAST], issue=date(2001, 1, 1)), "no issue of 2001", id="unknown-issue"
        ),
        pytest.param(
            lambda s: workflow.replay(s, [FAST], first=date(2001, 1, 1), last=date(2001, 2, 1)),
            "no issue between 2001-01-01 and 2001-02-01",
            id="empty-span",
        ),
    ],
)
def test_unknown_issues_and_reports_are_refused_by_name(store, call, message):
    with pytest.raises(DataError, match=message):
        finish(call(store))


def test_an_empty_workspace_says_what_to_do(empty_store):
    with pytest.raises(RefusedError, match="Import papers first"):
        finish(workflow.rank(empty_store, [FAST]))


def test_a_workspace_without_reports_says_what_to_do(empty_store):
    commit_import(empty_store, [ListedPaper(Paper("a", "A title"), date(2026, 1, 5))], person="import")
    with pytest.raises(RefusedError, match="no reports yet"):
        finish(workflow.rank(empty_store, [FAST]))


def test_a_ranking_uses_no_later_data(store, tmp_path, listings):
    """The ranking of an issue is independent of later issues, and of decisions on them or on the issue itself."""
    cut = catalogue.issues(store)[4].date
    finish(workflow.rank(store, [FAST, OTHER], issue=cut))
    other = open_store(tmp_path / "other")
    changed = [x if x.issue < cut else ListedPaper(x.paper, x.issue, ("lab",)) for x in listings]
    codes = tuple(report.code for report in catalogue.reports(store))
    changed.append(ListedPaper(Paper("later", "Something else entirely"), cut + timedelta(days=700), codes))
    commit_import(other, changed, person="import")
    finish(workflow.rank(other, [FAST, OTHER], issue=cut))
    for report in catalogue.reports(store):
        ours, theirs = (rankings.newest_rankings(s, report.code, cut) for s in (store, other))
        for ranker, found in ours.items():
            np.testing.assert_array_equal(found.ranking.positions, theirs[ranker].ranking.positions)
            np.testing.assert_array_equal(found.ranking.scores, theirs[ranker].ranking.scores)
    other.close()


def order_of(store, report, issue, ranker="krichel-2007"):
    return rankings.newest_rankings(store, report, issue)[ranker].ranking


def top_word(store, report, issue):
    paper = catalogue.papers(store, issue)[order_of(store, report, issue).positions[0] - 1]
    return max(words_of(paper.title), key=len)


def test_an_import_stores_the_tokens_of_its_papers(empty_store, tmp_path):
    path = tmp_path / "issue.csv"
    path.write_text("paper_id,title,issue\np1,Wages and trust,2026-11-16\n")
    import_path(empty_store, path, person="files")
    tokens = read_history(empty_store, date.max, tokens=TOKENISATION).tokens
    assert [tokens.vocabulary[number] for number in tokens.title.values] == ["wages", "trust"]


def test_rank_stores_missing_tokens(empty_store, listings, newest):
    commit_import(empty_store, listings, person="import")
    assert read_history(empty_store, newest, tokens=TOKENISATION).tokens is None  # published without a tokeniser
    finish(workflow.rank(empty_store, [FAST], reports=["lab"]))
    papers = read_history(empty_store, newest).papers
    assert len(read_history(empty_store, newest, tokens=TOKENISATION).tokens) == len(papers)


def test_a_new_hint_causes_a_re_ranking_that_uses_it(store, newest):
    finish(workflow.rank(store, [FAST]))
    word = top_word(store, "lab", newest)
    before = order_of(store, "lab", newest)
    add_hint(store, "lab", "mute", word, person="ada")
    assert [step.report for step in workflow.rank(store, [FAST])] == ["lab"]
    after = order_of(store, "lab", newest)
    assert (before.hints_up_to, after.hints_up_to) == (0, hints(store)["lab"].up_to)
    assert after.scores.tolist() != before.scores.tolist()
    assert finish(workflow.rank(store, [FAST])) == []


@pytest.mark.usefixtures("has_vectors")
def test_a_report_with_an_example_is_ranked_from_its_first_issue(store, newest):
    catalogue.add_reports(store, [Report("new", "New")])
    add_hint(store, "new", "seed", "Wages and unions\nWorkers, strikes, employers.", person="ada")
    finish(workflow.rank(store, list(RECIPES.values()), reports=["new"]))
    for ranker in RECIPES:
        found = order_of(store, "new", newest, ranker)
        assert len(found.scores) == len(found.positions)
        assert found.n_relevant == 1


def test_a_model_stays_in_the_workspace_and_gives_the_same_ranking(store, newest, monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 7)
    ours = RECIPES["presort-1"]
    finish(workflow.rank(store, [ours]))
    first = {report.code: order_of(store, report.code, newest, ours.name) for report in catalogue.reports(store)}
    [path] = find_models(model_store(store).path, ours.name)
    written = path.stat().st_mtime_ns
    with store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM ranking")
    finish(workflow.rank(store, [ours]))
    assert path.stat().st_mtime_ns == written
    for code, before in first.items():
        assert order_of(store, code, newest, ours.name).scores.tolist() == before.scores.tolist()


TOGETHER = RECIPES["presort-1"]


def sorted_by(store, report, issue):
    issues = [one for one in pending(store, [report], today=issue) if one.issue == issue]
    return known_rankers_of(store, issues)[report, issue].get(TOGETHER.name)


def test_decisions_of_another_report_make_a_list_outdated(store, newest):
    finish(workflow.rank(store, [TOGETHER]))
    behind = catalogue.issues(store)[-2].date
    other = next(r.code for r in catalogue.reports(store) if behind not in publications.published(store, r.code))
    before = order_of(store, "lab", newest, TOGETHER.name)
    assert sorted_by(store, "lab", newest) is SortedBy.ALL
    decide(store, other, behind, ids(store, behind)[::2])
    assert sorted_by(store, "lab", newest) is (SortedBy.ALL_BUT_OTHERS if other != "lab" else SortedBy.LESS)
    again = finish(workflow.rank(store, [TOGETHER]))
    assert sorted(step.report for step in again) == [report.code for report in catalogue.reports(store)]
    assert order_of(store, "lab", newest, TOGETHER.name).scores.tolist() != before.scores.tolist()
    assert sorted_by(store, "lab", newest) is SortedBy.ALL
    assert finish(workflow.rank(store, [TOGETHER])) == []


def test_an_example_of_another_report_affects_all_jointly_trained_reports(store, newest):
    finish(workflow.rank(store, [TOGETHER, FAST]))
    add_hint(store, "mac", "mute", "wage", person="ada")
    assert {step.report for step in workflow.rank(store, [TOGETHER, FAST])} == {"mac"}
    add_hint(store, "mac", "seed", "Wages and unions", person="ada")
    steps = finish(workflow.rank(store, [TOGETHER, FAST]))
    assert {step.report for step in steps if step.ranker == FAST.name} == {"mac"}
    assert len({step.report for step in steps if step.ranker == TOGETHER.name}) == len(catalogue.reports(store))


def test_papers_added_to_an_earlier_issue_re_rank_later_ones(store, newest):
    finish(workflow.rank(store, [FAST], reports=["lab"]))
    commit_import(
        store, [ListedPaper(Paper("late", "A late paper on wages"), newest - timedelta(days=7))], person="import"
    )
    assert [step.report for step in workflow.rank(store, [FAST], reports=["lab"])] == ["lab"]


def test_ranking_starts_from_the_stored_model_and_training_ahead_creates_the_next(store, newest, monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
    monkeypatch.setattr(method, "PERIOD", 3)
    days = [issue.date for issue in catalogue.issues(store)]

    def models():
        return [path.stem.removeprefix("presort-1-") for path in find_models(model_store(store).path, "presort-1")]

    finish(workflow.rank(store, [TOGETHER], issue=days[4]))
    assert models() == [str(days[3])]  # there was none
    finish(workflow.rank(store, [TOGETHER], issue=newest))
    assert models() == [str(days[3])]
    assert workflow.learn(store, [TOGETHER, FAST]) == ["presort-1"]
    assert models() == [str(days[(len(days) - 1) // 3 * 3]), str(days[3])]
    assert workflow.learn(store, [TOGETHER, FAST]) == []
