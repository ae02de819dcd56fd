"""Count clipped n-gram matches on token ids: segments, corpora, prepared references, all pairs."""
