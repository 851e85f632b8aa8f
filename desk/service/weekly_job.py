"""Titles and order of the weekly job's steps, and a summary of its newest run."""

from collections.abc import Iterable, Sequence

from presort.data.records import WeeklyStep

TITLES = {
    "papers": "New papers",
    "rank": "Ranking",
    "tell": "Mail to editors",
    "send": "Mail to readers",
    "pages": "Public pages",
    "learn": "Training ahead",
    "summary": "Mail to the director",
}
GOES_ON = "Run it again to resume."


def sort_steps(steps: Iterable[WeeklyStep]) -> list[WeeklyStep]:
    """Sort a job's steps into the order in which they run. Unknown steps come last."""
    order = list(TITLES)
    return sorted(steps, key=lambda one: (order.index(one.step) if one.step in order else len(order), one.step))


def describe_step(step: WeeklyStep) -> str:
    """Describe the result of a step.

    Examples
    --------
    >>> from datetime import date, datetime
    >>> began_at = datetime(2026, 11, 23, 6)
    >>> describe_step(WeeklyStep(date(2026, 11, 23), "papers", "failed", began_at, None, "a.csv is empty."))
    'New papers: failed. a.csv is empty.'
    """
    failed = {"failed": "failed. ", "running": "running or interrupted. "}.get(step.state, "")
    return f"{TITLES.get(step.step, step.step)}: {failed}{step.message}".rstrip()


def has_succeeded(steps: Sequence[WeeklyStep]) -> bool:
    """Return True if no step failed or was interrupted."""
    return all(one.state in ("done", "passed over") for one in steps)


def summarise_job(steps: Sequence[WeeklyStep]) -> str:
    """Summarise the newest weekly job. `steps` must contain at least one of its steps.

    Examples
    --------
    >>> from datetime import date, datetime
    >>> begun, day = datetime(2026, 11, 23, 6), date(2026, 11, 23)
    >>> rank = WeeklyStep(day, "rank", "done", begun, datetime(2026, 11, 23, 6, 2), "12 lists ranked.")
    >>> summarise_job([rank])
    'Weekly job of 2026-11-23: all done at 06:02 (UTC).'
    >>> summarise_job([WeeklyStep(day, "papers", "failed", begun, begun, "a.csv is empty."), rank])
    'Weekly job of 2026-11-23: New papers: failed. a.csv is empty. Run it again to resume.'
    """
    day = f"Weekly job of {steps[0].week}"
    if has_succeeded(steps):
        ended = max(one.ended_at or one.began_at for one in steps)
        return f"{day}: all done at {ended:%H:%M} (UTC)."
    wrong = [describe_step(one) for one in sort_steps(steps) if one.state in ("failed", "running")]
    return " ".join([f"{day}:", *wrong, GOES_ON])
