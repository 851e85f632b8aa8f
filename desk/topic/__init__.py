"""The page *Try a topic*."""
