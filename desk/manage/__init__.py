"""The *Manage* page, and the commands for the same settings."""
