"""Weekly work of a service, independent of pages: rank, replay, pending issues."""
