"""The page *Import*, and the commands `presort import` and `presort harvest`."""
