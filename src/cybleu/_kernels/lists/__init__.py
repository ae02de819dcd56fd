"""Parse and format lines of n-best lists and of features."""
