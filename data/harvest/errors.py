"""Errors of a harvest."""

from presort.data.errors import DataError


class HarvestError(DataError):
    """A repository can't be harvested, or not now."""


class CutError(HarvestError):
    """An answer didn't come, or not whole; the next try may do better."""


class LostTokenError(HarvestError):
    """The repository no longer knows where we were in its list."""
