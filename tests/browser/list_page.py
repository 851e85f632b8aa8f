"""A page with nothing but the review list, on the folder that `?list=` names: `papers.json`, and a log of what came."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import streamlit as st

from data.records import Paper
from desk.components.messages import Asked, Decided, DrawAsked, LevelChosen, Looked, Noted, ReadTo, Sent, Tagged
from desk.components.review_list import review_list
from desk.components.sync import DrawShown, LightShown, Reply, Rule, Section, sync

FOLDER = Path(sys.argv[1]) / st.query_params["list"]
TABLE = """create table if not exists log
(n integer primary key, id text unique, kind text, paper text, value text, list text)"""


def row_of(entry):
    """Give what is logged of an entry: its kind, paper, value and the order looked at."""
    match entry:
        case Decided(paper_id=paper, word=word, order=order):
            return "word", paper, word, order
        case Noted(paper_id=paper, text=text):
            return "note", paper, text, None
        case Tagged(paper_id=paper, tags=tags):
            return "tags", paper, json.dumps(tags), None
        case ReadTo(paper_id=paper, order=order):
            return "read", paper, order, order
        case LevelChosen(level=level):
            return "level", None, str(level), None
        case DrawAsked():
            return "draw", None, None, None
        case Looked(order=order, filter=chosen, query=query):
            return "looked", query, chosen, order


def receive(sent: Sent) -> Reply:
    with closing(sqlite3.connect(FOLDER / "log.db", timeout=10)) as log, log:
        log.execute(TABLE)
        refused = {}
        for entry in sent.entries:
            if getattr(entry, "paper_id", None) == given["locked"]:
                refused[entry.entry_id] = "this paper can't be decided"
            elif not isinstance(entry, Asked):
                row = (entry.entry_id, *row_of(entry))
                log.execute("insert or ignore into log (id, kind, paper, value, list) values (?, ?, ?, ?, ?)", row)
        log.commit()
        rows = log.execute("select n, kind, paper, value, list from log order by n").fetchall()
    new = [row for row in rows if row[0] > (sent.seen or 0)]
    return Reply(
        up_to=max((n for n, *_ in rows), default=0),
        words={paper: value for _, kind, paper, value, _ in new if kind == "word"},
        notes={paper: value for _, kind, paper, value, _ in new if kind == "note"},
        tags={paper: json.loads(value) for _, kind, paper, value, _ in new if kind == "tags"},
        read_to={order: paper for _, kind, paper, _, order in rows if kind == "read"},
        refused=refused,
        rule=Rule(*given["rule"]) if given["rule"] else None,
        answers={entry.paper_id: answer(entry.paper_id) for entry in sent.entries if isinstance(entry, Asked)},
        **standing(rows, is_news=bool(new) or sent.seen is None),
    )


def standing(rows, *, is_news):
    """Give a light that turns red at the third decision, and the draw of the three papers named in the file."""
    words = {paper: (value, order) for _, kind, paper, value, order in rows if kind == "word"}
    elsewhere = [paper for paper, (_, order) in words.items() if order != "presort"]
    drawn = given["drawn"] if any(kind == "draw" for _, kind, *_ in rows) else []
    level = next((int(value) for _, kind, _, value, _ in reversed(rows) if kind == "level"), 95)
    left = sum(words.get(paper, ("undecided",))[0] == "undecided" for paper in drawn)
    says = "you may stop." if len(words) > 2 else "a relevant paper probably remains; red expected near paper 19."
    return {
        "apart": [*elsewhere, *drawn],
        "light": LightShown(len(words) > 2, says, f"{30 * len(words)} %", 19, level) if is_news else None,
        "minutes": f"{len(words)} min" if words and is_news else None,
        "drawn": drawn,
        "draw": DrawShown(f"{left} of those drawn left to decide" if drawn else "", not drawn),
    }


def answer(paper_id):
    return [
        Section("Why it is here", ["up: minimum wage, reallocation", "down: macro"]),
        Section("Most like, of your earlier picks", [f"<b>Wages</b> beside {paper_id}", "Jobs and tasks"]),
    ]


st.set_page_config(page_title="List", layout="wide")
st.title("Review", anchor=False)
given = json.loads((FOLDER / "papers.json").read_text(encoding="utf-8"))
papers = [Paper(**{**one, "authors": tuple(one["authors"]), "codes": tuple(one["codes"])}) for one in given["papers"]]
st.button("Draw the page anew")
review_list(
    papers,
    order=given["order"],
    scores={position: -(place**0.5) for place, position in enumerate(given["order"], start=1)},
    links=given["links"],
    marked=given["marked"],
    tags=["theory", "data"],
    has_notes=True,
    has_answers=True,
    is_locked=given["is_locked"],
    levels=[80, 90, 95, 99],
    key="list",
)
st.fragment(sync)(receive, key="list")
