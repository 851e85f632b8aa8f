"""Rankers: sort an issue for a report by what its editor selected before."""
