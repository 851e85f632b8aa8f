"""Checks of the content of a workspace."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from presort.data import catalogue
from presort.data.learning.rankings import made_last
from presort.data.learning.vectors import sentence_model
from presort.data.mail.editors import addresses
from presort.data.running import people, roles
from presort.data.running.weekly import newest_steps
from presort.data.store import Store
from presort.desk import settings
from presort.desk.doctor.finding import Found
from presort.desk.service import rankers
from presort.desk.service.sentence_model import MODEL, TOKENIZER
from presort.desk.service.weekly_job import is_well, job_says
from presort.desk.text import counted

AHEAD = timedelta(minutes=5)  # by which clocks may differ
MINUTE = "%Y-%m-%d %H:%M"


def ranker(store: Store) -> Found:
    """Return the active ranker from the next issue on."""
    return "ok", f"{rankers.in_use(store)[0].name} sorts for {counted(len(catalogue.reports(store)), 'report')}."


def editors(store: Store) -> Found:
    """Return whether every editor can be notified of pending issues."""
    known, at = people.editorships(store), addresses(store)
    codes = [report.code for report in catalogue.reports(store)]
    now = {code: people.editors_on(known, code, date.today()) for code in codes}
    nobody = [code for code, names in now.items() if not names]
    silent = sorted({name for names in now.values() for name in names if not at.get(name)})
    lacking = [f"Nobody edits {', '.join(nobody)}."] if nobody else []
    lacking += [f"No mail address is known of {', '.join(silent)}."] if silent else []
    return ("missing", " ".join(lacking)) if lacking else ("ok", "Every report has an editor with a mail address.")


def members(store: Store) -> Found:
    """Return the people who can sign in. At least one must be a director."""
    if settings.sign_in() is None:
        return "missing", "Nobody signs in, so nobody needs a role."
    known = roles.members(store)
    if not any(one.is_director and (one.n_identities or one.invited_at) for one in known):
        return "wrong", "No director can sign in; 'presort people invite NAME --director' makes one."
    finding = f"{counted(sum(one.n_identities for one in known), 'account')} can sign in."
    outside = [one.name for one in known if one.edits and not (one.n_identities or one.invited_at)]
    if outside:
        return "missing", f"{finding} Not invited: {', '.join(outside)}."
    return "ok", finding


def job(store: Store) -> Found:
    """Return how the weekly job went last."""
    steps = newest_steps(store)
    if not steps:
        return "missing", "The weekly job never ran; 'presort weekly', or a timer, starts it."
    return ("ok", job_says(steps)) if is_well(steps) else ("wrong", f"{job_says(steps)} 'presort weekly' runs it.")


def model(store: Store) -> Found:
    """Look whether the sentence model is still there, if there is one."""
    known = sentence_model(store)
    if known is None:
        return "missing", "No model makes sentence vectors; presort-2-vectors is not offered."
    gone = [name for name in (MODEL, TOKENIZER) if not (Path(known.folder) / name).is_file()]
    if gone:
        return "wrong", f"{known.folder} lacks {' and '.join(gone)}, so new papers get no sentence vectors."
    return "ok", f"Sentence vectors are made by {known.name}."


def clock(store: Store) -> Found:
    """Look whether something was made later than now."""
    made = [*([last.made_at] if (last := made_last(store)) else []), *(one.began_at for one in newest_steps(store))]
    newest, now = max(made, default=None), datetime.now(UTC)
    if newest and newest > now + AHEAD:
        return "wrong", f"It is {now:{MINUTE}}, but something was made on {newest:{MINUTE}} (UTC): set the clock."
    return "ok", f"It is {now:{MINUTE}} (UTC)."


CHECKS: tuple[tuple[str, Callable[[Store], Found]], ...] = (
    ("Ranker", ranker),
    ("Editors", editors),
    ("People", members),
    ("Last job", job),
    ("Sentence model", model),
    ("Clock", clock),
)
