"""Errors that a harvest can raise."""

from presort.data.errors import DataError


class HarvestError(DataError):
    """A harvest failed."""


class CutError(HarvestError):
    """A response is missing, truncated or damaged. Trying again may help."""


class LostTokenError(HarvestError):
    """The repository no longer accepts the resumption token, so the harvest must restart."""
