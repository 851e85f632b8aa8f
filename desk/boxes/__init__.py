"""Parts of the Review page, each by itself."""
