"""Import papers into the database: match them with existing papers, and publish their issues atomically."""
