"""Read and write files of text and weights; a file is written completely or not at all."""
