"""Detect papers that are already in the workspace, and record decisions on possible duplicates."""
