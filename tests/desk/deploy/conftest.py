"""A service in its week, as in the tests of the weekly job."""

from tests.desk.weekly.conftest import inbox, server, weekly  # noqa: F401  (fixtures)
