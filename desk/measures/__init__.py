"""The *Measures* page."""
