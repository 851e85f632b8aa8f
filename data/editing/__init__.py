"""What editors decide, note, draft and read, and what is pending."""
