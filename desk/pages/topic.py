"""Try a topic: past issues sorted by a few examples, before there is a report on the subject."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue, reviews
from data.errors import DataError
from data.records import Issue, Paper
from desk import access, cache
from desk.pages import review
from desk.topic import MOST_ISSUES, Past, SortedIssue, begin_report, example, learn_past, sort_past
from desk.words import topic as words
from desk.words.text import plain
from desk.words.why import example_of, title_of
from ranker.versions import DEFAULT, RECIPES

N_FOUND = 8
N_ISSUES = 4
PER_STEP = 20  # titles of an issue, and as many more a click
LONGEST_QUESTION = 200  # characters
SEEDS = "topic-seeds"
BEGUN = "topic-begun"
KEPT = timedelta(hours=1)

STYLE = """
<style>
[class*="st-key-line-"], [class*="st-key-row-"] { flex-wrap: nowrap; }
[class*="st-key-line-"] > :first-child { min-width: 0; overflow-wrap: anywhere; }
[class*="st-key-line-"] [data-testid="stText"] { font-size: .875rem; }
[class*="st-key-row-"] > :nth-child(2) { min-width: 0; }
[class*="st-key-paper-"] > :nth-child(3) [data-testid="stText"] { font-size: .875rem; opacity: .75; }
[class*="st-key-paper-"] > :nth-child(n + 2), [class*="st-key-paper-"] > :nth-child(n + 2) * {
    max-width: 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
</style>
"""


def show() -> None:
    """Draw the examples on the left, and on the right the issues sorted by them."""
    if "report" in st.query_params:  # a link to Review, opened in a new tab: Streamlit writes it relative to this page
        st.switch_page(_review(), query_params=st.query_params.to_dict())
    st.title(words.TITLE, anchor=False)
    issues = catalogue.issues(cache.store())
    if not issues:
        st.info(words.NO_ISSUE)
        return
    st.html(STYLE)
    st.write(words.INTRODUCTION)
    st.caption(words.NOTHING_KEPT)
    seeds: tuple[str, ...] = st.session_state.setdefault(SEEDS, ())
    left, right = st.columns([2, 3], gap="large")
    with left:
        _draw_pasting()
        _draw_search(seeds)
        if seeds:
            _draw_examples(seeds)
            _draw_beginning(seeds)
    with right:
        _draw_sorted(issues, seeds)


def _draw_pasting() -> None:
    with st.form("topic-pasting", border=False):  # sends the text with the click
        st.text_area(words.PASTE, key="topic-text", height=150)
        st.form_submit_button(words.ADD, key="topic-add", on_click=_take_pasted)
    _say_problem("topic-add")


def _draw_search(seeds: Sequence[str]) -> None:
    asked = st.text_input(words.FIND, key="topic-find", max_chars=LONGEST_QUESTION)
    found = catalogue.find_papers(cache.store(), asked, N_FOUND)
    if asked.strip() and not found:
        st.caption(words.NONE_FOUND)
    with st.container(key="topic-found", gap="xsmall"):
        for listed in found:
            place = f"found-{listed.paper.paper_id}"
            with _line(place):
                st.text(words.found_named(listed.paper, listed.issue), width="stretch")
                _draw_taking(listed.paper, place, seeds)
            _say_problem(place)


def _draw_examples(seeds: Sequence[str]) -> None:
    st.markdown(f"**{words.examples_counted(len(seeds))}**")
    with st.container(key="topic-examples", gap="xsmall"):
        for number, seed in enumerate(seeds, start=1):
            with _line(f"example-{number}"):
                st.text(words.on_one_line(title_of(seed)), width="stretch")
                st.button(words.TAKE_BACK, key=f"back-{number}", type="tertiary", on_click=_take_back, args=(seed,))


def _draw_beginning(seeds: Sequence[str]) -> None:
    with st.expander(words.BEGIN, icon=":material/school:", key="topic-beginning"):
        st.caption(words.BEGIN_SAYS)
        with st.form("topic-report", border=False):
            st.text_input(words.CODE, key="topic-code", max_chars=64)
            st.text_input(words.NAME, key="topic-name", max_chars=LONGEST_QUESTION)
            st.form_submit_button(words.ADD_REPORT, key="topic-begin", type="primary", on_click=_begin, args=(seeds,))
        _say_problem("topic-begin")
        if BEGUN in st.session_state:
            code, n_examples = st.session_state[BEGUN]
            st.success(plain(words.begun(code, n_examples)), icon=":material/check:")
            st.page_link(
                _review(), label=words.TO_REVIEW, icon=":material/arrow_forward:", query_params={"report": code}
            )


def _draw_sorted(issues: Sequence[Issue], seeds: Sequence[str]) -> None:
    most = max(len(issues) - 1, 1)  # one at least is left to learn from, where there is another
    n_issues = _choose_number(min(most, MOST_ISSUES))
    if not seeds:
        st.info(words.NO_EXAMPLE)
        return
    try:
        with st.spinner(words.LEARNING):
            past = _past(issues, min(most, N_ISSUES if n_issues <= N_ISSUES else MOST_ISSUES))
        found = sort_past(past, seeds)
    except DataError as error:
        st.error(plain(str(error)))
        return
    st.caption(plain(words.sorted_by(DEFAULT, past.n_reports, found[-1].date, len(seeds))))
    for number, issue in enumerate(found[:n_issues]):
        _draw_issue(issue, seeds, expanded=number == 0)


def _choose_number(most: int) -> int:
    """Let choose how many issues to sort."""
    if most == 1:
        return 1
    return st.slider(words.N_ISSUES, 1, most, min(N_ISSUES, most), key="topic-issues", width=280)


def _draw_issue(issue: SortedIssue, seeds: Sequence[str], *, expanded: bool) -> None:
    label = words.issue_named(issue.date, len(issue.papers))
    # What is closed is not drawn: a dozen issues would be thousands of elements.
    box = st.expander(label, expanded=expanded, key=f"sorted-{issue.date}", on_change="rerun")
    if not box.open:
        return
    shown = f"topic-shown-{issue.date}"
    n_shown = st.session_state.setdefault(shown, PER_STEP)
    scores = issue.scores.tolist()
    with box:
        for place, paper in enumerate(issue.papers[:n_shown], start=1):
            _draw_paper(paper, f"{issue.date}-{place}", place, words.bar(scores, place) if scores else "", seeds)
        if n_shown < len(issue.papers):
            st.button(words.MORE, key=f"more-{issue.date}", on_click=_show_more, args=(shown,))


def _draw_paper(paper: Paper, where: str, place: int, bar: str, seeds: Sequence[str]) -> None:
    with st.container(horizontal=True, gap="xsmall", key=f"row-{where}"):
        with st.container(key=f"place-{where}", gap=None, width=56):
            st.text(str(place))
            st.text(bar)
        with st.container(key=f"paper-{where}", gap=None):
            st.text(words.on_one_line(paper.title))
            st.text(words.on_one_line("; ".join(paper.authors)) or words.NO_AUTHOR)
            if paper.abstract:
                st.text(words.on_one_line(paper.abstract))
        _draw_taking(paper, f"take-{where}", seeds)
    _say_problem(f"take-{where}")


def _draw_taking(paper: Paper, place: str, seeds: Sequence[str]) -> None:
    text = example_of(paper)
    is_taken = text in seeds
    label = words.TAKEN if is_taken else words.TAKE
    st.button(label, key=place, type="tertiary", disabled=is_taken, on_click=_take, args=(text, place))


def _line(place: str) -> "st.delta_generator.DeltaGenerator":
    return st.container(horizontal=True, vertical_alignment="center", key=f"line-{place}")


def _take_pasted() -> None:
    _take(st.session_state["topic-text"], "topic-add")
    if "problem-topic-add" not in st.session_state:
        st.session_state["topic-text"] = ""


def _take(text: str, place: str) -> None:
    """Take a text as example, once; `_say_problem` says at the same place what was wrong with it."""
    try:
        seed = example(text)
    except DataError as error:
        _note_problem(place, error)
        return
    st.session_state[SEEDS] = tuple(dict.fromkeys([*st.session_state[SEEDS], seed]))


def _take_back(seed: str) -> None:
    st.session_state[SEEDS] = tuple(other for other in st.session_state[SEEDS] if other != seed)


def _show_more(shown: str) -> None:
    st.session_state[shown] += PER_STEP


def _begin(seeds: Sequence[str]) -> None:
    code, name = st.session_state["topic-code"], st.session_state["topic-name"]
    try:
        report = begin_report(cache.store(), code, name, seeds, person=access.current_person())
    except DataError as error:
        _note_problem("topic-begin", error)
        return
    st.session_state[BEGUN] = report.code, len(seeds)
    st.session_state["topic-code"] = st.session_state["topic-name"] = ""


def _note_problem(place: str, error: DataError) -> None:
    st.session_state[f"problem-{place}"] = str(error)


def _say_problem(place: str) -> None:
    if problem := st.session_state.pop(f"problem-{place}", None):
        st.error(plain(problem))


def _past(issues: Sequence[Issue], n_issues: int) -> Past:
    """Give what is sorted, as of now: it depends on which papers there are, and on decisions made on earlier issues."""
    store = cache.store()
    sizes = [(issue.date, issue.n_papers) for issue in issues]
    return _learned(store.path, n_issues, sizes, reviews.newest_decisions(store, issues[-n_issues].date))


# Two spans, not one a number of issues: to learn takes a while, and each holds all that the reports taught.
@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=2)
def _learned(path: Path, n_issues: int, sizes: list[tuple[date, int]], decided: dict[str, int]) -> Past:
    return learn_past(cache.store(), RECIPES[DEFAULT], n_issues)


def _review() -> StreamlitPage:
    return st.Page(review.show, url_path="review", default=True)
