"""Summary of ranking quality, as a terminal table and as a page to mail or print."""
