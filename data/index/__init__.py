"""An index of all papers by their words, ids and DOIs."""
