"""What happens in a service week after week, once an issue is imported: rank, replay, issue, score.

Both the app and the command line call these functions. Long work is a generator of `Progress`: whoever runs it draws
the bar, and may stop at any time; what was done stays done and the same call goes on from there.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import numpy as np

from data import catalogue, rankings, reviews
from data.errors import RefusedError
from data.hints import hints
from data.rankings import Done
from data.records import Hints, History, Positions, Ranking, StoredRanking
from data.store import Store
from data.tokens import keep_tokens
from desk.rankers import in_use
from desk.shelf import models_of
from ranker.recipe import KeptInMemory, Recipe, Shelf
from ranker.replay import Block, blocks
from ranker.replay import replay as walk
from ranker.tokens import tokenise
from ranker.train import RankedIssue

DEMO = "demo"  # the setting that marks a workspace of made-up papers


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
        One for each ranking made; none if there is nothing left to do.
    """
    day = _issue_days(store)[-1] if issue is None else issue
    chosen = recipes or in_use(store, day)
    yield from _walk(store, chosen, day, day, retrain_every=1, reports=reports, n_jobs=n_jobs, replay=None)


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
    days = [day for day in _issue_days(store) if first <= day <= last]
    if not days:
        raise RefusedError(f"There is no issue from {first} to {last}.")
    number = rankings.find_replay(store, days[0], days[-1], retrain_every)
    yield from _walk(
        store, recipes, days[0], days[-1], retrain_every=retrain_every, reports=reports, n_jobs=n_jobs, replay=number
    )


def issue_report(store: Store, report: str, issue: date, shown: StoredRanking | None, *, person: str) -> int:
    """Send out the relevant papers of an issue in the order shown, score its rankings, and give their number.

    Raises
    ------
    RefusedError
        If it went out before.
    """
    order = shown_order(shown, len(catalogue.papers(store, issue))).tolist()
    number = None if shown is None else shown.id
    published = reviews.issue_report(store, report, issue, order, ranking_id=number, person=person)
    score(store)
    return len(published)


def shown_order(shown: StoredRanking | None, n_papers: int) -> Positions:
    """Give the list positions in the order an editor sees them: as ranked, or as received."""
    ranked = np.empty(0, dtype=np.int32) if shown is None else shown.ranking.positions
    return rankings.whole_order(ranked, n_papers)


def score(store: Store) -> int:
    """Give every ranking of a report issue that went out its outcome; give how many were new."""
    return rankings.score_issued(store, places_of)


def places_of(order: Positions, relevant: Positions) -> Positions:
    """Give the places, from 1, at which relevant papers stand in an order.

    Examples
    --------
    >>> places_of(np.array([3, 1, 2]), np.array([1, 2])).tolist()
    [2, 3]
    """
    return np.flatnonzero(np.isin(order, relevant)).astype(np.int32) + 1


def known_reports(store: Store, asked: Sequence[str] = ()) -> list[str]:
    """Give the codes of the reports asked for, of all that are not retired unless told.

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
) -> Iterator[Progress]:
    codes = known_reports(store, reports)
    days = _issue_days(store)
    if first_day not in days:
        raise RefusedError(f"There is no issue of {first_day}; the newest is {days[-1]}.")
    first, last = days.index(first_day), days.index(last_day) + 1
    parts = blocks(first, last, retrain_every)
    # The log is read before the history: a decision made in between is seen but not counted, and ranked again later.
    marks = {start: reviews.newest_decisions(store, days[start]) for start, _ in parts}
    told = {} if replay is not None else hints(store)
    left = {r.name: _left(store, r.name, codes, days, parts, marks, told, replay) for r in recipes}
    total = sum(end - start for tasks in left.values() for (start, end), _ in tasks)
    if total:
        keep_tokens(store, tokenise)  # of papers from before tokens were kept, or from an import that was stopped
        history = catalogue.history(store, last_day, tokens=True)
        shelf: Shelf = models_of(store)
        if replay is not None:  # hints were given later than the issues walked through
            history, told, shelf = dataclasses.replace(history, seeds={}), {}, KeptInMemory()
        done = 0
        for recipe in recipes:
            skip = {(part, code) for part in parts for code in codes} - left[recipe.name]
            results = walk(
                recipe,
                history,
                first,
                last,
                reports=codes,
                retrain_every=retrain_every,
                hints=told,
                shelf=shelf,
                n_jobs=n_jobs,
                skip=skip,
            )
            for (report, start), group in groupby(results, key=lambda r: (r.report, r.trained_before)):
                new = list(group)
                mark = marks[start].get(report, 0)
                heeded = told[report].up_to if report in told else 0
                rankings.add_rankings(store, [_ranking(ranked, history, mark, heeded, replay) for ranked in new])
                done += len(new)
                yield Progress(done, total, recipe.name, report, new[0].note)
    score(store)


def _left(
    store: Store,
    ranker: str,
    codes: Iterable[str],
    days: Sequence[date],
    parts: Sequence[Block],
    marks: dict[int, dict[str, int]],
    told: Mapping[str, Hints],
    replay: int | None,
) -> set[tuple[Block, str]]:
    """Find the blocks and reports that an earlier call, if any, has not finished."""
    finished = rankings.ranked(store, ranker, replay)
    sizes = {issue.date: issue.n_papers for issue in catalogue.issues(store)}

    def is_done(part: Block, code: str) -> bool:
        mark, heeded = marks[part[0]].get(code, 0), told[code].up_to if code in told else 0
        return all(Done(code, day, days[part[0]], mark, sizes[day], heeded) in finished for day in days[slice(*part)])

    return {(part, code) for part in parts for code in codes if not is_done(part, code)}


def _ranking(
    ranked: RankedIssue, history: History, decisions_up_to: int, hints_up_to: int, replay: int | None
) -> Ranking:
    return Ranking(
        report=ranked.report,
        issue=history.issues[ranked.issue_index],
        ranker=ranked.ranker,
        trained_before=history.issues[ranked.trained_before],
        decisions_up_to=decisions_up_to,
        n_relevant=ranked.n_relevant,
        positions=ranked.order + 1,
        scores=ranked.scores,
        hints_up_to=hints_up_to,
        replay=replay,
        words=ranked.words if replay is None else (),  # they are there to be marked, and nobody reads a replay
    )
