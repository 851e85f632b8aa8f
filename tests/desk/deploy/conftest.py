"""Fixtures of the weekly job's tests: a service with editors and a mail server."""

from tests.desk.weekly.conftest import inbox, server, weekly  # noqa: F401  (fixtures)
