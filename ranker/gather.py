"""Training data for rankers: past papers, and each report's decisions, examples and hints from its editor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Hints, History, Paper, Rows, Tokens, Vectors, as_named_papers
from presort.ranker.hints import TermIndex, has, remove_terms
from presort.ranker.recipe import Labels, ModelStore, Table, Task, TrainingLabels
from presort.ranker.tokens import concatenate, map_fields, tokens_of

# Minimum number of relevant papers for training. On the arXiv corpus (55 reports, January to June 2019), the mean
# relative last position is 88 % in list order. If rankers are trained on the newest k = 1, 2, 3, 5, 10, 20 relevant
# papers, it is 81, 77, 73, 69, 62, 55 % for krichel-2007 and 70, 62, 57, 51, 42, 35 % for arxiv-sanity. krichel-2007 is
# worse than list order for 15 % of the reports if k = 1, but for only 2 % if k = 2.
MIN_RELEVANT = 2

BACKGROUND = 10  # number of newest issues whose papers serve as negatives if a report has examples but no negatives
NOTHING = Hints()


@dataclass(frozen=True, eq=False)
class RankingTask:
    """Task of ranking one or more issues, with the hints to apply to the scores.

    Attributes
    ----------
    task : Task
        Training data and papers to score. Its new papers are those of the issues, followed by copies without muted
        terms.
    index : TermIndex
        Term index of the issues' papers.
    known : mapping from report code to TrainingLabels
        Training data of every report, even if there is too little to train on.
    muted : mapping from report code to mapping from int to int
        For each report, maps the index of a paper with a muted term to the index of its copy without the term. Both are
        indexes into the new papers.
    hints : mapping from report code to Hints
        Hints of each report.
    """

    task: Task
    index: TermIndex
    known: Mapping[str, TrainingLabels]
    muted: Mapping[str, Mapping[int, int]]
    hints: Mapping[str, Hints]

    @property
    def papers(self) -> Sequence[Paper]:
        """Papers in the issues to rank."""
        return self.index.papers

    def row_of(self, report: str, place: int) -> int:
        """Return the index of the new paper whose score is used for `papers[place]`: the paper itself, or its copy."""
        return self.muted.get(report, {}).get(place, place)

    def apply_hints(self, report: str, scores: Table) -> Table:
        """Convert scores of all new papers to scores of `papers` by applying the report's hints."""
        own = scores[: len(self.papers)].copy()
        rows_of = self.muted.get(report, {})
        own[list(rows_of)] = scores[list(rows_of.values())]
        return boost_scores(own, self.index, self.hints.get(report, NOTHING).boosted)

    def drop_muted(self, report: str, words: Iterable[str]) -> tuple[str, ...]:
        """Remove words that contain a muted term."""
        muted = self.hints.get(report, NOTHING).muted
        return tuple(word for word in words if not any(has(Paper("", word), term) for term in muted))


def gather(
    ranker: str,
    history: History,
    first: int,
    last: int,
    reports: Sequence[str],
    hints: Mapping[str, Hints],
    models: ModelStore,
    *,
    has_readers: bool = True,
) -> RankingTask:
    """Gather training data from issues before `first` to rank issues from `first` up to, but not including, `last`."""
    n_before, n_all = (int(history.starts[issue]) for issue in (first, last))
    papers = history.papers[n_before:n_all]
    background = _background(history, first, last)
    past = slice(0, n_before or len(background))
    seeds = {report: _rename_examples(report, papers) for report, papers in sorted(history.seeds.items()) if papers}
    all_seeds = [paper for of_report in seeds.values() for paper in of_report]
    index = TermIndex(papers)
    edited, muted = _remove_muted_terms(index, {report: hints[report].muted for report in sorted(hints)})
    known = {}
    row = past.stop
    for report in sorted({*history.relevant, *seeds, *reports}):
        of_seeds = np.arange(row, row + len(seeds.get(report, ())))
        against = np.setdiff1d(background, _rows_before(history.maybe.get(report), n_before))
        known[report] = _add_seeds(training_rows(history, report, first), of_seeds, against)
        row += len(of_seeds)
    task = Task(
        ranker=ranker,
        issues=history.issues[: first + 1],
        starts=history.starts[: first + 1],
        papers=as_named_papers(history.papers[past]).with_papers([*all_seeds, *papers, *edited]),
        kept_tokens=_tokens(history.tokens, past, all_seeds, slice(n_before, n_all), edited),
        n_past=past.stop + len(all_seeds),
        n_listed=len(papers),
        decided={report: found for report, found in known.items() if can_train(found.y, len(seeds.get(report, ())))},
        models=models,
        vectors=_vectors(history.vectors, past, len(all_seeds), slice(n_before, n_all), muted),
        example_vectors=_example_vectors(history, seeds),
        has_readers=has_readers,
    )
    return RankingTask(task, index, known, muted, hints)


def training_rows(history: History, report: str, before: int) -> TrainingLabels:
    """Return a report's training papers, chosen by Krichel's rule.

    Relevant papers are positives, and the other papers of their issues are negatives. An issue without a relevant paper
    is not used, because it was probably skipped. Papers with the decision *maybe* are not used.

    Parameters
    ----------
    history : History
        Issues, papers and decisions.
    report : str
        Code of the report. A report without decisions has no training papers.
    before : int
        0-based index of an issue. Only earlier issues are used.

    Returns
    -------
    rows : array of shape (n_rows,)
        Ascending rows of ``history.papers``.
    y : array of shape (n_rows,)
        Labels: 1 for relevant, 0 for not relevant.
    """
    starts = history.starts[: before + 1]
    relevant = _rows_before(history.relevant.get(report), starts[-1])
    is_relevant = np.zeros(starts[-1], dtype=np.int8)
    is_relevant[relevant] = 1
    has_relevant = np.zeros(before, dtype=bool)
    has_relevant[np.searchsorted(starts, relevant, side="right") - 1] = True
    is_used = np.repeat(has_relevant, np.diff(starts))
    is_used[_rows_before(history.maybe.get(report), starts[-1])] = False
    rows = np.flatnonzero(is_used)
    return TrainingLabels(rows, is_relevant[rows])


def _rename_examples(report: str, seeds: Sequence[Paper]) -> list[Paper]:
    """Return copies of a report's examples, with new ids that can't clash with those of other reports."""
    return [replace(paper, paper_id=f"{paper.paper_id} of {report}") for paper in seeds]


def _background(history: History, first: int, last: int) -> Rows:
    """Return the rows of papers that serve as negatives for a report with examples but no negatives.

    These are the papers in the newest past issues. If there are no past papers, the papers in the first non-empty issue
    to rank are used instead.
    """
    n_before = history.starts[first]
    if n_before:
        return np.arange(history.starts[history.starts < n_before][-BACKGROUND:][0], n_before)
    return np.arange(next((end for end in history.starts[first + 1 : last + 1] if end), 0))


def _add_seeds(decided: TrainingLabels, seeds: Rows, against: Rows) -> TrainingLabels:
    """Add examples as positives. If the report has no negatives, also add the papers in `against` as negatives."""
    if not len(seeds):
        return decided
    rows, y = decided
    if y.all():
        against = np.setdiff1d(against, rows)
        rows, y = np.concatenate([rows, against]), np.concatenate([y, np.zeros(len(against), dtype=np.int8)])
        order = np.argsort(rows)
        rows, y = rows[order], y[order]
    return TrainingLabels(np.concatenate([rows, seeds]), np.concatenate([y, np.ones(len(seeds), dtype=np.int8)]))


def can_train(y: Labels, n_seeds: int = 0) -> bool:
    """Return True if there are enough labels for training: two positives or an example, and at least one negative.

    Examples
    --------
    >>> can_train(np.array([1, 0, 1])), can_train(np.array([1, 0, 0])), can_train(np.array([1, 1, 1]))
    (True, False, False)
    """
    return bool(y.sum() >= (1 if n_seeds else MIN_RELEVANT) and not y.all())


def boost_scores(scores: Table, index: TermIndex, terms: Sequence[str]) -> Table:
    """Raise each paper's score by one standard deviation for each of the boosted terms that it contains."""
    if not terms:
        return scores
    n_terms = np.zeros(len(scores))
    for term in terms:
        n_terms[index.find(term)] += 1
    raised: Table = scores + scores.std() * n_terms
    return raised


def _remove_muted_terms(
    index: TermIndex, muted: Mapping[str, Sequence[str]]
) -> tuple[list[Paper], dict[str, dict[int, int]]]:
    """Copy each paper that contains muted terms, without these terms.

    Also returns `RankingTask.muted`, which maps the papers to the copies.
    """
    edited: list[Paper] = []
    found = {}
    for report, terms in muted.items():
        places = sorted({place for term in terms for place in index.find(term)})
        start = len(index.papers) + len(edited)
        found[report] = dict(zip(places, range(start, start + len(places)), strict=True))
        edited += [remove_terms(index.papers[place], terms) for place in places]
    return edited, found


def _tokens(
    kept: Tokens | None, past: slice, seeds: Sequence[Paper], new: slice, edited: Sequence[Paper]
) -> Tokens | None:
    """Combine the tokens of all papers in a task."""
    if kept is None:
        return None
    if not seeds and not edited and past.stop == new.start:
        return kept[: new.stop]
    of_seeds = tokens_of(seeds, kept.vocabulary)
    of_edited = tokens_of(edited, of_seeds.vocabulary)
    parts = (kept[past], of_seeds, kept[new], of_edited)
    return map_fields(lambda *lists: concatenate(*lists), *parts, vocabulary=of_edited.vocabulary)


def _vectors(
    kept: Vectors | None, past: slice, n_seeds: int, new: slice, muted: Mapping[str, Mapping[int, int]]
) -> Vectors | None:
    """Stack the vectors of all papers in a task.

    The rows of the examples are zeros, which `Task.with_example_vectors` replaces.
    """
    if kept is None:
        return None
    of_new = kept.numbers[new]
    places = {row: place for of_report in muted.values() for place, row in of_report.items()}
    edited = of_new[[places[row] for row in sorted(places)]]
    of_seeds = np.zeros((n_seeds, kept.numbers.shape[1]), dtype=kept.numbers.dtype)
    return replace(kept, numbers=np.vstack([kept.numbers[past], of_seeds, of_new, edited]))


def _example_vectors(history: History, seeds: Mapping[str, Sequence[Paper]]) -> NDArray[np.float16] | None:
    """Return the vectors of all examples in the order of `seeds`, or None if the papers have no vectors."""
    if history.vectors is None:
        return None
    n_numbers, found = history.vectors.numbers.shape[1], history.seed_vectors
    parts = [found.get(report, np.zeros((len(papers), n_numbers))) for report, papers in seeds.items()]
    return np.vstack([np.empty((0, n_numbers)), *parts]).astype(np.float16)


def _rows_before(rows: Rows | None, n_papers: int) -> Rows:
    return np.empty(0, dtype=np.intp) if rows is None else rows[: np.searchsorted(rows, n_papers)]
