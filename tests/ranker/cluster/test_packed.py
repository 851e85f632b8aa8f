"""Shared arguments of calls are serialised once and forwarded unchanged."""

import pickle

import numpy as np
import pytest

from presort.ranker.cluster import worker
from presort.ranker.cluster.worker import PackedArguments

CONTENT = (np.arange(5), ["a", "b"])


def test_a_packed_object_is_not_packed_again(monkeypatch):
    first = PackedArguments(CONTENT)
    monkeypatch.setattr(worker, "_serialise", pytest.fail)
    second = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(first))))
    numbers, names = second.content()
    assert (numbers.tolist(), names) == ([0, 1, 2, 3, 4], ["a", "b"])


def test_an_object_is_unpacked_once_and_held_once(monkeypatch):
    packed = PackedArguments(CONTENT)
    content = packed.content()
    monkeypatch.setattr(worker, "_deserialise", pytest.fail)
    assert packed.content() is content
    assert packed._packed is None


def test_an_unpacked_object_can_be_sent_on():
    packed = PackedArguments(CONTENT)
    packed.content()
    numbers, names = pickle.loads(pickle.dumps(packed)).content()
    assert (numbers.tolist(), names) == ([0, 1, 2, 3, 4], ["a", "b"])
