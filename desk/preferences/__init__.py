"""The Preferences page."""
