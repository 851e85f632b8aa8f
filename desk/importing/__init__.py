"""The *Import* page, and the commands `presort import` and `presort harvest`."""
