"""Writers of files, one module a format."""
