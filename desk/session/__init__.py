"""Report issue under review: the list shown, reading progress, and publication."""
