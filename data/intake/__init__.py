"""Imports, committed in one transaction."""
