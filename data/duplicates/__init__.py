"""Papers that are the same as one known before."""
