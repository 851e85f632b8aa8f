"""Widgets shared by pages: choices, dialogs, tables."""
