"""The *Review* page."""
