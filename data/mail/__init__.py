"""Readers of reports, and mailings to them."""
