"""Page with only the review list, from the folder that `?list=` names: `papers.json`, and a log of received entries."""

import json
import sqlite3
from contextlib import closing
from typing import get_args

import streamlit as st

from presort.data.records import Paper
from presort.desk import settings
from presort.desk.components.messages import (
    DecisionEntry,
    ExplanationRequest,
    LeaveRequest,
    NoteEntry,
    ReadingEntry,
    ReviewRequest,
    SpotCheckRequest,
    TagEntry,
    TargetRecall,
    TargetRecallEntry,
    ViewEntry,
)
from presort.desk.components.page_frame import redraw_on_reconnect
from presort.desk.components.response import ReviewResponse, Rule, Section, SpotCheckView, StopAdviceView
from presort.desk.components.review_list import review_list
from presort.desk.web.review_channel import sync

FOLDER = settings.from_environment().workspace / st.query_params["list"]
TABLE = """create table if not exists log
(n integer primary key, id text unique, kind text, paper text, value text, list text, ranking int)"""


def row_of(entry):
    """Return the log row of an entry: its kind, paper, value and the shown order."""
    match entry:
        case DecisionEntry(paper_id=paper, label=label, is_alone=True):
            return "label", paper, label, None
        case DecisionEntry(paper_id=paper, label=label, order=order):
            return "label", paper, label, order
        case NoteEntry(paper_id=paper, text=text):
            return "note", paper, text, None
        case TagEntry(paper_id=paper, tag=tag, is_on=is_on):
            return "tag" if is_on else "untag", paper, tag, None
        case ReadingEntry(paper_id=paper, order=order):
            return "read", paper, order, order
        case TargetRecallEntry(target_recall=target_recall):
            return "miss", None, target_recall, None
        case SpotCheckRequest():
            return "draw", None, None, None
        case ViewEntry(order=order, filter=chosen, query=query, tag=tag):
            return "looked", query, " ".join(filter(None, [chosen, tag])), order
        case LeaveRequest():
            return "leave", None, None, None


def receive(request: ReviewRequest) -> ReviewResponse:
    with closing(sqlite3.connect(FOLDER / "log.db", timeout=10)) as log, log:
        log.execute(TABLE)
        refused = {}
        for entry in request.entries:
            if getattr(entry, "paper_id", None) == given["locked"]:
                refused[entry.entry_id] = "this paper can't be decided"
            elif not isinstance(entry, ExplanationRequest):
                row = (entry.entry_id, *row_of(entry), getattr(entry, "ranking", None))
                into = "log (id, kind, paper, value, list, ranking)"
                log.execute(f"insert or ignore into {into} values (?, ?, ?, ?, ?, ?)", row)
        log.commit()
        rows = log.execute("select n, kind, paper, value, list from log order by n").fetchall()
    new = [row for row in rows if row[0] > (request.seen or 0)]
    return ReviewResponse(
        up_to=max((n for n, *_ in rows), default=0),
        labels={paper: value for _, kind, paper, value, _ in new if kind == "label"},
        notes={paper: value for _, kind, paper, value, _ in new if kind == "note"},
        tags={paper: tags_of(paper, rows) for _, kind, paper, *_ in new if kind in ("tag", "untag")},
        read=read(rows),
        refused=refused,
        rule=Rule(*given["rule"]) if given["rule"] else None,
        answers={one.paper_id: answer(one.paper_id) for one in request.entries if isinstance(one, ExplanationRequest)},
        **progress(rows, is_news=bool(new) or request.seen is None),
    )


def tags_of(paper, rows):
    """Return the tags of a paper, in the order in which they were added."""
    newest = {value: kind for _, kind, of_paper, value, _ in rows if of_paper == paper and kind in ("tag", "untag")}
    return [tag for tag, kind in newest.items() if kind == "tag"]


def read(rows):
    """Return the read places in the original order, each as a separate run."""
    received = [paper.paper_id for paper in papers]
    orders = {"list": received, "presort": [received[position - 1] for position in given["order"]] or received}
    words = {paper: (value, order) for _, kind, paper, value, order in rows if kind == "label"}
    decided = [(paper, order) for paper, (label, order) in words.items() if label != "undecided"]
    ends = [(paper, order) for paper, order in decided if order and paper not in given["drawn"]]
    ends += {order: (paper, order) for _, kind, paper, _, order in rows if kind == "read"}.values()
    found = {paper for paper, _ in decided}
    for paper, order in ends:
        found |= set(orders[order][: orders[order].index(paper) + 1])
    return [(place, place) for place, paper in enumerate(orders["presort"], start=1) if paper in found]


def progress(rows, *, is_news):
    """Return stop advice that allows stopping from the third decision on, and the draw of the file's papers."""
    words = {paper: value for _, kind, paper, value, _ in rows if kind == "label"}
    drawn = given["drawn"] if any(kind == "draw" for _, kind, *_ in rows) else []
    chosen = next((value for _, kind, _, value, _ in reversed(rows) if kind == "miss"), "1 in 20")
    may_stop = len(words) > 2
    verdict, says = ("you can stop", "every one was found") if may_stop else ("keep reading", "stop near 19")
    stops = [(one, f"{one}: stop near {19 + n}") for n, one in enumerate(get_args(TargetRecall))]
    return {
        "stop_advice": StopAdviceView(may_stop, verdict, says, f"{9 - len(words)} left", 19, chosen, stops)
        if is_news
        else None,
        "minutes": f"{len(words)} min" if words and is_news else None,
        "drawn": drawn,
        "spot_check": check_shown(words, drawn, may_stop=may_stop),
    }


def check_shown(words, drawn, *, may_stop):
    """Return the spot check, which is offered once, at the stop point."""
    if not drawn:
        return SpotCheckView("Spot check: 3 papers" if may_stop else "")
    labels = [words.get(paper, "undecided") for paper in drawn]
    if left := labels.count("undecided"):
        return SpotCheckView("", f"Spot check: {left} of 3 papers left to decide", left)
    return SpotCheckView("", f"Spot check: {labels.count('yes')} of 3 relevant", 0, "in figures")


def answer(paper_id):
    return [
        Section("Why this rank", ["up: minimum wage, reallocation", "down: macro"]),
        Section("Most similar relevant papers", [f"<b>Wages</b> beside {paper_id}", "Jobs and tasks"]),
    ]


st.set_page_config(page_title="List", layout="wide")
st.title("Review", anchor=False)
given = json.loads((FOLDER / "papers.json").read_text(encoding="utf-8"))
papers = [Paper(**{**one, "authors": tuple(one["authors"]), "codes": tuple(one["codes"])}) for one in given["papers"]]
redraw_on_reconnect()
st.button("Redraw the page")
review_list(
    papers,
    order=given["order"],
    ranking=given["ranking"],
    scores={position: -(place**0.5) for place, position in enumerate(given["order"], start=1)},
    links=given["links"],
    marked=given["marked"],
    tags=["theory", "data"],
    has_notes=True,
    has_answers=True,
    is_locked=given["is_locked"],
    choices=get_args(TargetRecall),
    key="list",
)
st.fragment(sync)(receive, key="list")
