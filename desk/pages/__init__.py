"""One module a page; each draws one thing with one call into the cache."""
