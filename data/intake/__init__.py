"""Import of papers into the database: matching with existing papers, and atomic publication."""
