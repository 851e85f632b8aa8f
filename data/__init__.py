"""Data layer: records, file formats and the database. No other package runs SQL or parses paper files."""
