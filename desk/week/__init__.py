"""The *This week* page."""
