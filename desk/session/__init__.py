"""Review of one report issue: the list, reading progress, decisions and publication."""
