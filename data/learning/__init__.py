"""Rankers' training data and results: history, tokens, rankings and models."""
