"""The *Natural order* page."""
