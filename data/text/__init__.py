"""Text processing for any language: cleaning, removing markup and accents, and splitting into words."""
