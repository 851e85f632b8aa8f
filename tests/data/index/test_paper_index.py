"""The paper index matches the papers, whatever is added, changed or removed."""

import random
from dataclasses import replace

import pytest
from sqlalchemy import insert

from presort.data.index import paper_index
from presort.data.index.paper_index import keys_of
from presort.data.intake.commit_import import commit_import
from presort.data.tables import PaperRow
from presort.data.text.words import LONGEST
from tests.data.workspaces import FIRST, contents, index_of, make_listed, take_in

WORDS = ["wages", "Jobs", "Löhne", "经济学", "P_6", "x" * (LONGEST + 1), "trade"]


def is_whole(store):
    rows = contents(store)
    return rows["paper_index"] == index_of(rows["paper"])


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(paper_index, "BLOCK", 4)
    monkeypatch.setattr(paper_index, "AT_ONCE", 5)
    monkeypatch.setattr(paper_index, "FILLED_AT_ONCE", 3)


def some(dice, n_papers):
    for number in dice.sample(range(40), n_papers):
        title = " ".join(dice.choices(WORDS, k=dice.randrange(5)))
        authors = tuple(dice.choices(["Ann Lee", "Bo Ek", "Wages Jobs"], k=dice.randrange(3)))
        listed = make_listed(f"arXiv:1701.{number}v{number % 3}", FIRST, title=title, authors=authors)
        yield listed if number % 2 else replace_doi(listed, dice.randrange(3))


def replace_doi(listed, number):
    return replace(listed, paper=replace(listed.paper, doi=f"10.1234/{number}"))


@pytest.mark.usefixtures("small_blocks", "small_chunks")
def test_the_index_follows_new_and_changed_papers(store):
    dice = random.Random(1)
    for _ in range(4):
        take_in(store, list(some(dice, 15)))
        assert is_whole(store)


@pytest.mark.usefixtures("small_blocks", "small_chunks")
def test_the_index_follows_a_rollback(store):
    take_in(store, [make_listed("a1", title="Wages")])
    before = contents(store)

    def broken():
        yield from (make_listed(f"b{number}", title="Wages and jobs") for number in range(9))
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        commit_import(store, broken(), person="files")
    assert contents(store) == before
    with store.writing() as connection:  # as left by a killed import
        empty = dict.fromkeys(("title", "abstract", "series", "date"), "") | {"authors": (), "codes": ()}
        connection.execute(insert(PaperRow), [{"paper_id": "left"} | empty])
    take_in(store, [make_listed("a2")])
    assert is_whole(store)


@pytest.mark.usefixtures("small_blocks")
def test_an_index_is_built_from_all_papers(store):
    take_in(store, list(some(random.Random(2), 30)))
    whole = contents(store)["paper_index"]
    with store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM paper_index")
        paper_index.fill(connection)
    assert contents(store)["paper_index"] == whole


def test_different_long_keys_stay_different():
    one, other = (keys_of("p", "x" * LONGEST + letter, ()).words[0] for letter in "yz")
    assert one != other
    assert max(len(one), len(other)) <= LONGEST
