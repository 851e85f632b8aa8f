"""The commands `presort replay` and `presort experiment`, with their tables and charts."""
