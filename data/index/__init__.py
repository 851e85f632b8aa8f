"""Index of papers by word, id and DOI."""
