"""Tables on stdout: whole in a pipe, shortened in a narrow terminal."""

import io

import pandas as pd
import pytest
from rich.console import Console

from presort.desk.console import printing
from presort.desk.console.printing import print_table, table_of

TIME, PERSON, LONG = "2026-11-28 10:47:12", "Ann-Katharina Lindenberg", "Wages and hours of the self-employed " * 4


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def printed(monkeypatch):
    def call(file, rows):
        # A console of its own, because monkeypatch would leave values in the properties of the shared one.
        monkeypatch.setattr(printing, "out", Console(file=file, width=80, color_system=None, markup=False))
        print_table(table_of(pd.DataFrame(rows)))
        return file.getvalue().splitlines()

    return call


def rows(n_long):
    return [{"made_at": TIME, "person": PERSON, "place": "command"} | {f"text{n}": LONG for n in range(n_long)}]


def test_a_pipe_gets_whole_cells(printed):
    _, line = printed(io.StringIO(), rows(3))
    assert line.split() == f"{TIME} {PERSON} command {LONG * 3}".split()


@pytest.mark.parametrize("n_long", [1, 2, 3])
def test_a_narrow_terminal_shortens_long_texts_first(printed, n_long):
    lines = printed(Terminal(), rows(n_long))
    assert all(len(line) <= 80 for line in lines)
    assert f"{TIME}  {PERSON}  command" in lines[1]
    assert lines[1].count("…") == n_long


def test_a_narrow_terminal_shows_times_and_people_whatever_else_must_be_shortened(printed):
    texts = {f"code{n}": "sixteen letters." for n in range(9)}
    lines = printed(Terminal(), [{"made_at": TIME, "report": "lab", "person": PERSON} | texts])
    assert all(len(line) <= 80 for line in lines)
    assert TIME in lines[1]
    assert PERSON in lines[1]


def test_a_pipe_gets_whole_cells_even_if_colours_are_forced(printed, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, line = printed(io.StringIO(), rows(2))
    assert "…" not in line


def test_a_table_with_room_is_not_shortened(printed):
    lines = printed(Terminal(), [{"made_at": TIME, "person": PERSON, "action": "Imported week.csv"}])
    assert lines[1].split() == f"{TIME} {PERSON} Imported week.csv".split()
