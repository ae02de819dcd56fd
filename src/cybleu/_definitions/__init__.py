"""What Python scores with: n-grams and formulas, for metrics, functions of NLTK, explanations, tuning and the mirror.

Each definition is here once, and once more in the kernels, where these compute it.
"""
