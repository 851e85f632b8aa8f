"""The queue of a workspace: what is put in is there whole, is taken in its order, and ends once."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from presort.data.errors import WorkspaceError
from presort.data.running.job_folder import End
from presort.data.running.jobs import CANCELLED, KEPT, NEW, UNKNOWN, Jobs

IDS = ("00000000000000000001-rank-aa", "00000000000000000002-learn-bb")


@pytest.fixture
def jobs(tmp_path):
    return Jobs(tmp_path)


def kinds(jobs):
    return [job.kind for job in jobs.waiting()]


def test_the_most_urgent_is_first_and_of_these_the_oldest(jobs):
    assert jobs.waiting() == []
    for kind in ("learn", "rank", "demo", "import", "rank"):
        jobs.put(kind, {"n": len(jobs.waiting())}, person="Ann")
    assert kinds(jobs) == ["import", "rank", "rank", "demo", "learn"]
    assert [job.told["n"] for job in jobs.waiting()] == [3, 1, 4, 2, 0]
    assert {job.person for job in jobs.waiting()} == {"Ann"}


def test_files_come_in_their_order_for_their_owner_alone_and_go_at_the_end(jobs, tmp_path):
    named = [(f"{n % 2}.csv", bytes([n])) for n in range(12)]  # the same names, and more than nine
    job = jobs.put("import", {}, person="Ann", files=named)
    assert [(path.name, path.read_bytes()) for path in jobs.files(job)] == named
    assert {one.stat().st_mode & 0o077 for one in tmp_path.rglob("*")} == {0}
    jobs.end(job, "done")
    assert not list(tmp_path.rglob("*.csv"))


def test_what_is_put_in_is_on_the_disk_before_anybody_is_told(jobs, monkeypatch):
    """A power cut behind that must not leave an import cut short, which might be imported as it stands."""
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: [synced.append(os.fstat(file).st_ino), fsync(file)])
    job = jobs.put("import", {}, person="Ann", files=[("week.csv", b"x")], notes={"found": []})
    folder = jobs.files(job)[0].parents[2]
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.stat().st_ino for path in [*kept, folder.parent]} <= set(synced)


def test_only_what_is_small_is_read_while_a_job_waits_or_is_done(jobs, tmp_path):
    job = jobs.put("import", {}, person="Ann", notes={"found": [1, 2]})
    for name in ("found", "done"):
        (tmp_path / "jobs" / "waiting" / job / f"{name}.json").write_bytes(b"\xff")  # can't be read
    jobs.begin(job, "one")
    assert jobs.done_by("one").told == jobs.waiting()[0].told == {}
    assert jobs.noted(job, "found") is None


def test_where_a_job_stands_is_told_by_every_process(jobs, tmp_path):
    job = jobs.put("rank", {}, person="Ann")
    other = Jobs(tmp_path)
    assert not other.is_begun(job)
    assert [jobs.begin(job, "first"), jobs.begin(job, "second")] == [1, 2]
    assert (other.is_begun(job), other.done_by("first")) == (True, None)
    assert other.done_by("second").id == job
    jobs.note(job, "done", [1, 2])
    assert other.end_of(job) is None
    jobs.end(job, "failed", "The disk is full.")
    assert other.end_of(job) == End("failed", "The disk is full.")
    assert (other.waiting(), other.noted(job, "done"), other.done_by("second")) == ([], [1, 2], None)
    assert [one.id for one in other.ended("rank")] == [job]
    assert other.ended("import") == []


def test_what_is_put_back_counts_no_try(jobs):
    job = jobs.put("learn", {}, person="Ann")
    jobs.begin(job, "one")
    jobs.put_back(job)
    assert not jobs.is_begun(job)
    assert jobs.begin(job, "another") == 1


def test_what_waits_is_cancelled_at_once_and_what_is_done_now_is_told_to_stop(jobs):
    waits, begun, put_back = (jobs.put("rank", {}, person="Ann") for _ in range(3))
    for job in (begun, put_back):
        jobs.begin(job, "one")
    jobs.put_back(put_back)
    for job in (waits, begun, put_back, "gone"):
        jobs.cancel(job)
    assert [job.id for job in jobs.waiting()] == [begun]
    assert jobs.is_cancelled(begun)
    assert {jobs.end_of(job) for job in (waits, put_back)} == {End("cancelled", CANCELLED)}
    assert jobs.begin(waits, "late") == 0


def test_who_was_cut_off_while_cancelling_has_cancelled(jobs, tmp_path, monkeypatch):
    job = jobs.put("rank", {}, person="Ann")
    with monkeypatch.context() as patch:
        patch.setattr(Jobs, "end", lambda *_: None)
        jobs.cancel(job)
    assert jobs.is_cancelled(job)
    assert jobs.begin(job, "one") == 0


def test_who_cancels_and_who_begins_at_once_agree(jobs):
    """Whoever is first has it: a job that a worker does is never told to be cancelled before it was stopped."""
    for _ in range(30):
        job = jobs.put("rank", {}, person="Ann")
        with ThreadPoolExecutor(2) as both:
            both.submit(jobs.cancel, job)
            tries = both.submit(jobs.begin, job, "one").result()
        assert (jobs.end_of(job) is None) == (tries == 1)


def test_who_cancels_while_another_looks_whether_to_begin_is_first(jobs, monkeypatch):
    """Whoever begins reads twice; in between, and before the other is through, it is cancelled."""
    job, is_begun = jobs.put("rank", {}, person="Ann"), Jobs.is_begun
    begun = Jobs._begun

    def cancelled_behind(read):
        def reading(self, asked):
            found = read(self, asked)
            monkeypatch.undo()
            with monkeypatch.context() as patch:
                patch.setattr(Jobs, "end", lambda *_: None)
                self.cancel(asked)
            return found

        return reading

    monkeypatch.setattr(Jobs, "is_begun", cancelled_behind(is_begun))
    monkeypatch.setattr(Jobs, "_begun", cancelled_behind(begun))
    assert jobs.begin(job, "one") == 0


def test_of_two_who_end_a_job_at_once_neither_fails(jobs, monkeypatch):
    job, other = jobs.put("rank", {}, person="Ann"), Jobs(jobs.workspace)

    def ended_by_another(*_, **__):
        monkeypatch.undo()
        other.end(job, "cancelled", CANCELLED)

    monkeypatch.setattr("shutil.rmtree", ended_by_another)
    jobs.end(job, "done")
    assert jobs.end_of(job) == End("done")


def test_what_cannot_be_cancelled_is_said(jobs, monkeypatch):
    job = jobs.put("rank", {}, person="Ann")
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(WorkspaceError, match="can't be written: No space left on device"):
        jobs.cancel(job)


def test_an_end_is_the_first_and_a_late_word_changes_nothing(jobs):
    job = jobs.put("rank", {}, person="Ann")
    jobs.end(job, "done")
    jobs.end(job, "broken", "later")
    jobs.cancel(job)
    assert jobs.end_of(job) == End("done")
    assert not jobs.is_cancelled(job)
    jobs.forget(job)
    assert jobs.end_of(job) == End("failed", UNKNOWN)


def test_who_was_cut_off_between_the_two_steps_of_an_end_has_ended(jobs, tmp_path, monkeypatch):
    job = jobs.put("rank", {}, person="Ann")

    def cut_off(*_, **__):
        raise SystemError

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", cut_off)
        with pytest.raises(SystemError):
            jobs.end(job, "done")
    assert jobs.end_of(job) is None
    jobs.end(job, "failed", "cut off")  # whoever takes it up
    assert jobs.end_of(job) == End("done")


def test_what_is_not_whole_is_not_in_the_queue(jobs, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.rename", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(WorkspaceError, match="can't be written: No space left on device"):
            jobs.put("import", {}, person="Ann", files=[("a.csv", b"x")])
    assert jobs.waiting() == []
    assert not list(tmp_path.rglob("*.csv"))


@pytest.mark.parametrize(
    "content", ["", "{", "null", "[]", '{"told": {}}'], ids=["empty", "cut", "null", "list", "short"]
)
def test_a_damaged_job_keeps_no_other_from_being_done(jobs, tmp_path, content):
    whole, damaged = jobs.put("rank", {}, person="Ann"), jobs.put("rank", {}, person="Ann")
    (tmp_path / "jobs" / "waiting" / damaged / "job.json").write_text(content)
    assert {job.id: job.kind for job in jobs.waiting()} == {whole: "rank", damaged: ""}
    (tmp_path / "jobs" / "waiting" / whole / "begun.json").write_text(content)
    assert jobs.begin(whole, "one") == 1


def test_what_ended_long_ago_and_what_was_cut_off_goes(jobs, tmp_path):
    old, new, waits = (jobs.put("rank", {}, person="Ann") for _ in range(3))
    for job in (old, new):
        jobs.end(job, "done")
    cut_off = tmp_path / "jobs" / "waiting" / f"{NEW}cut-off"
    cut_off.mkdir()
    long_ago = time.time() - KEPT - 1
    for place in (tmp_path / "jobs" / "ended" / old, cut_off):
        os.utime(place, (long_ago, long_ago))
    jobs.clear()
    assert [job.id for job in jobs.ended("rank")] == [new]
    assert [job.id for job in jobs.waiting()] == [waits]
    assert not cut_off.exists()


def test_what_many_put_in_at_once_is_all_there(jobs):
    def put():
        for n in range(20):
            jobs.put("rank", {"n": n}, person="Ann")

    threads = [threading.Thread(target=put) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(job.told["n"] for job in jobs.waiting()) == sorted([*range(20)] * 4)


def test_a_note_is_read_whole_while_it_is_written_anew(jobs):
    job = jobs.put("rank", {}, person="Ann")
    for n in range(50):
        jobs.note(job, "done", [n] * n)
        assert jobs.noted(job, "done") == json.loads(json.dumps([n] * n))
