"""Runs and relevance judgements in files, scored and compared."""
