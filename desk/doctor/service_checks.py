"""Health checks of the workspace's data: ranker, editors, accounts, weekly job, backups, sentence model and clock."""

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from presort.data import catalogue
from presort.data.learning.rankings import last_ranked_issue
from presort.data.learning.vectors import sentence_model
from presort.data.mail.editors import editor_addresses
from presort.data.records import GivenRole
from presort.data.running import people, roles
from presort.data.running.backups import demand_restorable
from presort.data.running.scheduled_backups import find_backups
from presort.data.running.weekly import newest_steps
from presort.data.store import Store
from presort.desk import settings
from presort.desk.doctor.finding import Found
from presort.desk.service import rankers
from presort.desk.service.sentence_model import MODEL, TOKENIZER
from presort.desk.service.weekly_job import has_succeeded, summarise_job
from presort.desk.text import count_text

AHEAD = timedelta(minutes=5)  # tolerated difference between the clocks of two computers
OVERDUE = timedelta(hours=2)  # tolerated delay of a backup; the backup timer runs every hour
MINUTE = "%Y-%m-%d %H:%M"


def ranker(store: Store) -> Found:
    """Check that the ranker chosen for the next issue is installed."""
    return (
        "ok",
        f"{rankers.recipes_in_use(store)[0].name} ranks for {count_text(len(catalogue.reports(store)), 'report')}.",
    )


def editors(store: Store) -> Found:
    """Check that every report has an editor, and that every editor has an email address for notices."""
    known, at = people.editorships(store), editor_addresses(store)
    codes = [report.code for report in catalogue.reports(store)]
    if not codes:
        return (
            "missing",
            "There are no reports yet. Add one with 'presort reports add CODE NAME'.",
        )
    now = {code: people.editors_on(known, code, date.today()) for code in codes}
    nobody = [code for code, names in now.items() if not names]
    silent = sorted({name for names in now.values() for name in names if not at.get(name)})
    lacking = [f"No editor: {', '.join(nobody)}."] if nobody else []
    lacking += [f"No email address: {', '.join(silent)}."] if silent else []
    return ("missing", " ".join(lacking)) if lacking else ("ok", "Every report has an editor with an email address.")


def members(store: Store) -> Found:
    """Check that a director can sign in, that group roles name existing reports, and that editors were invited."""
    provider = settings.sign_in()
    if provider is None:
        return "missing", "Sign-in is not set up, so roles have no effect."
    given = frozenset().union(*provider.roles.values())
    codes = {report.code for report in catalogue.reports(store)}
    if unknown := sorted({one.report for one in given} - codes - {""}):
        return "wrong", f"sign_in.roles names reports that do not exist: {', '.join(unknown)}."
    known = roles.members(store)
    is_directed = any(one.is_director and (one.n_identities or one.invited_at) for one in known)
    if not is_directed and GivenRole("director") not in given:
        return "wrong", "No director can sign in. Run 'presort people invite NAME --director'."
    finding = f"{count_text(sum(one.n_identities for one in known), 'account')} can sign in."
    outside = [one.name for one in known if one.edits and not (one.n_identities or one.invited_at)]
    if outside:
        return "missing", f"{finding} Not invited: {', '.join(outside)}."
    return "ok", finding


def job(store: Store) -> Found:
    """Check that the last weekly job finished without failures."""
    steps = newest_steps(store)
    if not steps:
        return "missing", "The weekly job has never run. Start it with 'presort weekly', or wait for its timer."
    return (
        ("ok", summarise_job(steps))
        if has_succeeded(steps)
        else ("wrong", f"{summarise_job(steps)} To run the job again, use 'presort weekly'.")
    )


def backups(store: Store) -> Found:
    """Check that the newest scheduled backup is recent and restorable, and that the next one has enough space."""
    plan = settings.backup_plan()
    if plan is None:
        return "missing", "No scheduled backups are set up. Set backup.folder, and start presort-backup.timer."
    now = datetime.now(UTC)
    found = find_backups(store, plan.folder, now)
    if not found:
        advice = "Run 'presort db backup --scheduled', or wait for its timer."
        return "missing", f"{plan.folder} has no scheduled backup yet. {advice}"
    newest, age = found[-1], now - found[-1].made_at
    demand_restorable(newest.path)
    if age > plan.every + OVERDUE:
        return "wrong", (
            f"The newest scheduled backup is {_hours(age)} old, but one is due every {_hours(plan.every)}. Check "
            "presort-backup.timer and its log."
        )
    if shutil.disk_usage(plan.folder).free < newest.path.stat().st_size:
        return "wrong", f"The disk of {plan.folder} has no space for another backup. Free some space."
    return (
        "ok",
        f"The newest scheduled backup, from {newest.made_at:{MINUTE}} (UTC), can be restored: {newest.path}.",
    )


def _hours(time: timedelta) -> str:
    return count_text(round(time / timedelta(hours=1)), "hour")


def model(store: Store) -> Found:
    """Check that the sentence model's files exist, if a model is configured."""
    known = sentence_model(store)
    if known is None:
        return "missing", "No sentence model is configured, so presort-2-vectors can't be used."
    gone = [name for name in (MODEL, TOKENIZER) if not (Path(known.folder) / name).is_file()]
    if gone:
        return "wrong", f"{known.folder} has no {' and no '.join(gone)}. New papers get no sentence vectors."
    return "ok", f"Sentence vectors are computed by {known.name}."


def clock(store: Store) -> Found:
    """Check that no stored time is later than the time on this computer's clock."""
    last = last_ranked_issue(store)
    made = [*([last.made_at] if last else []), *(one.began_at for one in newest_steps(store))]
    newest, now = max(made, default=None), datetime.now(UTC)
    if newest and newest > now + AHEAD:
        times = f"The clock shows {now:{MINUTE}}, but a ranking or weekly job is dated {newest:{MINUTE}} (UTC)."
        return "wrong", f"{times} Set the clock."
    return "ok", f"The clock shows {now:{MINUTE}} (UTC)."


CHECKS: tuple[tuple[str, Callable[[Store], Found]], ...] = (
    ("Ranker", ranker),
    ("Editors", editors),
    ("People", members),
    ("Last job", job),
    ("Backups", backups),
    ("Sentence model", model),
    ("Clock", clock),
)
