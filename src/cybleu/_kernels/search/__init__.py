"""Search over n-best lists: features, line search, random swaps, MIRA."""
