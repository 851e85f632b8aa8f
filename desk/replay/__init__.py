"""Replays and experiments."""
