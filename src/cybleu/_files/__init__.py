"""Read and write files of text; a file is written completely or not at all."""
