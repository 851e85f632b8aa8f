"""The commands `presort replay` and `presort experiment`, with their figures."""
