"""Background jobs: the queue of a workspace, the worker that does one job, and the supervisor that starts it."""
