"""File exporters, with one module per format."""
