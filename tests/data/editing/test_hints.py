from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing.hints import add_hint, hints, newest_example
from presort.data.errors import RefusedError
from presort.data.learning.history import read_history
from presort.data.records import HintKind, Hints, Paper, Report
from presort.data.store import Store
from tests.data.workspaces import FIRST, contents, damage, incompressible, kill_after, rewriting


@pytest.fixture
def begun(store: Store) -> Store:
    """Two reports without hints."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def give(store: Store, *given: tuple[HintKind, str], report: str = "lab") -> None:
    for kind, text in given:
        add_hint(store, report, kind, text, person="Ann")


def test_no_hint_yet(begun):
    assert hints(begun) == {}
    assert hints(begun, up_to=7) == {}
    assert read_history(begun, FIRST).seeds == {}


def test_hints_of_each_kind_and_report(begun):
    give(begun, ("mute", "bitcoin"), ("boost", "minimum wage"), ("seed", "Wages\nWe show."), ("mute", "covid"))
    give(begun, ("boost", "archives"), report="his")
    assert hints(begun) == {
        "his": Hints(boosted=("archives",), up_to=5),
        "lab": Hints(muted=("bitcoin", "covid"), boosted=("minimum wage",), seeds=("Wages\nWe show.",), up_to=4),
    }
    assert list(hints(begun)) == ["his", "lab"]


def test_the_newest_hint_on_a_text_counts(begun):
    give(begun, ("mute", "wage"), ("boost", "tax"), ("boost", "wage"))
    assert hints(begun) == {"lab": Hints(boosted=("wage", "tax"), up_to=3)}


def test_a_removed_hint_stays_in_the_log(begun):
    give(begun, ("mute", "wage"), ("none", "wage"))
    assert hints(begun) == {"lab": Hints(up_to=2)}
    give(begun, ("mute", "tax"), ("mute", "wage"))
    assert hints(begun) == {"lab": Hints(muted=("wage", "tax"), up_to=4)}
    assert [row[4:] for row in contents(begun)["hint"]] == [
        ("mute", "wage"),
        ("none", "wage"),
        ("mute", "tax"),
        ("mute", "wage"),
    ]


def test_hints_up_to_an_earlier_log_entry(begun):
    give(begun, ("mute", "wage"))
    give(begun, ("boost", "archives"), report="his")
    give(begun, ("boost", "wage"), ("none", "wage"))
    assert hints(begun, up_to=0) == {}
    assert hints(begun, up_to=1) == {"lab": Hints(muted=("wage",), up_to=1)}
    assert hints(begun, up_to=2) == hints(begun, up_to=1) | {"his": Hints(boosted=("archives",), up_to=2)}
    assert hints(begun, up_to=3)["lab"] == Hints(boosted=("wage",), up_to=3)
    assert hints(begun, up_to=99) == hints(begun)


@pytest.mark.parametrize("kind", ["mute", "boost"])
@pytest.mark.parametrize(
    "written",
    [
        pytest.param("MINIMUM WAGE", id="capitals"),
        pytest.param("  minimum \t\n wage ", id="spaces"),
        pytest.param("minimum\N{NO-BREAK SPACE}wage", id="no-break-space"),
        pytest.param("mini\N{SOFT HYPHEN}mum wage\N{ZERO WIDTH SPACE}", id="unseen"),
        pytest.param("minimum\x00wage", id="control-character"),
    ],
)
def test_a_term_is_the_same_however_it_is_written(begun, kind, written):
    give(begun, (kind, "Minimum wage"), (kind, written))
    assert hints(begun)["lab"] in (
        Hints(muted=("minimum wage",), up_to=2),
        Hints(boosted=("minimum wage",), up_to=2),
    )
    give(begun, ("none", written))
    assert hints(begun)["lab"] == Hints(up_to=3)


def test_accents_are_composed_as_in_papers(begun):
    give(begun, ("mute", "Zo\N{LATIN SMALL LETTER E}\N{COMBINING DIAERESIS}"))
    assert hints(begun)["lab"].muted == ("zo\N{LATIN SMALL LETTER E WITH DIAERESIS}",)


def test_an_example_is_kept_as_it_was_written_line_by_line(begun):
    give(begun, ("seed", "\n  Minimum  Wages \r\n\r\nWe show\x00 this.\nAnd that. \n"))
    assert hints(begun)["lab"].seeds == ("Minimum Wages\n\nWe show this.\nAnd that.",)


def test_an_example_is_removed_by_its_text(begun):
    give(begun, ("seed", "Wages\nWe show."), ("seed", "wages\nwe show."), ("none", " Wages\r\nWe show.\n"))
    assert hints(begun)["lab"] == Hints(seeds=("wages\nwe show.",), up_to=3)


def test_a_term_and_an_example_with_the_same_text(begun):
    """An exact match of an example removes the example. The same text in lower case is the term."""
    give(begun, ("seed", "Wages"), ("mute", "Wages"))
    assert hints(begun)["lab"] == Hints(muted=("wages",), seeds=("Wages",), up_to=2)
    give(begun, ("none", "Wages"))
    assert hints(begun)["lab"] == Hints(muted=("wages",), up_to=3)
    give(begun, ("none", "wages"))
    assert hints(begun)["lab"] == Hints(up_to=4)


def test_the_same_example_of_two_reports(begun):
    give(begun, ("seed", "Wages"), report="his")
    give(begun, ("mute", "wages"), ("none", "Wages"))
    assert hints(begun) == {"his": Hints(seeds=("Wages",), up_to=1), "lab": Hints(up_to=3)}


def test_examples_become_papers(begun):
    give(begun, ("seed", "Old\nGone."), ("seed", "Minimum wages\n\nWe show.\nAnd more."), ("seed", "A title alone"))
    give(begun, ("none", "Old\nGone."), ("mute", "tax"))
    give(begun, ("mute", "tax"), report="his")
    seeds = read_history(begun, FIRST).seeds
    assert seeds == {
        "lab": (Paper("seed 1", "Minimum wages", "We show.\nAnd more."), Paper("seed 2", "A title alone")),
    }


NO_TEXT = "The hint is empty. Enter a term, or paste a title and an abstract."


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        pytest.param("mute", "", NO_TEXT, id="empty"),
        pytest.param("boost", " \t\n", NO_TEXT, id="spaces"),
        pytest.param("seed", "\r\n\r\n", NO_TEXT, id="empty-lines"),
        pytest.param("none", "\N{ZERO WIDTH SPACE}", NO_TEXT, id="unseen"),
        pytest.param(
            "mute", "x" * 101, "The term has 101 characters; the limit is 100. Use a shorter term.", id="long-mute"
        ),
        pytest.param(
            "boost", "x " * 600, "The term has 1,199 characters; the limit is 100. Use a shorter term.", id="boost"
        ),
        pytest.param(
            "seed", "x" * 20_001, "The example has 20,001 characters; the limit is 20,000. Shorten it.", id="seed"
        ),
        pytest.param(
            "none", "x" * 20_001, "The example has 20,001 characters; the limit is 20,000. Shorten it.", id="none"
        ),
    ],
)
def test_an_invalid_text_is_refused_and_nothing_is_stored(begun, kind, text, message):
    before = contents(begun)
    with pytest.raises(RefusedError) as refused:
        give(begun, (kind, text))
    assert str(refused.value) == message
    assert contents(begun) == before


def test_the_longest_texts(begun):
    term, example = "x" * 100, incompressible(20_000)
    give(begun, ("mute", f"  {term} "), ("seed", f"\n{example}\n"))
    assert hints(begun)["lab"] == Hints(muted=(term,), seeds=(example,), up_to=2)
    assert newest_example(begun) == 2
    give(begun, ("none", example))
    assert (hints(begun)["lab"].seeds, newest_example(begun)) == ((), 3)


def test_a_hint_for_an_unknown_report_is_refused(begun):
    before = contents(begun)
    with pytest.raises(RefusedError, match=r"There is no report 'no'\. Reports: his, lab"):
        give(begun, ("mute", "wage"), report="no")
    assert contents(begun) == before


def test_an_unknown_kind_is_a_bug_and_is_not_stored(begun):
    before = contents(begun)
    with pytest.raises(IntegrityError, match="ck_hint_kind"):
        add_hint(begun, "lab", "hide", "wage", person="Ann")
    assert contents(begun) == before


def test_the_log_has_author_and_time(begun):
    add_hint(begun, "lab", "mute", "wage", person="Ann")
    add_hint(begun, "lab", "none", "wage", person="Bo")
    people = {number: name for number, name, *_ in contents(begun)["person"]}
    assert [people[row[2]] for row in contents(begun)["hint"]] == ["Ann", "Bo"]
    assert all(row[3].tzinfo is not None for row in contents(begun)["hint"])


def test_log_numbers_are_never_reused(begun):
    give(begun, ("mute", "wage"), ("mute", "tax"))
    with rewriting(begun, "hint") as connection:
        connection.exec_driver_sql("DELETE FROM hint")
    give(begun, ("mute", "trade"))
    assert hints(begun)["lab"].up_to == 3


HINT = """
from presort.data.editing.hints import add_hint
add_hint(store, "lab", "mute", "tax", person="Somebody new")
"""


def test_a_process_killed_while_saving_leaves_no_hint(begun):
    give(begun, ("mute", "wage"))
    before = contents(begun)
    kill_after(begun.folder, "UPDATE revision", 1, HINT)
    assert contents(begun) == before
    assert damage(begun) == []


def slowly(given: Sequence[tuple[HintKind, str]]) -> Hints:
    """Return the newest entry of each text by a plain loop, in the order in which texts were first added."""
    newest: dict[str, HintKind] = {}
    examples = set()
    for kind, text in given:
        if kind == "seed":
            examples.add(text)
        key = text if kind == "seed" or (kind == "none" and text in examples) else text.lower()
        newest[key] = kind
    return Hints(
        muted=tuple(text for text, kind in newest.items() if kind == "mute"),
        boosted=tuple(text for text, kind in newest.items() if kind == "boost"),
        seeds=tuple(text for text, kind in newest.items() if kind == "seed"),
    )


KINDS = st.sampled_from(["mute", "boost", "seed", "none"])
GIVEN = st.lists(
    st.tuples(st.sampled_from(["one", "two"]), KINDS, st.sampled_from(["a", "A", "b b", "B b", "c"])), max_size=12
)


def test_hints_agree_with_a_loop_over_the_log(store):
    numbers = count(1)
    newest = 0

    @given(GIVEN)
    def agree(given: list[tuple[str, HintKind, str]]) -> None:
        nonlocal newest
        codes = {name: f"{name}-{next(numbers)}" for name in ("one", "two")}  # new reports in the same workspace
        catalogue.add_reports(store, [Report(code, code) for code in codes.values()])
        for name, kind, text in given:
            give(store, (kind, text), report=codes[name])
        for n_seen in range(len(given) + 1):
            found = hints(store, up_to=newest + n_seen)
            for name, code in codes.items():
                own = [(number, hint) for number, (report, *hint) in enumerate(given[:n_seen], 1) if report == name]
                if own:
                    expected = slowly([tuple(hint) for _, hint in own])
                    up_to = newest + own[-1][0]
                    assert found[code] == Hints(expected.muted, expected.boosted, expected.seeds, up_to)
                else:
                    assert code not in found
        newest += len(given)

    agree()
