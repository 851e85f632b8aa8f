"""Check the installation and the workspace: `presort doctor`."""
