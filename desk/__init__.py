"""The application around the rankers and measures: workflow, command line and pages."""
