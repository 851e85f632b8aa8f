"""Review list of an issue. The browser responds to keys immediately. The review channel saves decisions in batches."""

import gzip
import json
from collections.abc import Mapping, Sequence

import streamlit as st

from presort.data.records import Paper
from presort.desk.components import mathml
from presort.desk.components.response import RerankingView
from presort.desk.components.scripts import script, style

KEYS: Mapping[str, Sequence[str]] = {  # names as in KeyboardEvent.key
    "down": ("j", "ArrowDown"),
    "up": ("k", "ArrowUp"),
    "relevant": ("y", " ", "x"),
    "maybe": ("m",),
    "no": ("n",),
    "undo": ("u",),
    "open": ("o", "Enter"),
    "read": ("h",),
    "rerank": ("r",),
    "place": ("g",),
    "abstracts": ("a",),
    "tag": ("t",),
    "note": ("e",),
    "undecided": ("d",),
    "check": ("c",),
    "search": ("/",),
    "nextHit": ("f",),
    "previousHit": ("b",),
    "back": ("Escape",),
    "help": ("?",),
}
FAST = 1  # gzip level: reduces the size to a third, in a tenth of the time that the highest level takes


LIST = st.components.v2.component("presort_review_list", css=style("review_list"), js=script("mount"))


def review_list(
    papers: Sequence[Paper],
    *,
    order: Sequence[int],
    key: str,
    ranking: int | None = None,
    reranking: RerankingView | None = None,
    scores: Mapping[int, float] | None = None,
    links: Mapping[str, Sequence[str]] | None = None,
    marked: Sequence[str] = (),
    tags: Sequence[str] | None = None,
    has_notes: bool = False,
    has_answers: bool = False,
    is_locked: bool = False,
    choices: Sequence[str] = (),
    keys: Mapping[str, Sequence[str]] = KEYS,
) -> None:
    """Draw all papers of an issue as one list. The component `sync` with the same key receives the decisions.

    Arguments must not depend on decisions, because Streamlit sends all papers again whenever an argument changes.

    Parameters
    ----------
    papers : sequence of Paper
        Papers in list order.
    order : sequence of int
        1-based list positions in the order of the ranking, best first. Empty if the issue is not ranked.
    key : str
        Name that identifies the list and its unsaved entries in the browser. It must be different for each combination
        of workspace, report, issue and user.
    ranking : int or None
        Number of the ranking. The browser sends it with each decision.
    reranking : RerankingView or None
        Re-ranked order to show at first. Later re-ranked orders arrive through `sync`. None if the list was not
        re-ranked.
    scores : mapping from int to float, optional
        Ranking score by list position. Higher means more likely relevant.
    links : mapping from paper id to sequence of str, optional
        Web addresses and DOIs of each paper. Only http and https addresses and DOIs become links.
    marked : sequence of str
        Words to highlight.
    tags : sequence of str or None
        Tags to choose from. None hides the tags.
    has_notes : bool
        Show fields for notes.
    has_answers : bool
        Request an explanation when a paper is opened.
    is_locked : bool
        If True, decisions can't be changed, but notes and tags can.
    choices : sequence of str
        Target recalls to choose from. Empty if the list has no stop advice.
    keys : mapping from str to sequence of str
        Keys of each action, named as in `KEYS`.

    Raises
    ------
    ValueError
        If `order` is not a permutation of the positions, if an action is unknown or has no key, or if a key has two
        actions.
    """
    _check(len(papers), order, keys)
    places, trees = mathml.formulas_of_papers(papers)
    given = {
        "key": key,
        "papers": [_row(paper, links or {}, places.get(paper.paper_id)) for paper in papers],
        "trees": trees,
        "order": [int(position) for position in order],
        "ranking": ranking,
        "reranking": None if reranking is None else reranking.payload(),
        "scores": {int(position): float(score) for position, score in (scores or {}).items()},
        "marked": list(marked),
        "tags": None if tags is None else list(tags),
        "hasNotes": has_notes,
        "hasAnswers": has_answers,
        "isLocked": is_locked,
        "choices": list(choices),
        "keys": {action: list(keys[action]) for action in KEYS},
    }
    # The compressed data contain no timestamp. The same papers are therefore always compressed to the same bytes, which
    # Streamlit doesn't send again.
    LIST(key=key, data=gzip.compress(json.dumps(given, allow_nan=False).encode(), FAST, mtime=0))


def _check(n_papers: int, order: Sequence[int], keys: Mapping[str, Sequence[str]]) -> None:
    if len(order) and sorted(order) != list(range(1, n_papers + 1)):
        raise ValueError(f"order must contain each of the positions 1 to {n_papers} once")
    if set(keys) != set(KEYS) or not all(keys.values()):
        raise ValueError(f"keys must contain a key for each of {', '.join(KEYS)}")
    named = [one.lower() for given in keys.values() for one in given]
    if twice := sorted({one for one in named if named.count(one) > 1}):
        raise ValueError(f"each key must have one action, got {', '.join(twice)} twice")


def _row(
    paper: Paper, links: Mapping[str, Sequence[str]], formulas: Mapping[str, Sequence[mathml.Span]] | None
) -> dict[str, object]:
    return {
        **({} if formulas is None else {"formulas": formulas}),
        "id": paper.paper_id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": list(paper.authors),
        "codes": list(paper.codes),
        "series": paper.series,
        "date": paper.date,
        "links": list(links.get(paper.paper_id, ())),
    }
