"""The page *Overview*."""
