"""Errors of a harvest."""

from presort.data.errors import DataError


class HarvestError(DataError):
    """A harvest failed."""


class CutError(HarvestError):
    """A response is missing, truncated or damaged. Retrying may help."""


class LostTokenError(HarvestError):
    """The repository no longer accepts the resumption token. The harvest must restart."""
