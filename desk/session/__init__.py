"""A report issue on the desk: what is shown, how far it was read, what goes out."""
