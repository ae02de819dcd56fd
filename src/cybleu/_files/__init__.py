"""Files of text, of weights and of pictures: opened, read as lines, written whole or not at all."""
