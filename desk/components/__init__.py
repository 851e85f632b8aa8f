"""Streamlit components: parts of a page that run in the browser."""
