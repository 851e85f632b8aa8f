"""Commands to rank issues and to train models ahead."""
