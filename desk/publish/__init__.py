"""The *Publish* page."""
