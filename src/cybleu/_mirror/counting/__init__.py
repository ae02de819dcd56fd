"""Count n-grams and edits: segments of raw text, prepared references, each text against all others."""
