"""The *Try a topic* page: rank past issues by a few examples of a subject before creating a report on it."""

from collections.abc import Sequence
from datetime import date, timedelta

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import DataError
from presort.data.learning import rankings
from presort.data.records import CODE_RULE, Issue, Paper
from presort.data.text.formulas import formulas_to_unicode
from presort.desk import pages
from presort.desk.service import workflow
from presort.desk.service.rankers import active_ranker, installed_recipe
from presort.desk.text import count_text, escape, shorten
from presort.desk.topic.past_issues import (
    MOST_ISSUES,
    PastIssues,
    SortedIssue,
    basis_text,
    begin_report,
    example,
    learn_past,
    score_bar,
    sort_past,
)
from presort.desk.ui import cache, empty, examples, field, paper_links, problem, visitor
from presort.desk.why.labels import example_of, title_of
from presort.ranker.versions import DEFAULT, RECIPES

N_ISSUES = 4
LONGEST_NAME = 200  # characters
PER_STEP = 20  # number of an issue's titles that are shown at first, and that each click on *Show more* adds
SEEDS = "topic-seeds"
BEGUN = "topic-begun"
KEPT = timedelta(hours=1)


@visitor.one_snapshot()
def show() -> None:
    """Draw the examples on the left, and on the right the issues ranked by these examples."""
    st.title("Try a topic", anchor=False)
    issues = catalogue.issues(cache.store())
    if not issues:
        empty.draw("No papers yet. Import an issue to try a topic.", empty.TO_IMPORT)
        return
    st.write(
        "Preview how past issues would be ranked for a new subject, before you create a report. Describe the subject "
        "with examples: a paragraph, a title with its abstract, or papers from past issues. Three work better than one."
    )
    st.caption("Preview only: nothing is saved. Your examples are lost when you close Presort.")
    seeds: tuple[str, ...] = st.session_state.setdefault(SEEDS, ())
    left, right = st.columns([2, 3], gap="large")
    with left:
        examples.draw_pasting("topic-pasting", "topic-text", "topic-add", _add_pasted_text, problem_at="topic-add")
        _draw_search(seeds)
        if seeds:
            _draw_examples(seeds)
            _draw_beginning(issues[-1], seeds)
    with right:
        _draw_ranked_issues(issues, seeds)


def _draw_search(seeds: Sequence[str]) -> None:
    found = examples.ask_for_papers("topic-find")
    with st.container(key="topic-found", gap="xsmall"):
        for listed in found:
            place = f"found-{listed.paper.paper_id}"
            with _line(place):
                st.text(f"{listed.issue} · {shorten(formulas_to_unicode(listed.paper.title))}", width="stretch")
                _draw_taking(listed.paper, place, seeds)
            problem.show(place)


def _draw_examples(seeds: Sequence[str]) -> None:
    st.markdown("**Your example**" if len(seeds) == 1 else f"**Your {len(seeds)} examples**")
    with st.container(key="topic-examples", gap="xsmall"):
        for number, seed in enumerate(seeds, start=1):
            with _line(f"example-{number}"):
                st.text(shorten(title_of(seed)), width="stretch")
                st.button("Remove", key=f"back-{number}", type="tertiary", on_click=_remove_example, args=(seed,))


def _draw_beginning(newest: Issue, seeds: Sequence[str]) -> None:
    with st.expander("Create a report from these examples", icon=":material/school:", key="topic-beginning"):
        st.caption("All users will see the report. Its ranker is trained on your examples.")
        with st.form("topic-report", border=False):
            st.text_input(
                "Code, for example lab",
                key=field.key_of("topic-code"),
                help=f"Can't be changed later. Allowed: {CODE_RULE}.",
                max_chars=64,
            )
            st.text_input("Name", key=field.key_of("topic-name"), max_chars=LONGEST_NAME)
            st.form_submit_button("Create report", key="topic-begin", type="primary", on_click=_begin, args=(seeds,))
        problem.show("topic-begin")
        if BEGUN in st.session_state:
            code, n_examples = st.session_state[BEGUN]
            _sort_once(code, newest)
            st.success(
                escape(f"Report {code} created with {count_text(n_examples, 'example')}."), icon=":material/check:"
            )
            st.page_link(
                pages.link("review"),
                label="Review its newest issue",
                icon=":material/arrow_forward:",
                query_params={"report": code},
            )


def _sort_once(report: str, newest: Issue) -> None:
    """Rank the newest issue for a report that was just created, and show an error if that fails.

    Does nothing if the issue is already ranked.
    """
    store = cache.store()
    if rankings.newest_rankings(store, report, newest.date):
        return
    try:
        with st.spinner("Ranking the newest issue for the report. The first time, this may take half a minute…"):
            for _ in workflow.rank(
                store, [installed_recipe(active_ranker(store, newest.date))], issue=newest.date, reports=[report]
            ):
                pass
    except DataError as error:
        st.error(escape(str(error)))


def _draw_ranked_issues(issues: Sequence[Issue], seeds: Sequence[str]) -> None:
    most = max(len(issues) - 1, 1)  # if there are several issues, at least one is left for training
    n_issues = _choose_number(min(most, MOST_ISSUES))
    if not seeds:
        st.info("Add an example to rank the newest issues.")
        return
    try:
        with st.spinner("Training on earlier issues. The first time, this may take half a minute…"):
            past = _past(issues, min(most, N_ISSUES if n_issues <= N_ISSUES else MOST_ISSUES))
        found = sort_past(past, seeds)
    except DataError as error:
        st.error(escape(str(error)))
        return
    st.caption(escape(basis_text(DEFAULT, past.sorter.n_reports, found[-1].date, len(seeds))))
    for number, issue in enumerate(found[:n_issues]):
        _draw_issue(issue, seeds, expanded=number == 0)


def _choose_number(most: int) -> int:
    """Draw a slider for the number of issues to rank, and return it. If `most` is 1, draw nothing and return 1."""
    if most == 1:
        return 1
    return st.slider("Newest issues to rank", 1, most, min(N_ISSUES, most), key="topic-issues", width=280)


def _draw_issue(issue: SortedIssue, seeds: Sequence[str], *, expanded: bool) -> None:
    label = f"{issue.date} · {count_text(len(issue.papers), 'paper')}"
    # The papers of closed issues are not drawn, because a dozen issues would produce thousands of elements.
    box = st.expander(label, expanded=expanded, key=f"sorted-{issue.date}", on_change="rerun")
    if not box.open:
        return
    shown = f"topic-shown-{issue.date}"
    n_shown = st.session_state.setdefault(shown, PER_STEP)
    scores = issue.scores.tolist()
    with box:
        for place, paper in enumerate(issue.papers[:n_shown], start=1):
            _draw_paper(paper, f"{issue.date}-{place}", place, score_bar(scores, place) if scores else "", seeds)
        if n_shown < len(issue.papers):
            st.button("Show more", key=f"more-{issue.date}", on_click=_show_more, args=(shown,))


def _draw_paper(paper: Paper, where: str, place: int, bar: str, seeds: Sequence[str]) -> None:
    with st.container(horizontal=True, gap="xsmall", key=f"row-{where}"):
        with st.container(key=f"place-{where}", gap=None, width=56):
            st.text(str(place))
            st.text(bar)
        with st.container(key=f"paper-{where}", gap=None):
            st.text(shorten(formulas_to_unicode(paper.title)))
            st.text(shorten("; ".join(paper.authors)) or "no author given")
            if paper.abstract:
                st.text(shorten(formulas_to_unicode(paper.abstract)))
            paper_links.draw(paper)
        _draw_taking(paper, f"take-{where}", seeds)
    problem.show(f"take-{where}")


def _draw_taking(paper: Paper, place: str, seeds: Sequence[str]) -> None:
    text = example_of(paper)
    is_taken = text in seeds
    label = "Added" if is_taken else "Add"
    st.button(label, key=place, type="tertiary", disabled=is_taken, on_click=_add_example, args=(text, place))


def _line(place: str) -> "st.delta_generator.DeltaGenerator":
    return st.container(horizontal=True, vertical_alignment="center", key=f"line-{place}")


def _add_pasted_text() -> None:
    _add_example(field.text_of("topic-text"), "topic-add")
    if not problem.has_error("topic-add"):
        field.renew("topic-text")


def _add_example(text: str, place: str) -> None:
    """Add a text to the examples, unless it is already among them. An error is shown at `place`."""
    try:
        seed = example(text)
    except DataError as error:
        problem.note(place, str(error))
        return
    st.session_state[SEEDS] = tuple(dict.fromkeys([*st.session_state[SEEDS], seed]))


def _remove_example(seed: str) -> None:
    st.session_state[SEEDS] = tuple(other for other in st.session_state[SEEDS] if other != seed)


def _show_more(shown: str) -> None:
    st.session_state[shown] += PER_STEP


def _begin(seeds: Sequence[str]) -> None:
    st.session_state.pop(BEGUN, None)
    code, name = field.text_of("topic-code"), field.text_of("topic-name")
    try:
        report = begin_report(cache.store(), code, name, seeds, person=visitor.person())
    except DataError as error:
        problem.note("topic-begin", str(error))
        return
    st.session_state[BEGUN] = report.code, len(seeds)
    for name in ("topic-code", "topic-name"):
        field.renew(name)


def _past(issues: Sequence[Issue], n_issues: int) -> PastIssues:
    """Return the past issues to rank.

    The arguments of the cached function cover all the data that the result depends on.
    """
    store = cache.store()
    sizes = [(issue.date, issue.n_papers) for issue in issues]
    return _train_on_past(store.name, n_issues, sizes, decisions.newest_decisions(store, issues[-n_issues].date))


# Results are cached for only two numbers of issues (N_ISSUES and MOST_ISSUES), because training is slow and each entry
# is large.
@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=2)
def _train_on_past(workspace: str, n_issues: int, sizes: list[tuple[date, int]], decided: dict[str, int]) -> PastIssues:
    return learn_past(cache.store(), RECIPES[DEFAULT], n_issues)
