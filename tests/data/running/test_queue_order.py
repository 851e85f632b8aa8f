"""Jobs keep the order in which they were queued, whatever the clock does and however many processes queue them."""

import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.running.job_folder import claim_number, number_of
from presort.data.running.jobs import Jobs


def put_some(workspace, title, n):
    jobs = Jobs(Path(workspace))
    return [jobs.put("import", {"title": title, "n": number}, person="Ann") for number in range(n)]


def told(jobs):
    return [job.told["n"] for job in jobs.waiting()]


@given(st.lists(st.tuples(st.integers(-(10**18), 10**18), st.sampled_from(["keep", "end", "forget"])), max_size=8))
def test_the_order_is_that_of_the_calls_whatever_the_clock_says(readings):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        jobs, expected = Jobs(Path(folder)), []
        for n, (reading, then) in enumerate(readings):
            patch.setattr(time, "time_ns", lambda reading=reading: 2 * 10**18 + reading)
            patch.setattr(time, "time", lambda reading=reading: (2 * 10**18 + reading) / 1e9)
            job = jobs.put("import", {"n": n}, person="Ann")
            if then == "keep":
                expected.append(n)
                continue
            jobs.end(job, "done")
            if then == "forget":
                jobs.forget(job)
        assert told(jobs) == expected


def test_a_job_of_an_older_version_comes_before_what_is_queued_now(tmp_path):
    jobs = Jobs(tmp_path)
    first = jobs.put("import", {"n": 0}, person="Ann")
    waiting = tmp_path / "jobs" / "waiting"
    (waiting / first).rename(waiting / "01764170000000000000-import-0a1b2c3d")
    jobs.put("import", {"n": 1}, person="Ann")
    assert told(jobs) == [0, 1]


def test_a_number_claimed_later_is_higher_than_all_that_were_claimed_at_once(tmp_path):
    (waiting := tmp_path / "jobs" / "waiting").mkdir(parents=True)
    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(lambda _: claim_number(waiting), range(40)))
    assert claim_number(waiting) > max(numbers)
    assert len(list((tmp_path / "jobs").glob("number-*"))) == 1, "older claims are gone"


@pytest.mark.whole
def test_two_processes_that_queue_at_once_each_keep_their_order(tmp_path):
    n = 12
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        ready = [processes.submit(put_some, str(tmp_path), title, n) for title in ("a", "b")]
        ids = [one for part in ready for one in part.result()]
    waiting = Jobs(tmp_path).waiting()
    assert sorted(job.id for job in waiting) == sorted(ids)
    for title in ("a", "b"):
        assert [job.told["n"] for job in waiting if job.told["title"] == title] == list(range(n))
    later = Jobs(tmp_path).put("import", {}, person="Ann")
    assert number_of(later) > max(map(number_of, ids))
