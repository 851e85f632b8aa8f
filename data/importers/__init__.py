"""File importers. `listings` reads papers from a file, a folder or an archive. Each format has its own module."""
