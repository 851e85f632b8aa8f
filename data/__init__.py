"""What Presort knows: records, and the only code that reads files and speaks SQL."""
