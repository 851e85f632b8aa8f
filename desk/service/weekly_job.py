"""Titles and order of the weekly job's steps, and a summary of the newest run."""

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


def in_order(steps: Iterable[WeeklyStep]) -> list[WeeklyStep]:
    """Sort the steps of a job by their order of execution. Unknown steps come last."""
    order = list(TITLES)
    return sorted(steps, key=lambda one: (order.index(one.step) if one.step in order else len(order), one.step))


def line(step: WeeklyStep) -> str:
    """Describe the result of a step.

    Examples
    --------
    >>> from datetime import date, datetime
    >>> line(WeeklyStep(date(2026, 11, 23), "papers", "failed", datetime(2026, 11, 23, 6), None, "a.csv is empty."))
    'New papers: failed. a.csv is empty.'
    """
    failed = {"failed": "failed. ", "running": "running or interrupted. "}.get(step.state, "")
    return f"{TITLES.get(step.step, step.step)}: {failed}{step.message}".rstrip()


def is_well(steps: Sequence[WeeklyStep]) -> bool:
    """Return True if no step failed or was interrupted."""
    return all(one.state in ("done", "passed over") for one in steps)


def job_says(steps: Sequence[WeeklyStep]) -> str:
    """Summarise the newest weekly job, given its steps (at least one).

    Examples
    --------
    >>> from datetime import date, datetime
    >>> begun, day = datetime(2026, 11, 23, 6), date(2026, 11, 23)
    >>> rank = WeeklyStep(day, "rank", "done", begun, datetime(2026, 11, 23, 6, 2), "12 lists ranked.")
    >>> job_says([rank])
    'Weekly job of 2026-11-23: all done at 06:02 (UTC).'
    >>> job_says([WeeklyStep(day, "papers", "failed", begun, begun, "a.csv is empty."), rank])
    'Weekly job of 2026-11-23: New papers: failed. a.csv is empty. Run it again to resume.'
    """
    day = f"Weekly job of {steps[0].week}"
    if is_well(steps):
        ended = max(one.ended_at or one.began_at for one in steps)
        return f"{day}: all done at {ended:%H:%M} (UTC)."
    wrong = [line(one) for one in in_order(steps) if one.state in ("failed", "running")]
    return " ".join([f"{day}:", *wrong, GOES_ON])
