"""Files of text and of weights: opened, read as lines, written whole or not at all."""
