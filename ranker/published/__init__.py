"""Shared code of the published rankers: counts of terms, and one classifier per report."""
