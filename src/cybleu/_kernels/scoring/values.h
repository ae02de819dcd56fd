// Special values of precisions and scores.

#pragma once
#include <math.h>
#include <stdint.h>

// The precision of an order without n-grams; others are not negative.
#define CYBLEU_ABSENT (-1.0)
#define CYBLEU_LEFT_OUT ((double)INFINITY)

// A score that is declined: to be computed in Python.
#define CYBLEU_NO_SCORE ((double)NAN)

// Products of smaller counts with a scale and powers of two stay exact in a double.
#define CYBLEU_LARGEST_COUNT ((int64_t)1 << 46)
