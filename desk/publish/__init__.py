"""The page Publish."""
