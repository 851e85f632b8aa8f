"""Papers, rankings and judgements as files."""
