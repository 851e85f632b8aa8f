"""Text processing for any language: cleaning, removal of markup and accents, and splitting into words."""
