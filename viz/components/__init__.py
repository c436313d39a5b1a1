"""Pieces of a page that are neither a figure nor a widget of Streamlit."""
