"""Export of papers, rankings and relevance judgements to files."""
