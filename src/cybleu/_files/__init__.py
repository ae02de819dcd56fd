"""Read and write files of text, weights and pictures; a file is written completely or not at all."""
