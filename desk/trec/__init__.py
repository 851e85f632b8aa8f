"""Score and compare TREC runs and tables of scores in files, without a workspace."""
