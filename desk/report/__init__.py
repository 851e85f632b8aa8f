"""The page My report."""
