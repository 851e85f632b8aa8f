"""Code shared by the rankers from the literature: term counts, and one classifier per report."""
