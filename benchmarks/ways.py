"""Trace five operations, and count the files and functions that a newcomer has to read to understand them.

Run as ``python -m benchmarks.ways [--list WAY]``. Each operation runs twice, on two copies of a synthetic workspace:
the first run loads modules, the second is traced. A function counts if Python enters it in any thread of this process.
The code of modules and classes, comprehensions and lambdas doesn't count. Page scripts run in `AppTest`, so code in the
browser and in Streamlit's server is not covered. The import is traced until its papers are committed. Later steps for
rankers are excluded.
"""

import argparse
import io
import logging
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.intake.commit_import import commit_import
from presort.data.learning.tokens import keep_tokens
from presort.data.store import open_store
from presort.desk import cli
from presort.desk.service import workflow
from presort.desk.settings import WORKSPACE
from presort.desk.web import review_channel
from presort.desk.web.guard import Guard
from presort.desk.web.review_channel import CHANNELS
from presort.desk.web.token_door import TokenDoor, cookie_name
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.versions import RECIPES

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("data", "desk", "metrics", "ranker")
REPORT, UNRANKED, ADDRESS = "lab", "mac", "http://127.0.0.1"
RIS = "TY  - JOUR\nTI  - Wages and jobs\nAU  - Lee, Ann\nDO  - 10.1234/a\nPY  - 2030\nER  - \n"
Trace = Callable[..., Any]  # returns a context manager that traces functions


def main() -> None:
    """Print the numbers of files and functions for each operation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=WAYS, help="Also print the functions that this operation calls.")
    asked = parser.parse_args().list
    logging.disable(logging.WARNING)  # hide Streamlit's warning that no server is running
    with tempfile.TemporaryDirectory() as folder, patch("presort.desk.jobs.background.supervise", lambda _: None):
        make(whole := Path(folder) / "workspace")
        for name, take in WAYS.items():
            if asked in (None, name):
                found = trace_second_run(take, whole)
                print(f"{name}: {len({code.co_filename for code in found})} files, {len(found)} functions")
                if asked:
                    print(*sorted(f"  {_place(code)}" for code in found), sep="\n")


def make(workspace: Path) -> None:
    """Fill a workspace with eight small issues. Past issues are replayed, and the newest is ranked."""
    ranker = RECIPES["presort-2"]
    with closing(open_store(workspace)) as store:
        commit_import(store, make_world(seed=3, n_issues=8, papers_per_issue=40).listings, person="import")
        keep_tokens(store, tokenise, TOKENISATION)
        days = [issue.date for issue in catalogue.issues(store)]
        list(workflow.replay(store, [ranker], first=days[1], last=days[-2], retrain_every=9))
        list(workflow.rank(store, [ranker], reports=[REPORT]))


def trace_second_run(take: Callable[[Path, Trace], None], whole: Path) -> set[CodeType]:
    """Run an operation twice, and return the functions that the second run entered."""
    entered: set[CodeType] = set()
    for tracer in (partial(tracing, set()), partial(tracing, entered)):
        workspace = shutil.copytree(whole, whole.with_name(uuid4().hex))
        st.cache_data.clear()
        st.cache_resource.clear()
        with patch.dict("os.environ", {WORKSPACE: str(workspace)}):
            take(workspace, tracer)
    return entered


@contextmanager
def tracing(entered: set[CodeType], until: str = "") -> Iterator[None]:
    """Collect the functions of the product that are entered, until a function named `until` returns."""
    own = {str(ROOT / name) for name in PRODUCT}
    known: dict[CodeType, bool] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            if code not in known:
                is_function = bool(code.co_flags & CO_OPTIMIZED) and not code.co_name.startswith("<")
                known[code] = is_function and any(code.co_filename.startswith(f"{one}/") for one in own)
                if known[code]:
                    entered.add(code)
        elif event == "return" and frame.f_code.co_name == until and known.get(frame.f_code):
            sys.setprofile(None)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def decide(workspace: Path, tracer: Trace) -> None:
    """Decide on a paper in the browser. Traces from the request to the response."""
    page = open_page("review", workspace)  # keep a reference to the page, because its channel is closed with it
    door = TokenDoor("token")
    app = Starlette(
        routes=[review_channel.route(door)], middleware=[Middleware(Guard, door=door, origins=[ADDRESS], is_local=True)]
    )
    with closing(open_store(workspace)) as store:
        paper = next(iter(catalogue.papers(store, catalogue.issues(store)[-1].date))).paper_id
    entry = {"id": str(uuid4()), "kind": "decided", "paper": paper, "label": "yes", "order": "presort"}
    name = list(CHANNELS)[-1]  # channel of the page that was just drawn
    headers = {"Cookie": f"{cookie_name('token')}=token", "Origin": ADDRESS}
    with TestClient(app, ADDRESS) as browser, tracer():
        answer = browser.post(f"/channels/{name}", json={"n": 1, "seen": 0, "entries": [entry]}, headers=headers)
    if page.exception or answer.json()["acknowledged"] != [entry["id"]]:
        raise RuntimeError(f"the decision was not saved: {answer.text}")


def import_ris(workspace: Path, tracer: Trace) -> None:
    """Import a RIS file with the command."""
    path = workspace / "week.ris"
    path.write_text(RIS)
    with tracer(until="commit_import"):
        call("import", str(path), "--issue", "2030-01-07")


def rank(_: Path, tracer: Trace) -> None:
    """Rank the newest issue for one report with the command."""
    with tracer():
        call("rank", "--report", UNRANKED)


def review(workspace: Path, tracer: Trace) -> None:
    """Open *Review* in a new window."""
    with tracer():
        open_page("review", workspace)


def overview(workspace: Path, tracer: Trace) -> None:
    """Open *Overview* with empty caches."""
    with tracer():
        open_page("overview", workspace)


def open_page(address: str, workspace: Path) -> AppTest:
    """Draw a page."""
    page = AppTest.from_string(f"from presort.desk.{address} import page\npage.show()", default_timeout=120)
    page.query_params["report"] = REPORT
    page.run()
    if page.exception:
        raise RuntimeError(f"{address} of {workspace} failed: {page.exception}")
    return page


def call(*words: str) -> None:
    """Run a command in this process, and discard its output."""
    try:
        with patch("sys.stdout", io.StringIO()):
            cli.app(words, prog_name="presort")
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"{words} ended with {ended.code}") from ended


def _place(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_firstlineno} {code.co_qualname}"


WAYS: Mapping[str, Callable[[Path, Trace], None]] = {
    "decide": decide,
    "import": import_ris,
    "rank": rank,
    "review": review,
    "overview": overview,
}


if __name__ == "__main__":
    main()
