"""Text of any language: cleaned, without accents, and as plain words."""
