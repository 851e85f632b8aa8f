"""Code shared by the commands: options, output, progress bars and access to the workspace."""
