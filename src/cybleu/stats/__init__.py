"""Counts of BLEU: from parsed texts to rows of int64."""
