"""Explanation of a paper's rank: reasons, similar relevant papers, and the history of decisions on the paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from presort.data.editing import log
from presort.data.records import Paper
from presort.data.store import Store
from presort.desk.access import person_name
from presort.desk.components.response import Section
from presort.desk.session.progress import ReviewContext
from presort.desk.text import DECIDED
from presort.desk.why import labels
from presort.desk.why.explanation import Explanation, RankExplainer
from presort.ranker.hints import has


@dataclass(frozen=True)
class Answer:
    """Explanation of a paper's rank.

    Attributes
    ----------
    why : Explanation or None
        Reasons and similar papers. None if the report has too little training data.
    is_of_list : bool
        True if the explained model gives the same scores as the ranking on screen.
    terms : sequence of str
        Terms in the paper that can be muted or boosted.
    """

    why: Explanation | None
    is_of_list: bool
    terms: Sequence[str]


def answer(explainer: RankExplainer, context: ReviewContext, position: int) -> Answer:
    """Explain a paper's rank in a context's ranking, given the paper's 1-based list position."""
    if context.shown is None:
        raise ValueError("context must have a ranking")
    why = explainer.explain(context.report, position)
    terms = () if why is None else _terms(context.papers[position - 1], why)
    return Answer(why, explainer.is_of(context.shown.ranking), terms)


def sections(given: Answer) -> list[Section]:
    """Format an explanation as sections of text.

    Examples
    --------
    >>> sections(Answer(None, is_of_list=True, terms=()))[0].lines
    ['Too few relevant papers to train on. The paper is at its position in list order.']
    """
    if given.why is None:
        too_young = "Too few relevant papers to train on. The paper is at its position in list order."
        return [Section(labels.WHY, [too_young])]
    moved = [*labels.main_reasons(given.why.reasons), *labels.hint_lines(given.why.hints)]
    if not given.is_of_list:
        changed = "Decisions or hints changed after this list was ranked. These reasons are for the current model."
        moved.insert(0, changed)
    similar = [f"{pick.title} · {pick.issue or 'your example'}" for pick in given.why.similar]
    return [
        Section(labels.WHY, moved, given.terms, labels.reasons_up_and_down(given.why.reasons)),
        Section("Most similar relevant papers", similar) if similar else Section("No similar relevant paper", []),
    ]


def decision_history(store: Store, context: ReviewContext, paper_id: str) -> list[Section]:
    """Return a section with the history of decisions on a paper, or an empty list if there is at most one decision."""
    history = log.history_of(store, context.report, context.issue, paper_id)
    lines = [
        f"{one.made_at:%Y-%m-%d %H:%M} UTC · {person_name(one.person)}: {DECIDED[one.about, one.label]}"
        for one in history
    ]
    return [Section("Decision history", lines)] if len(lines) > 1 else []


def _terms(paper: Paper, why: Explanation) -> list[str]:
    """Return the terms among the strongest reasons that can be muted or boosted.

    Only terms that `presort.ranker.hints.has` finds in the paper qualify.
    """
    up, down = labels.strongest_reasons(why.reasons or ())
    return list(dict.fromkeys(one.text for one in (*up, *down) if one.text and has(paper, one.text)))
