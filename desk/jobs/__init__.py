"""Background jobs: queue of a workspace, worker that runs one job, and supervisor that starts workers."""
