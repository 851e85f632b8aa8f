"""The *Preferences* page."""
