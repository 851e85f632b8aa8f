"""Streamlit components: the parts of a page that run in the browser."""
