"""The page Preferences."""
