"""The parts of the page Manage, a module each."""
