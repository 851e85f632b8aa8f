"""Explanations of a paper's rank."""
