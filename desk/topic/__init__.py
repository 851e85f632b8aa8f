"""The *Try a topic* page."""
