"""A workspace's files and database connections: opening, locking, health checks, copies and temporary folders."""
