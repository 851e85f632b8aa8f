"""Report issues that went out at the desk, on their way to readers who have not got them."""

from collections import Counter
from datetime import timedelta

from presort.data import catalogue
from presort.data.editing.log import GoneOut, gone_out
from presort.data.errors import DataError
from presort.data.mail import mailings
from presort.desk.sending import sender
from presort.desk.text import counted
from presort.desk.weekly.job import Job
from presort.desk.weekly.notices import server_of

NEWS = timedelta(days=14)  # since it went out; what is older, readers are not surprised with
MOST = 10_000  # report issues that are looked at


def send(job: Job) -> str:
    """Send what went out lately to those readers who have not got it."""
    server = server_of(job)
    ended: Counter[str] = Counter()
    wrong = []
    for one in due(job):
        try:
            ended += sender.send(job.store, one.report, one.issue, server)
        except DataError as error:
            wrong.append(str(error))
    said = f"{counted(ended['sent'], 'mail')} sent." if ended["sent"] else "Nothing was due."
    if left := ended["refused"] + ended["pending"]:
        wrong.append(f"Not taken: {counted(left, 'mail')}; the readers stand on the page Manage.")
    if wrong:
        raise DataError(" ".join([*wrong, said]))
    return said


def plan(job: Job) -> str:
    """Return which report issues would be sent."""
    if isinstance(job.server, str):
        return job.server
    named = ", ".join(f"{one.report} {one.issue}" for one in due(job))
    return f"Would send {named}." if named else "Nothing is due."


def due(job: Job) -> list[GoneOut]:
    """Return what went out at the desk lately, and waits for a reader."""
    codes = [report.code for report in catalogue.reports(job.store)]
    return [
        one
        for one in gone_out(job.store, codes, MOST)
        if one.source == "desk"
        and one.issued_at.date() > job.today - NEWS
        and mailings.waiting(job.store, one.report, one.issue)
    ]
