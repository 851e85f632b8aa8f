"""Decisions, notes, drafts and reading progress of editors, and pending issues."""
