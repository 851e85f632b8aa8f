"""The *My report* page."""
