"""Searches over n-best lists: weighted features, line search, MIRA."""
