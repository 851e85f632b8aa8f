"""Review of an issue for a report: list, reading progress, decisions and publication."""
