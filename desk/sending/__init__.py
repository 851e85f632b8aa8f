"""Mail, feeds and public pages of report issues, from templates that a service can change."""
