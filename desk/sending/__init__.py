"""What readers get: mail, feeds and public pages of report issues, written by templates that a service can change."""
