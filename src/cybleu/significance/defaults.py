"""What is taken where nothing is said, in one place."""

SHUFFLES = 10_000
RESAMPLES = 1_000
SEED = 12345
CONFIDENCE = 0.95
ALPHA = 0.05
