"""Shared code of the rankers from the literature: term counts, and one classifier per report."""
