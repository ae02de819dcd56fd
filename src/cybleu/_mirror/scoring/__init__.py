"""Scores of rows, and chrF."""
