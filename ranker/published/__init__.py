"""What the published rankers share: counts of terms, and a machine for each report by itself."""
