"""One table of scores, and honest comparison of rankers by it."""
