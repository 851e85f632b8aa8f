"""File importers. `listings` reads the papers of a file, a folder or an archive; each format has its own module."""
