"""Detection of papers that are already in the workspace, and decisions on possible duplicates."""
