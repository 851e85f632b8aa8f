"""The weekly job, `presort weekly`: what a service does by itself."""
