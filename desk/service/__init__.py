"""Use cases, independent of any user interface: rank, re-rank, replay, publish, score, train ahead, build the demo."""
