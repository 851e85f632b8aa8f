"""Background jobs: a workspace's job queue, the worker that runs one job, and the supervisor that starts workers."""
