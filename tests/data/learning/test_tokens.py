import re
from collections import Counter
from datetime import date
from textwrap import wrap

import pytest
from sqlalchemy import text

import presort.data.learning.tokens
import presort.data.workspace.folder
import presort.ranker.tokens
from presort.data import catalogue
from presort.data.learning.history import read_history
from presort.data.learning.tokens import keep_tokens
from presort.data.records import ListedPaper, Paper, PaperTokens, TokenLists, Tokens
from presort.data.store import Store, find_store
from tests.data.forks import run_together
from tests.data.workspaces import (
    FIRST,
    SECOND,
    THIRD,
    address_of,
    contents,
    damage,
    incompressible,
    kill_after,
    make_issue,
    make_listed,
    take_in,
)


def tokenise(paper: Paper) -> PaperTokens:
    return PaperTokens(paper.title.split(), re.findall(r"\w+", paper.abstract), paper.authors, paper.codes)


def kept(store: Store, through: date = date.max) -> Tokens | None:
    return read_history(store, through, tokens="1").tokens


def spelled(tokens: Tokens | None, lists: TokenLists) -> list[list[str]]:
    assert tokens is not None
    return [[tokens.vocabulary[number] for number in lists[row : row + 1].values] for row in range(len(lists))]


def titles(store: Store, through: date = date.max) -> list[str]:
    tokens = kept(store, through)
    assert tokens is not None, "some are missing"
    return [" ".join(texts) for texts in spelled(tokens, tokens.title)]


def assert_tokens_are_those_of_the_papers(store: Store) -> None:
    history = read_history(store, date.max, tokens="1")
    tokens = history.tokens
    assert tokens is not None, "some are missing"
    fields = [spelled(tokens, lists) for lists in (tokens.title, tokens.abstract, tokens.authors, tokens.codes)]
    expected = [[list(field) for field in tokenise(paper)] for paper in history.papers]
    assert [list(of_paper) for of_paper in zip(*fields, strict=True)] == expected
    assert len(set(tokens.vocabulary)) == len(tokens.vocabulary)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presort.data.learning.tokens, "CHUNK", 3)


FULL = make_listed(
    "full",
    title="Wages and wages",
    abstract="We show: wages.\N{SNOWMAN}",
    authors=("Ann Lee", "Bo Chen", "Ann Lee"),
    codes=("J31", "E"),
)


def test_tokens_are_read_back_unchanged(store):
    take_in(store, [FULL, make_listed("bare", title="Wages")])
    assert keep_tokens(store, tokenise, "1") == 2
    tokens = kept(store)
    assert spelled(tokens, tokens.title) == [["Wages", "and", "wages"], ["Wages"]]
    assert spelled(tokens, tokens.abstract) == [["We", "show", "wages"], []]
    assert spelled(tokens, tokens.authors) == [["Ann Lee", "Bo Chen", "Ann Lee"], []]
    assert spelled(tokens, tokens.codes) == [["J31", "E"], []]
    assert len(set(tokens.vocabulary)) == len(tokens.vocabulary) == 9
    assert damage(store) == []


@pytest.mark.each_on_both
@pytest.mark.parametrize("token", ["", "a\x01b", "a\nb", "'; DROP TABLE token --", "\N{GRINNING FACE}", "x" * 100_000])
def test_a_token_may_be_any_text(store, token):
    take_in(store, make_issue(1))
    keep_tokens(store, lambda paper: PaperTokens([token, "A", "a"], [token], [], []), "1")
    tokens = kept(store)
    assert (spelled(tokens, tokens.title), spelled(tokens, tokens.abstract)) == ([[token, "A", "a"]], [[token]])


def test_long_words_and_many_authors_in_one_field_are_stored(store):
    word, names = incompressible(3_000), " ".join(wrap(incompressible(7_200), 8))
    take_in(
        store, [make_listed("long", abstract=f"Wages {word}", authors=(names,), codes=(word,)), make_listed("bare")]
    )
    assert keep_tokens(store, presort.ranker.tokens.tokenise, "1") == 2
    tokens = kept(store)
    (title, *_), (others, *_) = spelled(tokens, tokens.abstract), spelled(tokens, tokens.authors)
    assert (title[0], title[1][:100], others[0][:17]) == ("wages", word[:100], names[:17].replace(" ", "_"))


def test_an_empty_workspace_has_the_tokens_of_no_paper(store):
    assert keep_tokens(store, tokenise, "1") == 0
    tokens = kept(store)
    assert (len(tokens), tokens.vocabulary, tokens.title.values.tolist()) == (0, [], [])


def test_history_has_tokens_only_on_request_and_if_none_is_missing(store):
    take_in(store, make_issue(2))
    assert kept(store) is None
    keep_tokens(store, tokenise, "1")
    assert read_history(store, date.max).tokens is None
    assert len(kept(store)) == 2
    take_in(store, make_issue(1, SECOND))
    assert kept(store) is None
    assert len(kept(store, FIRST)) == 2


@pytest.mark.usefixtures("small_chunks")
def test_token_rows_follow_the_papers_in_any_import_order(store):
    """An older issue has a paper that was added later, so paper numbers and rows have different orders."""
    take_in(store, make_issue(4, THIRD), make_issue(5, FIRST))
    keep_tokens(store, tokenise, "1")
    take_in(store, make_issue(3, SECOND), [make_listed("late"), FULL])
    assert keep_tokens(store, tokenise, "1") == 5
    assert_tokens_are_those_of_the_papers(store)
    assert titles(store, FIRST)[-2:] == ["About late", "Wages and wages"]


def test_a_paper_in_two_issues_has_two_rows(store):
    take_in(store, [make_listed("p"), make_listed("q"), make_listed("p", SECOND)])
    assert keep_tokens(store, tokenise, "1") == 2
    assert titles(store) == ["About p", "About q", "About p"]


@pytest.mark.usefixtures("small_chunks")
def test_only_missing_tokens_are_computed(store):
    taken = Counter()

    def counted(paper: Paper) -> PaperTokens:
        taken[paper.paper_id] += 1
        return tokenise(paper)

    take_in(store, make_issue(7))
    assert keep_tokens(store, counted, "1") == 7
    take_in(store, make_issue(7), make_issue(2, SECOND))
    assert keep_tokens(store, counted, "1") == 2
    assert sorted(taken) == ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1", "b2"]
    assert set(taken.values()) == {1}


def test_no_lock_is_taken_if_nothing_is_missing(store, monkeypatch):
    take_in(store, make_issue(2))
    keep_tokens(store, tokenise, "1")
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    other = find_store(store.folder)
    before = catalogue.revision(store)
    with store.writing():
        assert keep_tokens(other, tokenise, "1") == 0
    assert catalogue.revision(store) == before + 1
    other.close()


def test_editors_can_save_during_tokenisation(store, monkeypatch):
    take_in(store, make_issue(2))
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    other = find_store(store.folder)

    def save_meanwhile(paper: Paper) -> PaperTokens:
        catalogue.set_setting(other, paper.paper_id, "seen")
        return tokenise(paper)

    assert keep_tokens(store, save_meanwhile, "1") == 2
    assert catalogue.setting(store, "a2") == "seen"
    other.close()


@pytest.mark.usefixtures("small_chunks")
def test_two_processes_at_once_do_no_harm(store):
    """The second process starts when the first chunk is tokenised, and assigns numbers between those of the first."""
    take_in(store, make_issue(8), [FULL])
    other = find_store(store.folder)
    counts = []

    def begun_twice(paper: Paper) -> PaperTokens:
        if not counts:
            counts.append(
                keep_tokens(other, lambda paper: tokenise(paper)._replace(codes=["other", paper.paper_id]), "1")
            )
        return tokenise(paper)._replace(codes=["first", paper.paper_id])

    assert keep_tokens(store, begun_twice, "1") == 0
    assert counts == [9]
    tokens = kept(store)
    assert {codes[0] for codes in spelled(tokens, tokens.codes)} == {"other"}
    assert titles(store)[:2] == ["About a1", "About a2"]
    assert len(set(tokens.vocabulary)) == len(tokens.vocabulary)
    assert damage(store) == []
    other.close()


@pytest.mark.usefixtures("small_chunks")
def test_an_error_keeps_the_chunks_that_were_written(store):
    take_in(store, make_issue(8))

    def broken(paper: Paper) -> PaperTokens:
        if paper.paper_id == "a5":
            raise ZeroDivisionError
        return tokenise(paper)

    with pytest.raises(ZeroDivisionError):
        keep_tokens(store, broken, "1")
    assert len(contents(store)["paper_tokens"]) == 3
    assert keep_tokens(store, tokenise, "1") == 5
    assert_tokens_are_those_of_the_papers(store)


def test_tokens_of_another_version_are_recomputed(store):
    take_in(store, make_issue(4))
    keep_tokens(store, lambda paper: PaperTokens(["old"], [], [], []), "1")
    assert read_history(store, date.max, tokens="2").tokens is None
    assert keep_tokens(store, tokenise, "2") == 4
    tokens = read_history(store, date.max, tokens="2").tokens
    assert spelled(tokens, tokens.title)[0] == ["About", "a1"]
    assert kept(store) is None
    assert keep_tokens(store, tokenise, "2") == 0


@pytest.mark.usefixtures("small_chunks")
def test_an_older_process_stops_after_tokenisation_by_another_version(store):
    """Otherwise its tokens would count as those of the new version, and never be recomputed."""
    take_in(store, make_issue(8))
    other = find_store(store.folder)

    def stopped(paper: Paper) -> PaperTokens:
        raise ZeroDivisionError

    def older(paper: Paper) -> PaperTokens:
        if paper.paper_id == "a5":
            with pytest.raises(ZeroDivisionError):
                keep_tokens(other, stopped, "2")
        return PaperTokens(["old"], [], [], [])

    assert keep_tokens(store, older, "1") == 3
    assert keep_tokens(other, tokenise, "2") == 8
    tokens = read_history(store, date.max, tokens="2").tokens
    assert {title[0] for title in spelled(tokens, tokens.title)} == {"About"}
    other.close()


def change(**texts: object) -> ListedPaper:
    return make_listed("a1", **texts)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(change(title="About a1: What is newer"), id="title"),
        pytest.param(change(abstract="We show more."), id="abstract"),
        pytest.param(change(authors=("Bo",)), id="authors"),
        pytest.param(change(codes=("J31",)), id="codes"),
        pytest.param(change(series="Letters"), id="series"),
    ],
)
def test_a_changed_text_is_tokenised_again(store, changed):
    take_in(store, make_issue(3))
    keep_tokens(store, tokenise, "1")
    take_in(store, [changed])
    assert kept(store) is None
    assert keep_tokens(store, tokenise, "1") == 1
    assert_tokens_are_those_of_the_papers(store)


def test_an_import_without_changes_keeps_all_tokens(store):
    take_in(store, make_issue(3))
    keep_tokens(store, tokenise, "1")
    take_in(store, make_issue(3))
    assert len(kept(store)) == 3


def test_an_import_that_fails_keeps_the_tokens_of_the_old_text(store):
    take_in(store, make_issue(3))
    keep_tokens(store, tokenise, "1")
    before = contents(store)

    def broken():
        yield change(title="About a1: What is newer")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        take_in(store, broken())
    assert contents(store) == before


def test_tokens_of_a_text_that_changed_meanwhile_are_not_kept(store):
    take_in(store, make_issue(3))
    other = find_store(store.folder)

    def changed_after_reading(paper: Paper) -> PaperTokens:
        take_in(other, [change(title="About a1: What is newer")])
        return tokenise(paper)

    assert keep_tokens(store, changed_after_reading, "1") == 2
    assert kept(store) is None
    assert keep_tokens(store, tokenise, "1") == 1
    assert_tokens_are_those_of_the_papers(store)
    other.close()


def test_unlisted_papers_are_skipped(store):
    take_in(store, make_issue(1))
    with store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO paper VALUES (9, 'left', 'Left', '', '', '', '', '', '', '', '')")
    assert keep_tokens(store, tokenise, "1") == 1


def test_tokens_are_deleted_with_their_paper(store):
    """The paper number is reused, and the next paper must not inherit these tokens."""
    take_in(store, make_issue(1))
    keep_tokens(store, tokenise, "1")
    with store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO paper VALUES (2, 'left', 'Left', '', '', '', '', '', '', '', '')")
        connection.execute(text("INSERT INTO paper_tokens VALUES (2, :one, :one, :one, :one)"), {"one": bytes(4)})
    take_in(store, make_issue(1, SECOND))
    assert [row[:2] for row in contents(store)["paper"]] == [(1, "a1"), (2, "b1")]
    assert kept(store) is None
    keep_tokens(store, tokenise, "1")
    assert titles(store) == ["About a1", "About b1"]
    assert damage(store) == []


KEEP = """
import presort.data.learning.tokens
from presort.data.records import PaperTokens
from presort.data.learning.tokens import keep_tokens

presort.data.learning.tokens.CHUNK = 4
n_kept = keep_tokens(store, lambda paper: PaperTokens(paper.title.split(), [], paper.authors, paper.codes), "1")
"""


@pytest.mark.each_on_both
@pytest.mark.parametrize(
    ("statement", "count", "n_kept"),
    [
        pytest.param("INSERT INTO token", 1, 0, id="in-the-first-tokens"),
        pytest.param("INSERT INTO paper_tokens", 2, 4, id="in-the-second-papers"),
        pytest.param("UPDATE revision", 3, 4, id="right-before-the-second-commit"),
        pytest.param("UPDATE revision", 4, 8, id="right-before-the-last-commit"),
    ],
)
def test_a_killed_tokenisation_leaves_whole_chunks_and_resumes(store, statement, count, n_kept):
    take_in(store, make_issue(10))
    kill_after(store.folder, statement, count, KEEP)
    after = contents(store)
    assert len(after["paper_tokens"]) == n_kept
    assert len(after["token"]) == (n_kept + 1 if n_kept else 0), "'About', and the name of each paper"
    assert damage(store) == []
    assert keep_tokens(store, tokenise, "1") == 10 - n_kept
    assert_tokens_are_those_of_the_papers(store)


TOGETHER = """
import sys
from pathlib import Path
from presort.data.store import open_store

store = open_store(Path(sys.argv[1]), sys.argv[2])
"""


def test_two_processes_tokenise_each_paper_once(store):
    take_in(store, make_issue(100))
    makers = run_together(*[[TOGETHER + KEEP + "print(n_kept)", store.folder, address_of(store.folder)]] * 2)
    assert [maker.errors for maker in makers] == ["", ""]
    assert sum(int(maker.output) for maker in makers) == 100
    assert_tokens_are_those_of_the_papers(store)
    assert damage(store) == []
