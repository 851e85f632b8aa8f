"""The *Manage* page, and the commands that change the same settings."""
