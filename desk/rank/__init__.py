"""Sorting issues, and learning ahead what sorting starts from: a week's commands."""
