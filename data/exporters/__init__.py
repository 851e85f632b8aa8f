"""File exporters, one module per format."""
