"""The page *Natural order*."""
