"""Background jobs: the queue of a workspace, the worker that runs one job, and the supervisor that starts workers."""
