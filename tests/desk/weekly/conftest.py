"""A service with two editors, one of them with an address, and a local mail server."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.editing.skipping import skip
from presort.data.harvest.polite import Clock
from presort.data.mail.editors import set_address
from presort.data.records import Editorship
from presort.data.running import people, service
from presort.data.store import Store
from presort.desk.settings import Delivery, MailServer, Week
from presort.desk.weekly.job import WeeklyRun, day_of_week, run
from presort.desk.weekly.steps import STEPS
from tests.desk.sending.mail_server import Inbox, running

ANN, DEE, BO = "ann@example.org", "dee@example.org", "bo@example.org"
AT_ONCE = Delivery(delay=timedelta())
LONG_AGO = date(2000, 1, 1)


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def server(inbox):
    with running(inbox) as server:
        yield server


@dataclass
class Service:
    """Workspace, and its weekly job on any day."""

    store: Store
    newest: date
    server: MailServer | str
    week: Week

    def job(self, days=1, **changes):
        """Return the job this many days after the newest issue."""
        today = self.newest + timedelta(days)
        clock = Clock(lambda: datetime.now(UTC) + (today - date.today()))
        given = {"server": self.server, "week": self.week, "clock": clock, **changes}
        return WeeklyRun(self.store, day_of_week(self.store, today), today, **given)

    def run(self, days=1, *, steps=STEPS, again=False, **changes):
        """Run the job, and return the state and message of each step."""
        return {one.step: (one.state, one.message) for one in run(self.job(days, **changes), steps, again=again)}


@pytest.fixture
def weekly(store, newest, server):
    service.set_rankers(store, "krichel-2007", [], person="Dee")
    for report, editor in (("lab", "Ann"), ("mac", "Ann"), ("edu", "Bo")):
        people.add_editorship(store, Editorship(report, editor, LONG_AGO), person="Dee")
    set_address(store, "Ann", ANN)
    codes = [report.code for report in catalogue.reports(store)]
    for one in pending(store, codes, today=newest):
        if one.issue < newest:
            skip(store, one.report, one.issue, person="Dee")
    return Service(store, newest, server, Week(director=DEE, desk_url="https://desk.example.org", delivery=AT_ONCE))
