"""Raw text: lines, tokenisers, characters and words for chrF."""
