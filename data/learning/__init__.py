"""What rankers learn from and what they made: history, tokens, rankings and models."""
