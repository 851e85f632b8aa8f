"""Readers of reports, and what is mailed to them."""
