"""The *Overview* page."""
