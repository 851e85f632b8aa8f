"""Widgets shared by pages: choices, dialogs and tables."""
