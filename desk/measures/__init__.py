"""The page *Measures*."""
