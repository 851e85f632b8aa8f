"""What is set up, what is missing, and what is wrong: `presort doctor`."""
