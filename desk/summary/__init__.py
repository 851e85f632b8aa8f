"""The summary of a service's rankings."""
