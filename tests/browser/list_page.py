"""A page with nothing but the review list, on the folder that `?list=` names: `papers.json`, and a log of what came."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import streamlit as st

from data.records import Paper
from desk.components.messages import Asked, Decided, Noted, ReadTo, Sent, Tagged
from desk.components.review_list import review_list
from desk.components.sync import Reply, Rule, Section, sync

FOLDER = Path(sys.argv[1]) / st.query_params["list"]
TABLE = "create table if not exists log (n integer primary key, id text unique, kind text, paper text, value text)"
KINDS = {Decided: "word", Noted: "note", Tagged: "tags", ReadTo: "read"}


def value_of(entry):
    match entry:
        case Decided(word=word):
            return word
        case Noted(text=text):
            return text
        case Tagged(tags=tags):
            return json.dumps(tags)
        case ReadTo(order=order):
            return order


def receive(sent: Sent) -> Reply:
    with closing(sqlite3.connect(FOLDER / "log.db", timeout=10)) as log, log:
        log.execute(TABLE)
        refused = {}
        for entry in sent.entries:
            if entry.paper_id == given["locked"]:
                refused[entry.entry_id] = "this paper can't be decided"
            elif not isinstance(entry, Asked):
                row = (entry.entry_id, KINDS[type(entry)], entry.paper_id, value_of(entry))
                log.execute("insert or ignore into log (id, kind, paper, value) values (?, ?, ?, ?)", row)
        log.commit()
        rows = log.execute("select n, kind, paper, value from log order by n").fetchall()
    new = [row for row in rows if row[0] > (sent.seen or 0)]
    return Reply(
        up_to=max((n for n, *_ in rows), default=0),
        words={paper: value for _, kind, paper, value in new if kind == "word"},
        notes={paper: value for _, kind, paper, value in new if kind == "note"},
        tags={paper: json.loads(value) for _, kind, paper, value in new if kind == "tags"},
        read_to={value: paper for _, kind, paper, value in rows if kind == "read"},
        refused=refused,
        rule=Rule(*given["rule"]) if given["rule"] else None,
        answers={entry.paper_id: answer(entry.paper_id) for entry in sent.entries if isinstance(entry, Asked)},
    )


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
    scores={position: -place for place, position in enumerate(given["order"])},
    links=given["links"],
    marked=given["marked"],
    tags=["theory", "data"],
    has_notes=True,
    has_answers=True,
    key="list",
)
st.fragment(sync)(receive, key="list")
