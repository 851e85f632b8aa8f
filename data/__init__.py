"""Records, and the only code that reads files and runs SQL."""
