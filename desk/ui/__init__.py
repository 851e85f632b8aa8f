"""Shared widgets of pages: choices, dialogs, tables."""
