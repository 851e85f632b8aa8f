"""The page *My report*."""
