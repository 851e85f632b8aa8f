"""The web server of the desk, and who may enter."""
