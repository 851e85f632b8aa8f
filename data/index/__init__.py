"""Index of papers by their words, ids and DOIs."""
