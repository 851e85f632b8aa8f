"""The web server of the desk, sign-in, monitoring, and the channel to the review list in the browser."""
