"""Training data and results of rankers: history, tokens, rankings and models."""
