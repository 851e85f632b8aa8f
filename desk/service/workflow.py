"""What happens in a service week after week, once an issue is imported: rank, replay, issue, score.

Both the app and the command line call these functions. Long work is a generator of `Progress`: whoever runs it draws
the bar, and may stop at any time; what was done stays done and the same call goes on from there.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, chain, groupby

import numpy as np

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.hints import hints, newest_example
from presort.data.errors import BrokenRankerError, RefusedError, WorkspaceError, raise_broken
from presort.data.learning import outcomes, rankings
from presort.data.learning.first_publications import cutoffs
from presort.data.learning.history import read_history
from presort.data.learning.missing_rankings import MissingRanking
from presort.data.learning.rankings import Done, Heeded
from presort.data.learning.tokens import keep_tokens
from presort.data.records import Approved, Cutoff, History, Positions, Ranking, StoredRanking
from presort.data.rights import Right
from presort.data.store import Store
from presort.desk.service.models import models_of
from presort.desk.service.promises import make_promises
from presort.desk.service.rankers import in_use
from presort.desk.service.vectors import complete_vectors
from presort.desk.sheet import unread
from presort.desk.sheet.progress import shown_order
from presort.desk.sheet.relevance_models import relevance_model_of
from presort.ranker.foreign import is_foreign
from presort.ranker.parallel import are_elsewhere
from presort.ranker.recipe import KeptInMemory, Recipe, Shelf
from presort.ranker.replay import Block, blocks, replay_apart
from presort.ranker.replay import replay as walk
from presort.ranker.stopping.relevance_model import RelevanceModel
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.train import RankedIssue, learn_ahead


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work has come, in rankings; what was finished last, and what a person should know of it."""

    done: int
    total: int
    ranker: str
    report: str
    note: str


def rank(
    store: Store,
    recipes: Sequence[Recipe] = (),
    *,
    issue: date | None = None,
    reports: Sequence[str] = (),
    n_jobs: int = 1,
) -> Iterator[Progress]:
    """Rank an issue for the reports and keep the rankings; those made already from the same decisions are passed over.

    If a report has published the issue before, its ranking uses no decisions, hints or examples of later: its figures
    would be those of hindsight. If it has a ranking by the same ranker already, none is made.

    Parameters
    ----------
    recipes : sequence of Recipe
        The active ranker and its shadows unless told.
    issue : date, optional
        The newest issue unless told.
    reports : sequence of str
        All that are not retired unless told.
    n_jobs : int
        Processes to train in.

    Yields
    ------
    Progress
        One for each report and training, and one for what else a person should know; none if nothing is left to do.

    Raises
    ------
    BrokenRankerError
        If a ranker that isn't ours failed; once all others are done.
    """
    store = store.cleared()
    day = _issue_days(store)[-1] if issue is None else issue
    chosen = recipes or in_use(store, day)
    groups = _by_cutoff(store, day, known_reports(store, reports))
    done, left = 0, len(chosen) * sum(map(len, groups.values()))
    broken: list[BrokenRankerError] = []
    for cutoff, codes in groups.items():
        left -= len(chosen) * len(codes)
        n_done = 0
        steps = _walk(
            store, chosen, day, day, retrain_every=1, reports=codes, n_jobs=n_jobs, replay=None, cutoff=cutoff
        )
        try:
            for step in steps:
                n_done = step.done
                yield dataclasses.replace(step, done=done + n_done, total=done + step.total + left)
        except BrokenRankerError as error:  # the other reports go on
            broken.append(error)
        done += n_done
    raise_broken(broken)


def _by_cutoff(store: Store, issue: date, reports: Sequence[str]) -> dict[Cutoff | None, list[str]]:
    """Group reports by the cutoff of a ranking of an issue for them."""
    known = cutoffs(store, issue)
    found: dict[Cutoff | None, list[str]] = {}
    for code in reports:
        found.setdefault(known.get(code), []).append(code)
    return found


def learn(store: Store, recipes: Sequence[Recipe] = (), *, n_jobs: int = 1) -> list[str]:
    """Learn what rankers keep for the weeks to come, where it is due, and return the names of those that learned.

    What was foretold of lists that went out is made, too, and what measures say of them where it is not kept: of all
    after an upgrade that changed the measures.

    Ranking never waits for it: it starts from what was learned last. So this is for the night, or for the time after
    a report went out.

    Parameters
    ----------
    recipes : sequence of Recipe
        The active ranker and its shadows, and those from the next issue on, unless told.
    n_jobs : int
        Processes to train in.
    """
    store = store.cleared()
    day = _issue_days(store)[-1]
    codes = known_reports(store)
    keep_tokens(store, tokenise, TOKENISATION)
    chosen = recipes or list({recipe.name: recipe for recipe in (*in_use(store, day), *in_use(store))}.values())
    history, shelf = _history(store, chosen, day, day), models_of(store)
    before = len(history.issues) - 1
    learned = [
        recipe.name
        for recipe in chosen
        if learn_ahead(recipe, history, codes, shelf=shelf, before=before, n_jobs=n_jobs)
    ]
    make_promises(store)
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
    """Rank past issues as if each were new, score them, and keep all under one replay.

    `first` and `last` are dates between which the issues lie; the other arguments are those of `rank`.
    """
    store = store.cleared()
    days = [day for day in _issue_days(store) if first <= day <= last]
    if not days:
        raise RefusedError(f"There is no issue from {first} to {last}.")
    number = rankings.find_replay(store, days[0], days[-1], retrain_every)
    yield from _walk(
        store, recipes, days[0], days[-1], retrain_every=retrain_every, reports=reports, n_jobs=n_jobs, replay=number
    )
    make_promises(store, n_jobs)


def rank_missing(
    store: Store, recipe: Recipe, issues: Sequence[date], missing: Collection[MissingRanking], *, n_jobs: int = 1
) -> Iterator[Progress]:
    """Rank some report issues as `replay` would, and score them. Promises are left to `learn`.

    Parameters
    ----------
    issues : sequence of date
        Span of the replay, oldest first: the same call goes on in the same replay.
    missing : collection of MissingRanking
        Report issues to rank, all of them in the span.
    """
    store = store.cleared()
    if not missing:
        score(store)  # of what was ranked before somebody stopped it
        return
    first, last = issues[0], issues[-1]
    number = rankings.find_replay(store, first, last, 1)
    reports = sorted({one.report for one in missing})
    yield from _walk(
        store, [recipe], first, last, retrain_every=1, reports=reports, n_jobs=n_jobs, replay=number, only=missing
    )


def issue_report(
    store: Store,
    report: str,
    issue: date,
    shown: StoredRanking | None,
    *,
    person: str,
    relevance_model: RelevanceModel | None = None,
    approved: Approved | None = None,
) -> int:
    """Send out the relevant papers of an issue in the order shown, score its rankings, and give the papers' number.

    How far the issue was read is kept with it, judged by what is known of the report: a page gives what it spoke by.
    Scores that the workspace is too busy to keep are made with the next ones.

    Parameters
    ----------
    approved : Approved, optional
        What the editor saw, if it is to be checked.

    Raises
    ------
    RefusedError
        If it went out before.
    OutdatedError
        If something else would go out than the editor saw.
    """
    cleared = store.cleared(Right.EDIT, report)  # forecasts and scores are of other reports too
    if relevance_model is None and shown is not None and shown.ranking.is_sorted:
        relevance_model = relevance_model_of(cleared, shown)  # takes seconds, so not under the lock
    published = decisions.issue_report(
        store,
        report,
        issue,
        shown_order(shown, len(catalogue.papers(store, issue))).tolist(),
        ranking_id=None if shown is None else shown.id,
        person=person,
        # Papers may join the issue until the lock is held: what was read of it, and what was not, is read after that.
        extent=lambda connection: unread.extent_now(connection, report, issue, shown, relevance_model),
        approved=approved,
    )
    with suppress(WorkspaceError):  # it is out; whoever ranks or issues next makes the scores
        score(cleared)  # those of other reports are made with it
    return len(published)


def score(store: Store) -> int:
    """Store the outcome of every ranking of a published report issue that has none yet, and return their number."""
    return outcomes.score_issued(store, places_of)


def places_of(order: Positions, relevant: Positions) -> Positions:
    """Return the places, from 1, at which relevant papers stand in an order.

    Examples
    --------
    >>> places_of(np.array([3, 1, 2]), np.array([1, 2])).tolist()
    [2, 3]
    """
    return np.flatnonzero(np.isin(order, relevant)).astype(np.int32) + 1


def known_reports(store: Store, asked: Sequence[str] = ()) -> list[str]:
    """Return the codes of the reports asked for, of all that are not retired unless told.

    Raises
    ------
    RefusedError
        If one is not there, or there is none at all.
    """
    known = [report.code for report in catalogue.reports(store)]
    if unknown := sorted(set(asked) - set(known)):
        raise RefusedError(
            f"There is no report {', '.join(unknown)}; the reports are: {', '.join(known) or 'none yet'}."
        )
    if not known:
        raise RefusedError("There is no report yet; import past selections, or add one with 'presort reports add'.")
    return [code for code in known if not asked or code in asked]


def _issue_days(store: Store) -> list[date]:
    days = [issue.date for issue in catalogue.issues(store)]
    if not days:
        raise RefusedError("There is no issue yet; import one first.")
    return days


def _walk(
    store: Store,
    recipes: Sequence[Recipe],
    first_day: date,
    last_day: date,
    *,
    retrain_every: int,
    reports: Sequence[str],
    n_jobs: int,
    replay: int | None,
    cutoff: Cutoff | None = None,
    only: Collection[MissingRanking] | None = None,
) -> Iterator[Progress]:
    codes = known_reports(store, reports)
    days = _issue_days(store)
    if first_day not in days:
        raise RefusedError(f"There is no issue of {first_day}; the newest is {days[-1]}.")
    first, last = days.index(first_day), days.index(last_day) + 1
    parts = blocks(first, last, retrain_every)
    # The log is read before the history: a decision made in between is seen but not counted, and ranked again later.
    if cutoff is None:
        marks = decisions.newest_before(store, [days[start] for start, _ in parts])
    else:
        marks = {first_day: decisions.newest_decisions(store, first_day, cutoff)}
    hints_up_to = None if cutoff is None else cutoff.hints_up_to
    told = {} if replay is not None else hints(store, up_to=hints_up_to)
    examples = 0 if replay is not None else newest_example(store, up_to=hints_up_to)
    sizes = {issue.date: issue.n_papers for issue in catalogue.issues(store)}
    n_past = dict(zip(days, accumulate(map(sizes.__getitem__, days), initial=0), strict=False))

    def heeded(recipe: Recipe, start: int, code: str) -> Heeded:
        day = days[start]
        of_report = Heeded(marks[day].get(code, 0), told[code].up_to if code in told else 0, n_past[day])
        if not recipe.method.learns_together:
            return of_report
        return of_report.with_others(max(marks[day].values(), default=0), examples)

    left = {recipe.name: _left(store, recipe, codes, days, parts, sizes, heeded, replay) for recipe in recipes}
    if cutoff is not None:  # nothing takes the place of a list that was read
        ranked = {name: rankings.reports_ranked(store, name, first_day) for name in left}
        left = {name: {task for task in tasks if task[1] not in ranked[name]} for name, tasks in left.items()}
    if only is not None:
        left = {
            name: {(part, code) for part, code in of_one if MissingRanking(days[part[0]], code) in only}
            for name, of_one in left.items()
        }
    total = sum(end - start for tasks in left.values() for (start, end), _ in tasks)
    broken: list[BrokenRankerError] = []
    if total:
        # Of papers from before tokens were kept, or from an import that was stopped.
        keep_tokens(store, tokenise, TOKENISATION)
        history = _history(store, recipes, first_day, last_day, cutoff)
        notes: list[str] = []
        # A model that was kept may have learned from later decisions.
        shelf: Shelf = models_of(store, notes.append) if cutoff is None else KeptInMemory()
        if replay is not None:  # hints were given later than the issues walked through
            history, told, shelf = dataclasses.replace(history, seeds={}), {}, KeptInMemory()
        done = 0
        skip = {name: {(part, code) for part in parts for code in codes} - of_one for name, of_one in left.items()}
        apart = [one for one in recipes if replay is not None and are_elsewhere() and not is_foreign(one)]
        everywhere = replay_apart(
            apart, history, first, last, reports=codes, retrain_every=retrain_every, n_jobs=n_jobs, skip=skip
        )
        here = (
            walk(
                recipe,
                history,
                first,
                last,
                reports=codes,
                retrain_every=retrain_every,
                hints=told,
                shelf=shelf,
                n_jobs=n_jobs,
                skip=skip[recipe.name],
                has_readers=replay is None,
            )
            for recipe in recipes
            if recipe not in apart
        )
        named = {recipe.name: recipe for recipe in recipes}
        for results in chain([everywhere] if apart else [], here):
            try:
                for (name, report, start), group in groupby(results, key=_training_of):
                    new = list(group)
                    known = heeded(named[name], start, report)
                    rankings.add_rankings(store, [_ranking(ranked, history, known, replay) for ranked in new])
                    done += len(new)
                    yield Progress(done, total, name, report, new[0].note)
                    yield from (Progress(done, total, name, report, note) for note in notes)
                    notes.clear()
            except BrokenRankerError as error:  # the others go on
                broken.append(error)
    score(store)
    raise_broken(broken)


def _training_of(ranked: RankedIssue) -> tuple[str, str, int]:
    return ranked.ranker, ranked.report, ranked.trained_before


def _history(
    store: Store, recipes: Sequence[Recipe], first_day: date, last_day: date, cutoff: Cutoff | None = None
) -> History:
    """Read what there is to learn from and to rank; no past texts where tokens are enough."""
    needs_texts = any(recipe.method.needs_past_texts for recipe in recipes)
    return read_history(
        store,
        last_day,
        tokens=TOKENISATION,
        texts_from=date.min if needs_texts else first_day,
        has_vectors=complete_vectors(store, recipes),
        cutoff=cutoff,
    )


def _left(
    store: Store,
    recipe: Recipe,
    codes: Iterable[str],
    days: Sequence[date],
    parts: Sequence[Block],
    sizes: Mapping[date, int],
    heeded: Callable[[Recipe, int, str], Heeded],
    replay: int | None,
) -> set[tuple[Block, str]]:
    """Find the blocks and reports that an earlier call, if any, has not finished."""
    finished = rankings.ranked(store, recipe.name, replay)

    def is_done(part: Block, code: str) -> bool:
        known = heeded(recipe, part[0], code)
        alike = (known, known._replace(n_past=None))  # of a ranking from before that was noted
        return all(
            any(Done(code, day, days[part[0]], sizes[day], one) in finished for one in alike)
            for day in days[slice(*part)]
        )

    return {(part, code) for part in parts for code in codes if not is_done(part, code)}


def _ranking(ranked: RankedIssue, history: History, heeded: Heeded, replay: int | None) -> Ranking:
    return Ranking(
        report=ranked.report,
        issue=history.issues[ranked.issue_index],
        ranker=ranked.ranker,
        trained_before=history.issues[ranked.trained_before],
        decisions_up_to=heeded.decisions_up_to,
        n_relevant=ranked.n_relevant,
        positions=ranked.order + 1,
        scores=ranked.scores,
        hints_up_to=heeded.hints_up_to,
        n_past=heeded.n_past,
        replay=replay,
        words=ranked.words if replay is None else (),  # rankers of one's own may find them for nobody
    )
