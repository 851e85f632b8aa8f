"""What went out: when and by whom, how good the order was, and how it reads."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import streamlit as st

from data import rankings, standing
from data.errors import DataError
from data.records import Paper, ReportIssue, StoredRanking
from data.reopening import issuings
from data.review_log import minutes_spent
from data.standing import Said
from desk import cache, kept, reading, workflow
from desk.boxes.choosing import Chosen
from desk.reading import Sheet
from desk.sending.letters import Desk, published_papers
from desk.sending.templates import Templates
from desk.words import finish as words
from desk.words.outcomes import LIST_ORDER, judged_by_says, order_says, reopened_says, went_out_says
from desk.words.text import plain
from metrics import Outcome

SEEN, LINES_SEEN = 520, 20  # pixels of a text, and from how many lines on there are no more


def show(chosen: Chosen, gone_out: ReportIssue, papers: Sequence[Paper]) -> None:
    """Say how a report issue went out, and show it.

    Parameters
    ----------
    chosen : Chosen
        The report and the issue.
    gone_out : ReportIssue
        What went out.
    papers : sequence of Paper
        Of the issue, in list order.
    """
    *before, last = issuings(cache.store(), chosen.report, chosen.issue)
    published = published_papers(cache.store(), gone_out, papers)
    said = went_out_says(last, len(published))
    judged_by = ""
    if gone_out.ranking_id is None:
        said += f" {LIST_ORDER}"
    else:
        shown = rankings.ranking(cache.store(), gone_out.ranking_id)
        told, judged_by = _order(chosen, papers, shown)
        said += f" {told}"
    st.success(plain(said), icon=":material/check:")
    for line in filter(None, [judged_by, *map(reopened_says, before)]):
        st.markdown(plain(line))
    with st.expander(words.AS_IT_WENT_OUT, key="as-it-went-out"):
        show_text(gone_out, published, is_draft=False)


def show_text(gone_out: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> None:
    """Draw a report issue as its readers get it, and offer it as a file."""
    try:
        letter = Desk(cache.store()).letter(gone_out, published)
        text = Templates(cache.store().path.parent).mail_text(letter, is_draft=is_draft)
    except DataError as error:  # a template of the workspace is wrong
        st.error(plain(str(error)))
        return
    with st.container(height=SEEN if text.count("\n") > LINES_SEEN else "content", border=False):
        st.code(text, language=None, wrap_lines=True)
    name = f"{letter.code}-{letter.issue}{'-draft' if is_draft else ''}.txt"
    st.download_button(words.DOWNLOAD, text, file_name=name, mime="text/plain", icon=":material/download:")


def _order(chosen: Chosen, papers: Sequence[Paper], shown: StoredRanking) -> tuple[str, str]:
    """Say how good an order was, and what it was judged by."""
    if not len(shown.ranking.scores):
        return LIST_ORDER, ""
    store, of_issue = cache.store(), (chosen.report, chosen.issue)
    sheet = Sheet(*of_issue, list(papers), shown, workflow.shown_order(shown, len(papers)), light=None, is_issued=True)
    in_order = [papers[position - 1] for position in sheet.order.tolist()]
    said = standing.said(store, *of_issue)
    relevant = [place for place, paper in enumerate(in_order, 1) if _word(said, paper) == "yes"]
    drawn = {papers[position - 1].paper_id for position in reading.drawn_positions(kept.draws(store, sheet))}
    pointed = kept.read_to(store, sheet).get("presort")
    ranker = shown.ranking.ranker
    scored = rankings.scored_rankings(store, chosen.report)
    earlier = reading.finished_issues(scored, ranker, chosen.issue).get(chosen.report, [])
    outcomes = [Outcome(one.places, one.n_papers) for one in earlier if len(one.places)]
    told = order_says(
        Outcome(np.array(relevant, dtype=np.int64), len(papers)),
        [paper.title for paper in in_order],
        read_to=read_to([paper.paper_id for paper in in_order], said, shown.id, drawn, pointed),
        minutes=minutes_spent(store, *of_issue),
        earlier=outcomes,
    )
    return told, judged_by_says(len(outcomes), ranker) if relevant else ""


def read_to(
    in_order: Sequence[str], said: Mapping[str, Said], ranking_id: int, drawn: Iterable[str], pointed: str | None
) -> int:
    """Give the place of the deepest paper that was decided in a ranking, or to which the reader pointed.

    Parameters
    ----------
    in_order : sequence of str
        Ids of all papers, as ranked.
    said : mapping from paper id to Said
        What was decided. Where no decision tells what its editor was looking at, all are taken to be of this ranking.
    ranking_id : int
        Number of the ranking.
    drawn : iterable of str
        Papers that were drawn at random: that they are decided tells nothing.
    pointed : str or None
        The paper to which the reader said to have read.

    Examples
    --------
    >>> said = {"b": Said(1, "yes", 7), "d": Said(2, "no", None), "c": Said(3, "undecided", 7)}
    >>> read_to("abcd", said, 7, [], None), read_to("abcd", said, 7, ["b"], None), read_to("abcd", said, 7, [], "c")
    (2, 0, 3)
    """
    decided = {paper: one for paper, one in said.items() if one.word != "undecided"}
    is_told = any(one.ranking_id is not None for one in decided.values())
    here = {paper for paper, one in decided.items() if not is_told or one.ranking_id == ranking_id} - set(drawn)
    return max((place for place, paper in enumerate(in_order, start=1) if paper in here or paper == pointed), default=0)


def _word(said: Mapping[str, Said], paper: Paper) -> str:
    return said[paper.paper_id].word if paper.paper_id in said else "undecided"
