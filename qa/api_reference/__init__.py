"""The page docs/api.md, made from the docstrings."""
