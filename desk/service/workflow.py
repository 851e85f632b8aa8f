"""Main use cases of a service: rank, replay, train ahead, publish, and score.

The application and the command line call these functions. Long-running functions are generators of `Progress`: the
caller draws the progress bar and may stop at any time. Finished work is stored, and repeating the call resumes from
there.
"""

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import date

import numpy as np

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.errors import BrokenRankerError, RefusedError, WorkspaceError, raise_ranker_errors
from presort.data.learning import outcomes, rankings
from presort.data.learning.first_publications import cutoffs
from presort.data.learning.missing_rankings import MissingRanking
from presort.data.learning.models import model_store
from presort.data.learning.tokens import keep_tokens
from presort.data.records import ApprovedDraft, Cutoff, Issue, Positions, StoredRanking
from presort.data.rights import Right
from presort.data.store import Store
from presort.desk.service.rankers import recipes_in_use
from presort.desk.service.ranking_plan import RankingPlan, RankingRequest, plan_rankings
from presort.desk.service.ranking_run import Progress, run_plan, training_history
from presort.desk.service.stop_audits import make_stop_audits
from presort.desk.session import progress
from presort.desk.session.progress import current_order, relevance_model_of
from presort.ranker.recipe import Recipe
from presort.ranker.stopping.relevance_model import RelevanceModel
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.train import learn_ahead


class NothingToRankError(RefusedError):
    """The workspace has no issues or no reports yet. A scheduled job doesn't treat this as a failure."""


def rank(
    store: Store,
    recipes: Sequence[Recipe] = (),
    *,
    issue: date | None = None,
    reports: Sequence[str] = (),
    n_jobs: int = 1,
) -> Iterator[Progress]:
    """Rank an issue for each report and store the rankings. Skips rankings that are up to date.

    If a report has already published the issue, its ranking doesn't use later decisions, hints or examples, because
    hindsight would improve its scores. A published issue that the same ranker has already ranked is skipped.

    Parameters
    ----------
    recipes : sequence of Recipe
        Defaults to the active ranker and its shadows.
    issue : date, optional
        Defaults to the newest issue.
    reports : sequence of str
        Codes of the reports. Defaults to all reports that are not retired.
    n_jobs : int
        Number of processes for training.

    Yields
    ------
    Progress
        One for each report and training, and one for each additional note. Nothing is yielded if all rankings are up to
        date.

    Raises
    ------
    BrokenRankerError
        If a ranker of another package failed. Raised after all other rankings are done.
    """
    store = store.without_guard()
    issues = _issues(store)
    day = issues[-1].date if issue is None else issue
    chosen = recipes or recipes_in_use(store, day)
    groups = _group_by_cutoff(store, day, known_reports(store, reports))
    done, left = 0, len(chosen) * sum(map(len, groups.values()))
    broken: list[BrokenRankerError] = []
    for cutoff, codes in groups.items():
        left -= len(chosen) * len(codes)
        n_done = 0
        request = RankingRequest(
            recipes=chosen, issues=issues, first=day, last=day, reports=codes, n_jobs=n_jobs, cutoff=cutoff
        )
        try:
            for step in _make_rankings(store, plan_rankings(store, request)):
                n_done = step.done
                yield dataclasses.replace(step, done=done + n_done, total=done + step.total + left)
        except BrokenRankerError as error:  # continue with the other reports
            broken.append(error)
        done += n_done
    raise_ranker_errors(broken)


def _group_by_cutoff(store: Store, issue: date, reports: Sequence[str]) -> dict[Cutoff | None, list[str]]:
    """Group reports by the log cutoff for ranking an issue. None means no cutoff."""
    known = cutoffs(store, issue)
    found: dict[Cutoff | None, list[str]] = {}
    for code in reports:
        found.setdefault(known.get(code), []).append(code)
    return found


def learn(store: Store, recipes: Sequence[Recipe] = (), *, n_jobs: int = 1) -> list[str]:
    """Train and store the models needed for the coming weeks. Returns the names of the trained rankers.

    This function also computes missing scores, and missing stop audits for published lists. After an upgrade that
    changed the measures, all scores are missing.

    Ranking starts from the newest stored model, so it works even if this function has not run. It can therefore run at
    night, or after a report issue has been published.

    Parameters
    ----------
    recipes : sequence of Recipe
        Defaults to the active ranker, its shadows, and the rankers that were chosen to start with the next issue.
    n_jobs : int
        Number of processes for training.
    """
    store = store.without_guard()
    day = _issues(store)[-1].date
    codes = known_reports(store)
    keep_tokens(store, tokenise, TOKENISATION)
    chosen = recipes or list(
        {recipe.name: recipe for recipe in (*recipes_in_use(store, day), *recipes_in_use(store))}.values()
    )
    history, models = training_history(store, chosen, day, day), model_store(store)
    store.end_snapshot()  # training takes minutes, and an open read transaction would make the write-ahead log grow
    before = len(history.issues) - 1
    learned = [
        recipe.name
        for recipe in chosen
        if learn_ahead(recipe, history, codes, models=models, before=before, n_jobs=n_jobs)
    ]
    make_stop_audits(store)
    score(store)
    return learned


def replay(
    store: Store,
    recipes: Sequence[Recipe],
    *,
    first: date,
    last: date,
    retrain_every: int = 1,
    reports: Sequence[str] = (),
    n_jobs: int = 1,
) -> Iterator[Progress]:
    """Rank past issues as if each of them were new, score the rankings, and store them as one replay.

    Parameters
    ----------
    recipes : sequence of Recipe
        Rankers to replay.
    first, last : date
        First and last issue.
    retrain_every : int
        Number of issues between trainings.
    reports : sequence of str
        Codes of the reports. Defaults to all reports that are not retired.
    n_jobs : int
        Number of processes for training.

    Raises
    ------
    RefusedError
        If there is no issue between the dates, or if a report doesn't exist.
    """
    store = store.without_guard()
    issues = _issues(store)
    days = [issue.date for issue in issues if first <= issue.date <= last]
    if not days:
        raise RefusedError(f"There is no issue between {first} and {last}.")
    codes = known_reports(store, reports)
    request = RankingRequest(
        recipes=recipes,
        issues=issues,
        first=days[0],
        last=days[-1],
        reports=codes,
        retrain_every=retrain_every,
        n_jobs=n_jobs,
        replay=rankings.find_replay(store, days[0], days[-1], retrain_every),
    )
    yield from _make_rankings(store, plan_rankings(store, request))
    make_stop_audits(store, n_jobs)


def rank_missing(
    store: Store, recipe: Recipe, issues: Sequence[date], missing: Collection[MissingRanking], *, n_jobs: int = 1
) -> Iterator[Progress]:
    """Rank selected report issues as `replay` does, and score the rankings. Their stop audits are computed by `learn`.

    Parameters
    ----------
    recipe : Recipe
        Ranker.
    issues : sequence of date
        The replay's issues, oldest first. Calling this again with the same first and last issue resumes the replay.
    missing : collection of MissingRanking
        Report issues to rank. All of them belong to `issues`.
    n_jobs : int
        Number of processes for training.
    """
    store = store.without_guard()
    if not missing:
        score(store)  # an interrupted call may have left rankings without scores
        return
    first, last = issues[0], issues[-1]
    request = RankingRequest(
        recipes=[recipe],
        issues=_issues(store),
        first=first,
        last=last,
        reports=known_reports(store, {one.report for one in missing}),
        n_jobs=n_jobs,
        replay=rankings.find_replay(store, first, last, 1),
        only=missing,
    )
    yield from _make_rankings(store, plan_rankings(store, request))


def publish_report_issue(
    store: Store,
    report: str,
    issue: date,
    shown: StoredRanking | None,
    *,
    person: str,
    relevance_model: RelevanceModel | None = None,
    approved: ApprovedDraft | None = None,
) -> int:
    """Publish the papers selected from an issue, and score its rankings. Returns the number of published papers.

    The papers are published in the draft's order. The editor's review progress is stored with the publication. If the
    database is too busy to store the scores, they are computed by the next ranking or publication.

    Parameters
    ----------
    report : str
        Code of the report.
    issue : date
    shown : StoredRanking or None
        Ranking that the editor saw. None if the list was shown in list order.
    person : str
        Name of the editor, recorded in the log.
    relevance_model : RelevanceModel, optional
        Model for the review progress. A page passes the model behind the forecast that the editor saw. By default, a
        model is fitted to the report's data.
    approved : ApprovedDraft, optional
        Draft that the editor saw, used to detect changes.

    Raises
    ------
    RefusedError
        If the report issue is already published.
    OutdatedError
        If the draft has changed since the editor saw it.
    """
    cleared = store.without_guard(Right.EDIT, report)  # forecasts and scores use data from other reports
    if relevance_model is None and shown is not None and shown.ranking.is_sorted:
        relevance_model = relevance_model_of(cleared, shown)  # takes seconds, so it must not run under the write lock
    published = publications.publish_report_issue(
        store,
        report,
        issue,
        current_order(store, shown, len(catalogue.papers(store, issue))).tolist(),
        ranking_id=None if shown is None else shown.id,
        person=person,
        # Read while holding the write lock, because papers could be added to the issue until then.
        review_progress=lambda connection: progress.review_progress_now(
            connection, report, issue, shown, relevance_model
        ),
        approved=approved,
    )
    with suppress(WorkspaceError):  # the issue is published, and the next ranking or publication will add the scores
        score(cleared)  # also adds missing scores of other reports
    return len(published)


def score(store: Store) -> int:
    """Compute and store the missing outcomes of rankings for published report issues, and return their number."""
    return outcomes.score_published_issues(store, places_of)


def places_of(order: Positions, relevant: Positions) -> Positions:
    """Return the 1-based positions of the relevant papers in an order.

    Examples
    --------
    >>> places_of(np.array([3, 1, 2]), np.array([1, 2])).tolist()
    [2, 3]
    """
    return np.flatnonzero(np.isin(order, relevant)).astype(np.int32) + 1


def known_reports(store: Store, asked: Collection[str] = ()) -> list[str]:
    """Return the codes of the requested reports. Defaults to all reports that are not retired.

    Raises
    ------
    RefusedError
        If a report doesn't exist.
    NothingToRankError
        If the workspace has no reports.
    """
    known = [report.code for report in catalogue.reports(store)]
    if unknown := sorted(set(asked) - set(known)):
        raise RefusedError(f"There is no report {', '.join(unknown)}. Known reports: {', '.join(known) or 'none yet'}.")
    if not known:
        raise NothingToRankError(
            "There are no reports yet. Import past selections, or add one with 'presort reports add'."
        )
    return [code for code in known if not asked or code in asked]


def why_nothing_to_rank(store: Store) -> str:
    """Return the reason why nothing can be ranked yet, or an empty string if the workspace has issues and reports."""
    try:
        _issues(store)
        known_reports(store)
    except NothingToRankError as error:
        return str(error)
    return ""


def _issues(store: Store) -> list[Issue]:
    found = catalogue.issues(store)
    if not found:
        raise NothingToRankError("There are no issues yet. Import papers first.")
    return found


def _make_rankings(store: Store, plan: RankingPlan) -> Iterator[Progress]:
    """Compute, store and score a plan's rankings, in one transaction per training.

    Raises
    ------
    BrokenRankerError
        If a ranker of another package failed. Raised after all other rankings are done.
    """
    broken: list[BrokenRankerError] = []
    if plan.n_rankings:
        # Tokens may be missing for some papers if an import was interrupted.
        keep_tokens(store, tokenise, TOKENISATION)
        yield from run_plan(store, plan, broken)
    score(store)
    raise_ranker_errors(broken)
