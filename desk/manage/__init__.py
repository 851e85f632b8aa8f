"""The page Manage, and its commands."""
