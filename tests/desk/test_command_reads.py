"""Database use of commands: budgets of transactions and queries, which may shrink but not grow."""

from collections import Counter
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from presort.data import catalogue
from presort.desk import settings
from tests.desk.command_line import invoke

RIS = "TY  - JOUR\nTI  - Wages and jobs\nAU  - Lee, Ann\nDO  - 10.1234/a\nPY  - 2030\nER  - \n"

# By command: read transactions, write transactions, queries. The first read is the check when opening the workspace.
BUDGET = {
    "import": (7, 3, 97),  # transactions for temporary tables; writes: texts of papers, the import itself, tokens
    "rank": (3, 12, 93),  # another read of outcomes after the rankings; writes: one for each of 12 reports
    "rank again": (2, 0, 17),
    "summary": (2, 0, 12),
    "summary page": (2, 0, 28),
    "export": (2, 0, 25),
    "export-trec": (2, 0, 97),
}


@contextmanager
def counted():
    """Count the read and write transactions, and the queries, of all databases of this process."""
    found = Counter()

    def begin(connection):
        found["writing" if connection.get_execution_options().get("immediate") else "reading"] += 1

    def query(*_):
        found["queries"] += 1

    event.listen(Engine, "begin", begin)
    event.listen(Engine, "before_cursor_execute", query)
    yield found
    event.remove(Engine, "begin", begin)
    event.remove(Engine, "before_cursor_execute", query)


@pytest.mark.parametrize("name", BUDGET)
def test_a_command_keeps_its_budget(name, replayed, tmp_path, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(replayed.folder))
    (tmp_path / "week.ris").write_text(RIS)
    issue = catalogue.issues(replayed)[2].date
    words = {
        "import": ["import", str(tmp_path / "week.ris"), "--issue", "2030-01-07"],
        "rank": ["rank", "--jobs", "1"],
        "rank again": ["rank", "--jobs", "1"],
        "summary": ["summary"],
        "summary page": ["summary", "--html", str(tmp_path / "page.html")],
        "export": ["export", "lab", str(issue), "--all"],
        "export-trec": ["export-trec", str(tmp_path / "trec")],
    }[name]
    if name.endswith("again"):
        invoke(words)
    with counted() as found:
        done = invoke(words)
    assert done.exit_code == 0, done.output
    for kind, most in zip(("reading", "writing", "queries"), BUDGET[name], strict=True):
        assert found[kind] <= most, kind
