"""Readers, mailings of report issues, and mail notices to editors."""
