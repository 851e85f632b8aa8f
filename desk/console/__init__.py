"""Code shared by commands: options, output, progress bars and access to the workspace."""
