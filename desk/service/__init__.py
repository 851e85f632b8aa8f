"""Use cases without a user interface: rank, re-rank, replay, publish, score, train ahead, and build the demo."""
