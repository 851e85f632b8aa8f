"""Weekly job, `presort weekly`: the automatic work of a service."""
