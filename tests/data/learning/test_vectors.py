import sqlite3
from contextlib import closing
from datetime import date

import numpy as np
import pytest

import presort.data.learning.vectors
from presort.data import catalogue
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.learning.history import read_history
from presort.data.learning.vectors import count_vectors, forget_vectors, keep_vectors, sentence_model, use_model
from presort.data.records import Report, SentenceModel
from presort.data.running.health import examine_file
from tests.data.workspaces import FIRST, SECOND, contents, make_issue, make_listed, take_in

MODEL = SentenceModel("mini", "d1" * 32, 128, 3, "/models/mini")


def encode(papers):
    """Return vectors that differ between papers."""
    return np.array([[len(paper.title), len(paper.abstract), 1] for paper in papers], dtype=np.float16)


def vectors(store, through=date.max):
    return read_history(store, through, has_vectors=True).vectors


@pytest.fixture
def listed(store):
    """Two issues. The second one lists a paper of the first again."""
    take_in(store, make_issue(3), [*make_issue(2, SECOND), make_listed("a2", SECOND)])
    use_model(store, MODEL)
    return store


def test_vectors_are_in_the_order_of_the_papers(listed):
    assert list(keep_vectors(listed, MODEL, encode)) == [(5, 5)]
    history = read_history(listed, date.max, has_vectors=True)
    assert history.vectors.made_by == MODEL.made_by
    assert history.vectors.numbers.tolist() == encode(history.papers).tolist()
    assert vectors(listed, FIRST).numbers.tolist() == encode(history.papers[:3]).tolist()
    assert read_history(listed, date.max).vectors is None
    assert list(keep_vectors(listed, MODEL, encode)) == []


def test_an_interruption_keeps_the_vectors_of_the_newest_papers(listed, monkeypatch):
    monkeypatch.setattr(presort.data.learning.vectors, "CHUNK", 2)
    work = keep_vectors(listed, MODEL, encode)
    assert next(work) == (2, 5)
    work.close()
    assert count_vectors(listed) == (2, 5)
    has_vector = vectors(listed).numbers.any(axis=1)
    assert not has_vector[:1].any()
    assert has_vector[3:].sum() == 2
    assert [done for done, _ in keep_vectors(listed, MODEL, encode)] == [2, 3]
    assert count_vectors(listed) == (5, 5)


def test_a_paper_changed_by_an_import_gets_a_new_vector(listed):
    list(keep_vectors(listed, MODEL, encode))
    take_in(listed, [make_listed("a1", title="About a1: A longer title")])
    assert count_vectors(listed) == (4, 5)
    assert not vectors(listed).numbers[0].any()
    list(keep_vectors(listed, MODEL, encode))
    assert vectors(listed).numbers[0, 0] == len("About a1: A longer title")


def test_a_paper_changed_during_encoding_gets_its_vector_in_the_next_call(listed):
    def slowly(papers):
        take_in(listed, [make_listed("a1", title="About a1: Another title")])
        return encode(papers)

    list(keep_vectors(listed, MODEL, slowly))
    assert count_vectors(listed) == (4, 5)


def test_another_model_is_refused_by_name(listed):
    list(keep_vectors(listed, MODEL, encode))
    other = SentenceModel("large", "d2" * 32, 128, 3, "/models/large")
    before = contents(listed)
    with pytest.raises(RefusedError, match=r"are from mini \(d1d1d1d1\) with 128 tokens, not from large \(d2d2d2d2\)"):
        use_model(listed, other)
    assert contents(listed) == before
    forget_vectors(listed)
    assert contents(listed)["paper_vector"] == []
    assert sentence_model(listed) is None
    assert vectors(listed) is None
    use_model(listed, other)
    assert sentence_model(listed) == other


def test_a_model_may_be_moved(listed):
    moved = SentenceModel("mini", MODEL.digest, 128, 3, "/elsewhere/mini")
    use_model(listed, moved)
    assert sentence_model(listed).folder == "/elsewhere/mini"


def test_vectors_deleted_meanwhile_are_not_recomputed(listed):
    def slowly(papers):
        forget_vectors(listed)
        return encode(papers)

    with pytest.raises(RefusedError, match="deleted in the meantime"):
        list(keep_vectors(listed, MODEL, slowly))
    assert contents(listed)["paper_vector"] == []


def test_an_example_that_is_a_paper_has_its_vector(listed):
    list(keep_vectors(listed, MODEL, encode))
    history = read_history(listed, date.max)
    paper = history.papers[1]
    catalogue.add_reports(listed, [Report("lab", "Labour")])
    for text in ("Another text\nof an editor", f"{paper.title}\n{paper.abstract}", f"{paper.title}\nChanged"):
        add_hint(listed, "lab", "seed", text, person="Dora")
    found = read_history(listed, date.max, has_vectors=True)
    assert found.seed_vectors["lab"].tolist() == [[0, 0, 0], encode([paper])[0].tolist(), [0, 0, 0]]
    assert not read_history(listed, date.max).seed_vectors


@pytest.mark.of_file
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE paper_vector SET numbers = x'003c' WHERE paper_id = 1",
        "UPDATE paper_vector SET numbers = x'007e003c003c' WHERE paper_id = 1",
        "UPDATE setting SET value = '[1]' WHERE name = 'vectors'",
        "UPDATE setting SET value = '{' WHERE name = 'vectors'",
    ],
    ids=["too short", "no number", "no model", "no JSON"],
)
def test_damage_is_one_line(listed, statement):
    list(keep_vectors(listed, MODEL, encode))
    with closing(sqlite3.connect(listed.database.path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(WorkspaceError, match="damaged"):
        vectors(listed)
    of_paper, of_model = (
        "the vector of paper 1 has a wrong length or invalid numbers",
        "the setting for the sentence model is invalid",
    )
    [problem] = examine_file(listed.database.path).problems
    assert problem.endswith(of_paper if "paper_vector" in statement else of_model)
