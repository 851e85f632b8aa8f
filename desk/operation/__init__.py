"""What a server counts, logs and limits while it works."""
