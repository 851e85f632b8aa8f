"""Parts shared by pages: widgets, the frame around each page, the user's rights, and cached results."""
