"""All that is scored in a workspace as TREC runs, one a ranker, and relevance judgements."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache, partial
from pathlib import Path

from presort.data import catalogue
from presort.data.exporters.trec import topic_of, write_qrels, write_run
from presort.data.learning import rankings
from presort.data.records import ScoredRanking
from presort.data.store import Store

QRELS = "qrels.txt"


def write_trec(store: Store, scored: Sequence[ScoredRanking], folder: Path) -> dict[str, int]:
    """Write rankings and the decisions they were scored by, and return the number of topics of each ranker.

    Each ranking is written as it was scored: with the papers that its issue had then, so that all measures of the files
    are those of the workspace. All papers of an issue that are not relevant count as judged. There is at most one
    ranking of each report, issue and ranker.

    The folder, an empty one, gets a file a ranker, named after it with the ending ``.run``, and `QRELS`.
    """
    n_topics = Counter(one.ranker for one in scored)
    papers_of = lru_cache(maxsize=1)(partial(catalogue.papers, store))  # issue by issue, for many reports
    judgements: dict[str, dict[str, int]] = {}
    with ExitStack() as opened:
        files = {name: opened.enter_context((folder / f"{name}.run").open("wb")) for name in n_topics}
        for one in sorted(scored, key=lambda one: (one.issue, one.report)):
            topic, papers = topic_of(one.report, one.issue), papers_of(one.issue)
            ranking = rankings.ranking(store, one.ranking_id).ranking
            positions = rankings.whole_order(ranking.positions, one.n_papers).tolist()
            ids = [papers[position - 1].paper_id for position in positions]
            scores = ranking.scores[ranking.positions[: len(ranking.scores)] <= one.n_papers].tolist()
            write_run(files[one.ranker], topic, ids, scores, tag=one.ranker)
            places = set(one.places.tolist())
            of_topic = {paper_id: int(place in places) for place, paper_id in enumerate(ids, start=1)}
            judgements[topic] = judgements.get(topic, {}) | of_topic
    with (folder / QRELS).open("wb") as file:
        for topic, of_topic in judgements.items():
            write_qrels(file, topic, of_topic)
    return n_topics
