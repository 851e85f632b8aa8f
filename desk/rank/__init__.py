"""Commands that rank issues, train models ahead of time, compute sentence vectors and build the demo."""
