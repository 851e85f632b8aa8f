"""How often pages read the database: budgets of transactions and queries, which may shrink but not grow."""

from contextlib import contextmanager

import pytest
from sqlalchemy import event

from presort.desk import settings
from presort.desk.ui import visitor

# By page: queries of the first drawing, when nothing is cached, and of the next one.
BUDGET = {
    "overview": (66, 44),
    "compare": (18, 12),
    "report": (22, 16),
    "natural_order": (16, 10),
    "systems_topics": (12, 6),
    "measures": (12, 6),
}


def overview():
    from presort.desk.overview import page

    page.show()


def compare():
    from presort.desk.compare import page

    page.show()


def report():
    from presort.desk.report import page

    page.show()


def natural_order():
    from presort.desk.natural_order import page

    page.show()


def systems_topics():
    from presort.desk.systems_topics import page

    page.show()


def measures():
    from presort.desk.measures import page

    page.show()


PAGES = (overview, compare, report, natural_order, systems_topics, measures)


@contextmanager
def counted(engine):
    """Count what a database is asked for, by kind."""
    found = {"begin": 0, "before_cursor_execute": 0}

    def counter(kind):
        def count(*_):
            found[kind] += 1

        return count

    counters = {kind: counter(kind) for kind in found}
    for kind, count in counters.items():
        event.listen(engine, kind, count)
    yield found
    for kind, count in counters.items():
        event.remove(engine, kind, count)


@pytest.mark.parametrize("show", PAGES, ids=lambda show: show.__name__)
def test_a_page_reads_in_one_transaction_and_within_its_budget(show, replayed, open_page, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(replayed.folder))
    n_queries = []
    for drawing in ("first", "next"):
        with counted(visitor.whole_store().engine) as found:
            drawn = open_page(show, replayed)
        assert not drawn.exception
        assert not drawn.error
        assert found["begin"] == 1, f"{drawing} drawing: {found['begin']} transactions"
        n_queries.append(found["before_cursor_execute"])
    assert n_queries[1] <= n_queries[0]
    for drawing, n, most in zip(("first", "next"), n_queries, BUDGET[show.__name__], strict=True):
        assert n <= most, f"{drawing} drawing"


def test_settings_are_resolved_once_a_page(replayed, open_page, monkeypatch):
    resolved, resolve = [], settings.from_environment

    def counting():
        resolved.append(1)
        return resolve()

    monkeypatch.setattr(settings, "from_environment", counting)
    open_page(overview, replayed)
    assert len(resolved) == 1
