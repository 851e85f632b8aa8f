"""The page Import, and its commands."""
