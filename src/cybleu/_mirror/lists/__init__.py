"""Lines of n-best lists."""
