"""Possible duplicates on *Manage* and in the command: listed side by side, decided, and not listed again."""

import json
from dataclasses import replace

import pytest

from presort.data.duplicates.listings import duplicates, possible_duplicates
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper
from tests.desk.manage.managing import page_of_manage
from tests.desk.manage.test_commands import presort

__all__ = ["presort"]  # a fixture

UNLIKE = "Old trees grow slowly near <b>wide</b> rivers: [a link](http://x.y)."


def in_doubt(listed: ListedPaper, number: int) -> ListedPaper:
    """Return a paper with the title and authors of another one, but a different abstract."""
    return replace(listed, paper=replace(listed.paper, paper_id=f"doubt:{number}", abstract=UNLIKE), selected_by=())


@pytest.fixture
def pairs(store, listings):
    """Papers of the small service, each with a possible duplicate."""
    first = [listed for listed in listings if listed.issue == listings[-1].issue][:12]
    report = commit_import(store, [in_doubt(*one) for one in zip(first, range(12), strict=True)], person="import")
    assert len(report.possible) == 12
    return possible_duplicates(store)


def texts(page):
    return [shown.value.replace("\\", "").replace("\N{WORD JOINER}", "") for shown in page.markdown]


@pytest.fixture
def open_imports(open_page):
    return lambda store: open_page(page_of_manage, store, part="imports")


def test_both_papers_of_a_pair_are_shown(open_imports, store, pairs):
    page = open_imports(store)
    assert not page.exception
    assert "12 possible duplicates" in [head.value for head in page.header]
    shown = texts(page)
    for paper in (pairs[0].paper, pairs[0].other):
        assert shown.count(f"**{paper.title}**") == 2
        assert f":small[{paper.abstract}]" in shown or paper is pairs[0].paper
    assert any("<b>wide</b>" in text and "(http://x.y)" in text for text in shown)
    page.button(key="more-duplicates").click().run()
    assert len([button for button in page.button if button.label == "Merge"]) == 12


def test_nothing_is_shown_without_pairs(open_imports, store):
    page = open_imports(store)
    assert (page.exception, [head.value for head in page.header]) == ([], [])


@pytest.mark.parametrize(("key", "n_copies"), [("keep", 0), ("merge", 1)])
def test_a_decision_takes_the_pair_off_the_page(open_imports, store, pairs, key, n_copies):
    paper_id = pairs[0].paper.paper_id
    page = open_imports(store)
    page.button(key=f"{key}-{paper_id}").click().run()
    assert not page.exception
    assert any(paper_id in text for text in texts(page))
    assert "11 possible duplicates" in [head.value for head in page.header]
    assert len(duplicates(store, pairs[0].issues[0])) == n_copies
    assert paper_id not in [pair.paper.paper_id for pair in possible_duplicates(store)]


def test_a_pair_that_another_user_decided_is_reported(open_imports, store, pairs):
    page, other = open_imports(store), open_imports(store)
    paper_id = pairs[0].paper.paper_id
    page.button(key=f"keep-{paper_id}").click().run()
    other.button(key=f"merge-{paper_id}").click().run()
    assert not other.exception
    assert "a decision has already been made" in other.error[0].value.replace("\\", "")
    assert duplicates(store, pairs[0].issues[0]) == []


CSV = "paper_id,title,abstract,authors,issue\n"
WEEK = CSV + "p1,Wages in old towns,We count jobs.,Ann Lee,2026-01-05\n"
NEXT = CSV + "q1,Wages in old towns,Trees grow near rivers.,Ann Lee,2026-01-12\n"


@pytest.fixture
def imported(presort, tmp_path):
    for name, text in (("week.csv", WEEK), ("next.csv", NEXT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        result = presort("import", tmp_path / name)
    return result


def test_an_import_names_possible_duplicates(imported, presort, tmp_path):
    assert "row 2: Wages in old towns (q1); possible duplicate of p1, matched by title and authors" in imported.stdout
    again = json.loads(presort("import", "--json", tmp_path / "next.csv").stdout)
    assert again["papers"]["possible"] == []


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("option", ["--keep", "--merge"])
def test_the_command_lists_and_decides(presort, option):
    (pair,) = json.loads(presort("imports", "duplicates", "--json").stdout)
    assert (pair["id"], pair["other_id"], pair["issues"]) == ("q1", "p1", ["2026-01-12"])
    assert "q1 (new) and p1" in presort("imports", "duplicates").stdout
    assert presort("imports", "duplicates", option, "q1").exit_code == 0
    assert "q1" not in presort("imports", "duplicates").stdout
    assert json.loads(presort("imports", "duplicates", "--json").stdout) == []
    assert presort("imports", "duplicates", option, "q1").exit_code == 1
