"""Scores of rankings, and the statistics that compare rankers and raise alerts."""
