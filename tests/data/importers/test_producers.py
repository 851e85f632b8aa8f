"""Synthetic files of many producers, with faults that their users reported."""

import pytest

from benchmarks.producers import PRODUCERS, read_back

N_RECORDS = 60


@pytest.mark.parametrize("name", PRODUCERS)
def test_all_records_of_a_producer_are_read(tmp_path, name):
    n_read, n_right, findings = read_back(tmp_path, name, N_RECORDS)
    assert (n_read, n_right, findings.skipped) == (N_RECORDS, N_RECORDS, [])
