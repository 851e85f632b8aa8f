"""The *Compare* page."""
