"""Machines and network of presort-1, and trees that weigh for each paper and report what both say."""
