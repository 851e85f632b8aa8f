"""Web server of the desk: request checks, sign-in, monitoring, and the channel to the review list in the browser."""
