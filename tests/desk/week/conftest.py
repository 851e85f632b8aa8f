"""A report with a backlog, and a log of queued jobs."""

import shutil
from concurrent.futures import Future
from contextlib import closing

import pytest

from presort.data import catalogue
from presort.data.records import Report
from presort.data.store import open_store
from presort.desk.service import workflow
from presort.desk.ui import reranking
from tests.desk.week.backlogs import FAST, REPORT, read_and_issue, say


@pytest.fixture
def days(listings):
    return sorted({listed.issue for listed in listings})


@pytest.fixture(scope="session")
def behind_workspace(tmp_path_factory, filled_workspace, listings):
    """Report with three pending issues and training data. The two newest issues are ranked."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("behind") / "workspace")
    days = sorted({listed.issue for listed in listings})
    with closing(open_store(folder)) as store:
        catalogue.add_reports(store, [Report(REPORT, "Own")])
        for day in days[:-3]:
            say(store, day, [1, 2, 3])
            read_and_issue(store, day, None)
        for day in days[-2:]:
            list(workflow.rank(store, [FAST], issue=day, reports=[REPORT]))
    return folder


@pytest.fixture
def behind(store):
    return store


@pytest.fixture
def asked(monkeypatch):
    """Requests to the queue: reports, and the future to complete."""
    calls = []

    class Fake:
        def add(self, reports):
            calls.append((list(reports), Future()))
            return calls[-1][1]

        def rank_new(self):
            return self.add([])

        def learn_ahead(self):
            pass

    monkeypatch.setattr(reranking, "_queue", lambda workspace: Fake())
    return calls
