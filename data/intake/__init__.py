"""Import of papers into the database: matching with known papers, and atomic publication."""
