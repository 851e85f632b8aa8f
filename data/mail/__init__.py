"""Readers, mailings of report issues, and email notices to editors."""
