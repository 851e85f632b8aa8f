"""File importers. `listings` reads the papers of a file, a folder or an archive. Each format has its own module."""
