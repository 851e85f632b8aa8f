"""Explain a paper's rank by the terms that moved it, and by similar relevant papers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import numpy as np

from presort.data import catalogue
from presort.data.editing.hints import hints
from presort.data.learning.array_file import copy_file
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.records import Hints, Paper, Ranking, split_unspaced
from presort.data.store import Store
from presort.ranker.explain import shares
from presort.ranker.gather import RankingTask, gather
from presort.ranker.hints import has
from presort.ranker.recipe import Explainer, Reason, Recipe
from presort.ranker.text import PUNCTUATION, plain_text
from presort.ranker.tokens import TOKENISATION, words_of

N_SIMILAR = 3


@dataclass(frozen=True)
class Pick:
    """Similar paper that is relevant for the report.

    Attributes
    ----------
    title : str
        Title of the paper.
    similarity : float
        Similarity to the explained paper, from 0 to 1.
    issue : date or None
        Issue of the paper. None for an example that an editor added.
    """

    title: str
    similarity: float
    issue: date | None


@dataclass(frozen=True)
class Explanation:
    """Reasons for a paper's rank.

    Attributes
    ----------
    reasons : sequence of Reason or None
        Reasons that moved the paper up or down, largest first. None if the ranker gives no reasons.
    similar : sequence of Pick
        Most similar relevant papers.
    hints : Hints
        Muted and boosted terms that occur in the paper.
    """

    reasons: Sequence[Reason] | None
    similar: Sequence[Pick]
    hints: Hints


@dataclass(frozen=True)
class RankExplainer:
    """Explainer for the papers of an issue, for every report with enough training data."""

    gathered: RankingTask
    explainer: Explainer
    hints: Mapping[str, Hints]

    def explain(self, report: str, position: int) -> Explanation | None:
        """Explain a paper's rank, given the paper's 1-based list position.

        Returns None if the report has too little training data.
        """
        task = self.gathered.task
        if report not in task.decided:
            return None
        paper = self.gathered.papers[position - 1]
        row = task.n_past + self.gathered.row_of(report, position - 1)
        similar = [
            Pick(task.papers[one.row].title, one.similarity, self._issue_of(one.row))
            for one in self.explainer.similar(report, row, N_SIMILAR)
        ]
        current = self.hints.get(report, Hints())
        muted, boosted = (
            tuple(term for term in terms if has(paper, term)) for terms in (current.muted, current.boosted)
        )
        reasons = self.explainer.reasons(report, row)
        whole = None if reasons is None else merge_sub_terms(task.papers[row], reasons)
        return Explanation(whole, similar, Hints(muted=muted, boosted=boosted))

    def is_of(self, ranking: Ranking) -> bool:
        """Return True if the explained model gives the same scores as a ranking.

        The scores may differ if the training data has changed since the ranking was computed. Returns False if the
        report has too little training data.
        """
        if ranking.report not in self.gathered.task.decided:
            return False
        scores = self.gathered.apply_hints(ranking.report, self.explainer.scores(ranking.report))
        same = scores[: len(ranking.positions)][ranking.positions - 1]
        return len(ranking.scores) == len(scores) and bool(np.isclose(same, ranking.scores, rtol=0, atol=1e-5).all())

    def _issue_of(self, row: int) -> date | None:
        starts = self.gathered.task.starts
        return None if row >= starts[-1] else self.gathered.task.issues[int(np.searchsorted(starts, row, "right")) - 1]


def make_explainer(store: Store, recipe: Recipe, issue: date) -> RankExplainer:
    """Train on the current data as `workflow.rank` does, and return an explainer for the issue."""
    history = read_history(store, issue, tokens=TOKENISATION, has_vectors=recipe.method.reads_vectors)
    first = len(history.issues) - 1
    reports = [report.code for report in catalogue.reports(store)]
    hints_of = hints(store)
    gathered = gather(recipe.name, history, first, first + 1, reports, hints_of, model_store(store, access=copy_file))
    return RankExplainer(gathered, recipe.method.explainer(gathered.task), hints_of)


def merge_sub_terms(paper: Paper, reasons: Sequence[Reason]) -> list[Reason]:
    """Merge sub-terms into the full terms that they belong to: names, phrases, and codes with their groups.

    A word stays separate if it also occurs without the phrase, or has more than twice the weight of the phrase. A group
    of codes stays separate if it contains several of the paper's codes.

    Examples
    --------
    >>> paper = Paper("p1", "A minimum wage: wage and price", authors=("Bo Ek",), codes=("J31", "E3"))
    >>> word = [Reason("word", "minimum wage", 0.25), Reason("word", "minimum", 0.25), Reason("word", "wage", 0.125)]
    >>> code = [Reason("code", "J", 0.125), Reason("code", "J31", 0.125)]
    >>> for reason in merge_sub_terms(paper, [*word, *code, Reason("author", "ek", -0.125)]):
    ...     print(*reason)
    word minimum wage 0.5
    code J31 0.25
    author Bo Ek -0.125
    word wage 0.125
    """
    fields = [words_of(paper.title), words_of(paper.abstract)]
    wholes = {"author": partial(_name, paper), "code": partial(_code, paper), "word": partial(_phrase, fields, reasons)}
    return shares((one.field, wholes.get(one.field, _reason_text)(one), one.share) for one in reasons)


def _reason_text(reason: Reason) -> str:
    return reason.text


def _name(paper: Paper, part: Reason) -> str:
    names = [name for name in paper.authors if _is_of_name(part.text, name)]
    return names[0] if len(names) == 1 else part.text


def _is_of_name(words: str, name: str) -> bool:
    letters = plain_text(name)
    spelled = f"{letters} {PUNCTUATION.sub('', letters)}"  # rankers treat a hyphen as a space or remove it
    return all(word in spelled for word in plain_text(words).split())


def _code(paper: Paper, group: Reason) -> str:
    codes = {code for text in paper.codes for code in text.split() if code.lower().startswith(group.text.lower())}
    return codes.pop() if len(codes) == 1 else group.text


def _phrase(fields: Sequence[Sequence[str]], reasons: Sequence[Reason], part: Reason) -> str:
    for other in reasons:
        words = split_unspaced(other.text).split()
        if other.field == "word" and len(words) > 1 and part.text in words and 2 * abs(other.share) >= abs(part.share):
            n_alone = sum(field.count(part.text) for field in fields)
            if n_alone == words.count(part.text) * sum(_count(field, words) for field in fields):
                return other.text
    return part.text


def _count(words: Sequence[str], phrase: Sequence[str]) -> int:
    return sum(words[start : start + len(phrase)] == phrase for start in range(len(words)))
