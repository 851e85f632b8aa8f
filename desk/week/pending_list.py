"""Pending issues of some reports, one line each, oldest first, with progress and a button that opens the list."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import streamlit as st

from presort.data.editing.pending import SortedBy, skipped
from presort.data.editing.read_papers import NOTHING, all_read_positions
from presort.data.editing.skipping import skippings
from presort.data.records import Pending, Positions
from presort.desk import pages
from presort.desk.service import pending, rankers
from presort.desk.session.progress import shown_order
from presort.desk.text import counted, plain
from presort.desk.ui import cache, problem, reranking
from presort.desk.week import skipping, words

PROBLEM = "pending"  # where problems of changes are shown
SHOWN_AT_ONCE = 40
OPENED = "n-pending"

STYLE = """
<style>
[class*="st-key-due-"] { border-bottom: 1px solid #8884; padding: .3rem 0;
    row-gap: 0; }
[class*="st-key-due-"] > :first-child { min-width: min(20rem, 100%); flex: 1 1 20rem; }
[class*="st-key-due-"] p { overflow-wrap: anywhere; }
[class*="st-key-due-"] [data-testid="stPageLink"] a {
    border: 1px solid #8888; border-radius: .5rem; padding: .2rem .7rem; }
</style>
"""


def show(names: Mapping[str, str], issues: Sequence[Pending]) -> None:
    """Draw them, by the names of their reports, and what was skipped."""
    reranking.rank_new(pending.to_rank(cache.store()))
    reranking.show(redraws=True)
    problem.show(PROBLEM)
    skipping.show(PROBLEM)
    if issues:
        by_rankers = rankers.known_rankers_of(cache.store(), issues)
        st.markdown(words.summary(issues))
        _draw_lines(names, issues, by_rankers)
    else:
        st.success(
            "Nothing waits: every issue has gone out, or was skipped. Enjoy the quiet week.",
            icon=":material/check:",
        )
    _draw_skipped(names)


def _draw_lines(
    names: Mapping[str, str], issues: Sequence[Pending], by_rankers: Mapping[tuple[str, date], dict[str, SortedBy]]
) -> None:
    st.html(STYLE)
    read = all_read_positions(cache.store(), names, issues[0].issue)
    n_shown = st.session_state.setdefault(OPENED, SHOWN_AT_ONCE)
    with st.container(key="pending-issues", gap=None):
        for one in issues[:n_shown]:
            positions = read.get((one.report, one.issue), NOTHING)
            description = words.describe_pending(
                one, names[one.report], len(positions), list(by_rankers[one.report, one.issue].values())
            )
            _draw_line(one, plain(description), _place(one, positions))
    if late := {words.lateness(one.days_counted) for one in issues} - {""}:
        st.caption(" ".join(f"{text.capitalize()}." for text in sorted(late)))
    if len(issues) > n_shown and st.button(f"Show {len(issues) - n_shown:,} more", key="more-pending"):
        st.session_state[OPENED] = len(issues)
        st.rerun()


def _place(one: Pending, read: Positions) -> int:
    """Return the place, in the order that Review shows, of the first paper that was not read."""
    if not len(read):
        return 1
    order = shown_order(rankers.opened(cache.store(), one.report, one.issue), one.n_papers)
    return int(np.append(np.isin(order, read), False).argmin()) + 1


def _draw_line(one: Pending, description: str, place: int) -> None:
    is_late = words.lateness(one.days_counted)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"due-{one.report}-{one.issue}"):
        mark = ":orange[:material/priority_high:] " if is_late else ""
        st.markdown(f"{mark}**{one.issue}** · {description}", width="stretch")
        st.page_link(
            pages.link("review"),
            label=words.begins_at(min(place, one.n_papers)),
            icon=":material/arrow_forward:",
            query_params={"report": one.report, "issue": str(one.issue)},
        )
        key, args = f"skip-{one.report}-{one.issue}", (one.report, one.issue, PROBLEM)
        st.button(words.SKIP, key=key, type="tertiary", on_click=skipping.skip_now, args=args, help=words.SKIP_HELP)


def _draw_skipped(names: Mapping[str, str]) -> None:
    """List the skipped issues, each with a button that undoes it."""
    found = skipped(cache.store(), list(names), today=date.today())
    if not found:
        return
    with st.expander(f"{counted(len(found), 'issue')} skipped", icon=":material/skip_next:", key="skipped"):
        for one in found:
            name = f"{one.report}-{one.issue}"
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"out-{name}"):
                description = (
                    f"{names[one.report]} · {one.issue} · {counted(one.n_papers, 'paper')} · {words.how_old(one)}"
                )
                last = skippings(cache.store(), one.report, one.issue)[-1]
                with st.container(gap=None, width="stretch"):
                    st.page_link(
                        pages.link("review"),
                        label=plain(description),
                        query_params={"report": one.report, "issue": str(one.issue)},
                    )
                    st.caption(plain(words.skipped(last)))
                args = (one.report, one.issue, PROBLEM)
                key = f"take-up-{name}"
                st.button("Take it up again", key=key, type="tertiary", on_click=skipping.take_up_now, args=args)
