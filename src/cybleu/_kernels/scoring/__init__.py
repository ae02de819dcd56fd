"""Compute scores from counts, and count and score in one call."""
