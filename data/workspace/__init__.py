"""Files and database connections of a workspace: opening, locking, health checks, copies and temporary folders."""
