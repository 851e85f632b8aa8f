"""Reading in a process of its own: it says the same, and is stopped where it takes too much."""

import json
import os
import subprocess
from datetime import date

import pytest

from presort.data.errors import UnreadableFileError, WorkspaceError
from presort.data.importers import apart, read_listings
from presort.data.importers.apart import preview_apart, read_listings_apart, recording, replaying
from presort.data.importers.choices import Choices
from presort.data.importers.preview import preview
from presort.data.importers.problems import Problems
from presort.data.workspace.scratch import scratch_folder

WEEK = "paper_id,title,issue,authors\nx1,Wages,2030-01-07,Ann Lee; Bo Chen\nx2,,2030-01-07,\nx3,Löhne,,\n"


@pytest.fixture
def week(tmp_path):
    path = tmp_path / "week.csv"
    path.write_text(WEEK)
    return path


@pytest.fixture
def for_a_while(tmp_path, monkeypatch):
    """Where everything temporary goes."""
    folder = tmp_path / "for-a-while"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_it_says_what_reading_here_says(week, for_a_while):
    choices = Choices(issue=date(2030, 1, 14), selected_by=("lab",))
    told, told_here = [], []
    read = list(read_listings_apart(week, choices, problems=Problems(told.append)))
    assert read == list(read_listings(week, choices, problems=Problems(told_here.append)))
    assert [vars(error) for error in told] == [vars(error) for error in told_here]
    assert [str(error) for error in told] == ["week.csv, row 3, column title: is empty"]
    assert preview_apart(week) == preview(week)
    assert list(for_a_while.iterdir()) == []


def test_an_error_is_raised_as_here(week, tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^week\.csv, row 3, column title: is empty"):
        list(read_listings_apart(week))
    with pytest.raises(UnreadableFileError, match=r"^gone\.csv: can't be read: No such file"):
        list(read_listings_apart(tmp_path / "gone.csv"))


@pytest.mark.whole
@pytest.mark.parametrize("limit", ["MOST_MEMORY", "MOST_SECONDS"])
def test_what_takes_too_much_is_refused_and_nothing_stays(week, for_a_while, monkeypatch, limit):
    monkeypatch.setattr(apart, limit, 1)
    week.write_text("paper_id,title,issue\n" + "".join(f"x{n},{'T' * 500_000},2030-01-07\n" for n in range(40)))
    if limit == "MOST_SECONDS":
        week.write_text("paper_id,title,issue\n" + "".join(f"x{n},T,2030-01-07\n" for n in range(200_000)))
    with pytest.raises(UnreadableFileError, match=r"^week\.csv: can't be read here: .* Import it in parts"):
        list(read_listings_apart(week))
    assert list(for_a_while.iterdir()) == []


def test_the_process_ends_when_nobody_listens_any_more(week, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        apart.subprocess, "Popen", lambda *args, **how: started.append(popen(*args, **how)) or started[0]
    )
    listings = read_listings_apart(week, problems=Problems(print))
    next(listings)
    listings.close()
    assert started[0].returncode is not None


def test_a_bug_stays_a_bug(week, monkeypatch):
    monkeypatch.setattr(apart, "MOST_SECONDS", "soon")
    with pytest.raises(RuntimeError, match=r"reading ended with 1\n.*Traceback"):
        list(read_listings_apart(week))


@pytest.mark.usefixtures("for_a_while")
def test_a_temporary_folder_without_room_is_named(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "mkdir", full)
    with pytest.raises(WorkspaceError, match=r"^The temporary folder .*for-a-while can't be written to: No space left"):
        scratch_folder().__enter__()


def test_a_process_that_was_started_ahead_reads_the_next_file(week):
    apart.prepare()
    (spare,) = apart._SPARE
    apart.prepare()
    assert [spare] == apart._SPARE
    assert [listed.paper.paper_id for listed in read_listings_apart(week, problems=Problems(print))]
    assert apart._SPARE == []
    assert spare.process.returncode is not None


def test_one_that_ended_while_it_waited_is_not_missed(week):
    apart.prepare()
    (spare,) = apart._SPARE
    spare.process.kill()
    spare.process.wait()
    assert [listed.paper.paper_id for listed in read_listings_apart(week, problems=Problems(print))]


def test_what_was_read_is_yielded_again(week):
    def read(reading):
        left_out, repairs = [], []
        listings = list(reading(week, Choices(), problems=Problems(left_out.append, repairs.append)))
        return listings, [vars(error) for error in left_out], repairs

    week.write_bytes(week.read_bytes() + b"x9,L\xf6hne\x01,2030-01-07,\n")
    answers = []
    whole = read(read_listings)
    assert whole[2]
    assert read(recording(read_listings, answers)) == whole
    week.unlink()
    assert read(replaying(json.loads(json.dumps(answers)))) == whole
