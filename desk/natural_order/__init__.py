"""The page Natural order."""
