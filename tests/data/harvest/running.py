"""Harvest from a test repository."""

from datetime import UTC, datetime

import pytest

from presort.data.harvest.errors import HarvestError
from presort.data.harvest.oai import finish, harvest, read_harvest
from presort.data.harvest.stored_harvest import Query, open_harvest
from presort.data.importers.problems import STRICT
from tests.data.harvest.repository import FakeTime, dc_record, repository

FIVE = [dc_record(f"oai:e.org:{n}", f"Paper {n}") for n in range(5)]
NOVEMBER_20 = datetime(2026, 11, 20, 12, tzinfo=UTC)


def run(tmp_path, url, *, time=None, is_imported=True, problems=STRICT, messages=None, **query):
    """Harvest and record that the papers were imported."""
    time = time or FakeTime(NOVEMBER_20)
    query = Query(url, **{"metadata": "oai_dc", **query})
    with open_harvest(tmp_path, query, now=time.clock.now()) as stored:
        harvest(stored, allow_private=True, clock=time.clock, follow=(messages if messages is not None else []).append)
        entries = list(read_harvest(stored, problems=problems))
        if is_imported:
            finish(stored)
    return entries


def ids(entries):
    return [entry.paper.paper_id for entry in entries]


def refusal(tmp_path, answer, **query):
    with repository(answer) as server, pytest.raises(HarvestError) as caught:
        run(tmp_path, server.url, **query)
    return str(caught.value), server
