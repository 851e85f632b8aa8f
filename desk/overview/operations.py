"""The service's state on *Overview*: last import, last issue, weekly job, and undelivered mail and webhooks."""

from collections.abc import Mapping, Sequence

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.learning.rankings import last_ranked_issue
from presort.data.mail.last_runs import LastRun, Work, last_run
from presort.data.mail.mailings import count_by_state
from presort.data.records import WeeklyStep
from presort.data.running import service
from presort.desk import pages
from presort.desk.service.delivery import next_try
from presort.desk.service.webhooks import failure_lines
from presort.desk.service.weekly_job import has_succeeded, summarise_job
from presort.desk.settings.api import webhooks
from presort.desk.text import escape, time_text
from presort.desk.ui import cache

DELIVERIES: Mapping[Work, str] = {"mail": "Mail to readers", "pages": "Public pages"}


def draw_failure(steps: Sequence[WeeklyStep]) -> None:
    """Draw the weekly job's failed steps, and failed deliveries of mail, public pages and webhooks."""
    if steps and not has_succeeded(steps):
        st.warning(escape(summarise_job(steps)), icon=":material/event_repeat:")
    for work, title in DELIVERIES.items():
        if text := failure_text(title, last_run(cache.store(), work)):
            st.warning(escape(text), icon=":material/event_repeat:")
    if lines := _webhook_lines():
        st.warning("  \n".join(map(escape, lines)), icon=":material/event_repeat:")


def _webhook_lines() -> list[str]:
    """Return a line for each webhook with messages that were not delivered."""
    try:
        return list(failure_lines(cache.store().folder, webhooks()))
    except DataError as error:  # faulty webhook settings or delivery files must not hide the rest of the page
        return [str(error)]


def failure_text(title: str, run: LastRun) -> str:
    """Describe a failed delivery and its next attempt. Returns an empty string if the newest delivery succeeded.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> failed = LastRun(None, datetime(2026, 11, 27, 14, 42, tzinfo=UTC), 2, "The mail server can't be reached.")
    >>> failure_text("Mail to readers", failed)
    "Mail to readers: failed at 14:42 (UTC). The mail server can't be reached. Attempts: 2. Next attempt: 14:52."
    """
    if run.failed_at is None:
        return ""
    when, then = run.failed_at, next_try(run)
    return (
        f"{title}: failed at {when:%H:%M} (UTC). {run.error} Attempts: {run.n_failures:,}. Next attempt: {then:%H:%M}."
    )


def draw_line(steps: Sequence[WeeklyStep], n_reports: int) -> None:
    """Draw a line with figures about the service and links to details."""
    store = cache.store()
    with st.container(key="operations", horizontal=True, gap="medium"):
        imports = service.imports(store)
        last = f"{time_text(imports[0].made_at)}, {imports[0].summary.new_papers:,} new" if imports else "none"
        _link(f"Last import {last}", "manage", part="imports")
        if issues := catalogue.issues(store):
            made = last_ranked_issue(store)
            n_ranked = made.n_reports if made and made.issue == issues[-1].date else 0
            ranked = f"{issues[-1].n_papers:,} papers, ranked for {n_ranked} of {n_reports} reports"
            _link(f"Last issue {issues[-1].date}, {ranked}", "week", only="*")
        if steps:
            ended = max(one.ended_at or one.began_at for one in steps)
            state = "OK" if has_succeeded(steps) else "failed"
            st.caption(f"Weekly job {steps[0].week}: {state}, {ended:%H:%M} UTC")
        else:
            st.caption("Weekly job: never run")
        if written := last_run(store, "pages").succeeded_at:
            st.caption(f"Public pages written {time_text(written)} UTC")
        counts = count_by_state(store)
        n_lost = counts["unsure"] + counts["refused"]
        _link(f"Undelivered mail {n_lost:,}", "manage", part="readers")


def _link(label: str, address: str, **query: str) -> None:
    st.page_link(pages.link(address), label=escape(label), query_params=query)
