"""Editors' decisions, notes, drafts and reading progress, and the pending issues."""
