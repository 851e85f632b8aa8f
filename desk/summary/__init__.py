"""Summary of ranking quality, as a table in the terminal and as a page for mailing or printing."""
