"""Hypotheses of three segments with references and features, for metrics of raw text."""

LISTS = [
    ["the cat sat on the mat", "The mat sat on a cat", "x y z"],
    ["It rains a lot", "a lot it rains", ""],
    ["we go home now", "home we go", "q " * 9],
]
REFERENCES = [["The cat sat on the mat today"], ["it rains a lot", "It rained a lot, today"], ["we go home now"]]
TEXTS = [text for texts in LISTS for text in texts]
OWNER = [0, 0, 0, 1, 1, 1, 2, 2, 2]
FEATURES = [[1.0, 0.5], [2.0, 0.0], [3.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.5]]
